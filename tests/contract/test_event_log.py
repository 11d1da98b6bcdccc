"""The event log: entries in order, each once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.event_log import ENDED, STARTED, LoggedEvent, planned

FIRST = LoggedEvent(sequence=STARTED, kind=EventKind.STARTED, at=5.25, data={"url": "https://example.com/ä", "n": 3})
LAST = LoggedEvent(sequence=ENDED, kind=EventKind.COMPLETED, at=9.0)


def wave(number: int) -> LoggedEvent:
    return LoggedEvent(sequence=planned(number), kind=EventKind.PROGRESS, at=6.0 + number, data={"wave": number})


def test_an_entry_comes_back_as_it_was(stores: Ports, crawl: CrawlId) -> None:
    assert stores.event_log.append(crawl, FIRST)
    assert stores.event_log.after(crawl, -1, limit=9) == [FIRST]


def test_entries_come_in_the_order_of_their_sequences(stores: Ports, crawl: CrawlId) -> None:
    for entry in (LAST, wave(12), wave(1), FIRST):
        stores.event_log.append(crawl, entry)
    assert stores.event_log.after(crawl, -1, limit=9) == [FIRST, wave(1), wave(12), LAST]
    assert stores.event_log.after(crawl, -1, limit=2) == [FIRST, wave(1)]
    assert stores.event_log.after(crawl, wave(1).sequence, limit=9) == [wave(12), LAST]
    assert stores.event_log.after(crawl, LAST.sequence, limit=9) == []


def test_a_sequence_that_is_taken_stays_as_it_is(stores: Ports, crawl: CrawlId) -> None:
    stores.event_log.append(crawl, FIRST)
    assert not stores.event_log.append(crawl, replace(FIRST, kind=EventKind.FAILED, at=8.0))
    assert stores.event_log.after(crawl, -1, limit=9) == [FIRST]


def test_each_crawl_has_a_log_of_its_own(stores: Ports, crawl: CrawlId) -> None:
    stores.event_log.append(crawl, FIRST)
    for other in (replace(crawl, tenant="u"), replace(crawl, site="other.example"), replace(crawl, crawl="c10")):
        assert stores.event_log.after(other, -1, limit=9) == []
        assert stores.event_log.append(other, FIRST)


def test_entries_are_beside_the_other_rows_of_the_crawl(stores: Ports, crawl: CrawlId) -> None:
    stores.waves.create(crawl, 1, planned=1)
    stores.event_log.append(crawl, FIRST)
    stores.waves.store_token(crawl, 1, "token")
    assert stores.event_log.after(crawl, -1, limit=9) == [FIRST]


def test_of_many_at_once_one_writes_an_entry(another: Callable[[], Ports], crawl: CrawlId) -> None:
    logs = [another().event_log for _ in range(6)]
    with ThreadPoolExecutor(len(logs)) as pool:
        added = list(pool.map(lambda log: log.append(crawl, FIRST), logs))
    assert added.count(True) == 1
