"""The event log of a crawl, in order and without repeats, and the published events."""

import json
import re
from pathlib import Path
from random import Random

import msgspec
import pytest
from msgspec.structs import replace
from tests.support.crawling import Done, crawl_inline
from tests.support.page_memories import memory_rows, move_back
from tests.support.random_site import random_site
from tests.support.still_clock import StillClock

from wavecrawl.application.crawl_events import Announcer, end_event, publish_ending, start_event
from wavecrawl.application.deliveries import payload_of
from wavecrawl.application.fail_crawl import fail_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Site, SitemapEntry, SitemapFile
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.outcome import CrawlOutcome
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import NotFoundError, StoreBusyError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import ENDED, EventLog, LoggedEvent
from wavecrawl.ports.events import CrawlEvent


class Listener:
    """A listener that records events, after refusing a number of them."""

    def __init__(self, refusals: int = 0) -> None:
        self.published: list[CrawlEvent] = []
        self._refusals = refusals

    def publish(self, event: CrawlEvent) -> None:
        if self._refusals:
            self._refusals -= 1
            raise StoreBusyError("not now")
        self.published.append(event)


def log_of(done: Done, folder: Path) -> list[LoggedEvent]:
    store = LocalStore(folder)
    entries = store.event_log.after(done.row.id, -1, limit=1_000)
    store.close()
    return entries


def test_the_events_of_a_crawl_are_in_order(tmp_path: Path) -> None:
    with SiteServer(random_site(Random(4), 30)) as server:
        done = crawl_inline(server.url, tmp_path)
    first, *waves, end = log_of(done, tmp_path)
    assert (first.sequence, first.kind) == (0, EventKind.STARTED)
    assert (first.data["root_url"], first.data["triggered_by"]) == (server.url, "command_line")
    assert [wave.kind for wave in waves] == [EventKind.PROGRESS] * len(waves)
    assert [wave.sequence for wave in waves] == [2 * number for number in range(1, len(waves) + 1)]
    assert [wave.data["wave"] for wave in waves] == list(range(1, len(waves) + 1))
    assert waves[0].data["phase"] == "bfs"
    assert (waves[0].data["planned"], waves[0].data["known"], waves[0].data["pages"]) == (1, 1, 0)
    assert (waves[-1].data["planned"], waves[-1].data["pending"]) == (0, 0)
    assert waves[-1].data["pages"] == done.summary.pages
    assert (end.sequence, end.kind, end.data["status"]) == (2_000_000, EventKind.COMPLETED, "completed")
    assert end.data["pages"] == done.summary.pages


@pytest.mark.parametrize("named", [True, False])
def test_only_sitemaps_that_name_something_have_a_wave(tmp_path: Path, *, named: bool) -> None:
    sitemaps = (SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/"),)),) if named else ()
    with SiteServer(Site(pages=(page("/", "/a"), page("/a")), sitemaps=sitemaps)) as server:
        done = crawl_inline(server.url, tmp_path)
    _, *waves, _ = log_of(done, tmp_path)
    assert [wave.data["phase"] for wave in waves] == ["bfs", "bfs", "bfs", *(["sitemap"] if named else [])]
    assert (done.summary.status, done.summary.pages) == ("completed", 2)


def an_hour_ago(root: Path, crawl: CrawlId, *, forgotten: int) -> None:
    """Let the site remember its pages as of an hour ago, without those in `forgotten`."""
    there = [row["key"] for row in memory_rows(root, crawl) if row["state"] == "fetched"]
    move_back(root, crawl, seconds=3_600.0, forgotten=there[:forgotten])


def test_a_second_crawl_says_what_changed(tmp_path: Path) -> None:
    with SiteServer(random_site(Random(4), 10)) as server:
        first = crawl_inline(server.url, tmp_path)
        an_hour_ago(tmp_path, first.row.id, forgotten=2)
        again = crawl_inline(server.url, tmp_path)
    change, end = log_of(again, tmp_path)[-2:]
    assert (change.sequence, change.kind) == (1_999_999, EventKind.CHANGED)
    data = {"status": "completed", "pages": again.summary.pages, "new": 2, "changed": 0, "gone": 0}
    assert change.data == data | {"root_url": change.data["root_url"]}  # no list of pages: its size is limited
    assert end.kind is EventKind.COMPLETED


def test_a_second_crawl_that_finds_nothing_changed_says_nothing_of_it(tmp_path: Path) -> None:
    with SiteServer(random_site(Random(4), 10)) as server:
        first = crawl_inline(server.url, tmp_path)
        an_hour_ago(tmp_path, first.row.id, forgotten=0)
        again = crawl_inline(server.url, tmp_path)
    assert EventKind.CHANGED not in {entry.kind for entry in log_of(again, tmp_path)}


@pytest.fixture(name="row")
def a_crawl(store: LocalStore) -> CrawlRow:
    return store.start("https://example.com/", CrawlSettings())


def ports(store: LocalStore, listener: Listener, clock: StillClock) -> Ports:
    store.events = listener
    store.clock = clock  # type: ignore[assignment]  # a clock like any other
    return store


def test_a_failure_is_published_once(store: LocalStore, clock: StillClock, row: CrawlRow) -> None:
    listener = Listener()
    for news in (True, False):
        crawl, is_news = fail_crawl(row.id, ports(store, listener, clock), error="why", pages=lambda: 7)
        assert (crawl.status, crawl.error, is_news) == (CrawlStatus.FAILED, "why", news)
    (event,) = listener.published
    assert (event.kind, event.status, event.pages, event.error) == (EventKind.FAILED, "failed", 7, "why")
    assert (event.sequence, event.at) == (ENDED, clock.time)
    (entry,) = store.event_log.after(row.id, -1, limit=9)
    assert (entry.kind, entry.data["error"]) == (EventKind.FAILED, "why")


def test_an_unpublished_failure_is_published_the_next_time(store: LocalStore, clock: StillClock, row: CrawlRow) -> None:
    listener = Listener(refusals=1)
    with pytest.raises(StoreBusyError):
        fail_crawl(row.id, ports(store, listener, clock), error="why", pages=lambda: 0)
    assert store.crawls.find("local", row.id.crawl) == replace(
        row, status=CrawlStatus.FAILED, error="why", finished_at=clock.time
    )
    assert fail_crawl(row.id, ports(store, listener, clock), error="late", pages=lambda: 0)[1]
    assert [event.error for event in listener.published] == ["why"]


def test_a_crawl_that_is_over_does_not_fail(store: LocalStore, clock: StillClock, row: CrawlRow) -> None:
    store.crawls.finish(row.id, status=CrawlStatus.COMPLETED, now=8.0)
    listener = Listener()
    crawl, news = fail_crawl(row.id, ports(store, listener, clock), error="late", pages=lambda: 3)
    assert (crawl.status, news) == (CrawlStatus.COMPLETED, True)
    assert [event.kind for event in listener.published] == [EventKind.COMPLETED]


def test_a_crawl_that_does_not_exist_cannot_fail(store: LocalStore, clock: StillClock) -> None:
    with pytest.raises(NotFoundError):
        fail_crawl(CrawlId(tenant="t", site="s", crawl="c"), ports(store, Listener(), clock), error="", pages=lambda: 0)


def test_an_unpublished_start_is_in_the_log(store: LocalStore, row: CrawlRow) -> None:
    listener = Listener(refusals=1)
    announcer = Announcer(log=store.event_log, events=listener)
    announcer.announce(start_event(row))
    announcer.announce(start_event(row))
    assert listener.published == []
    assert [entry.kind for entry in store.event_log.after(row.id, -1, limit=9)] == [EventKind.STARTED]


class DyingLog:
    """`ports.event_log.EventLog` of a process that dies once, just before it writes."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._dies = True

    def append(self, crawl: CrawlId, event: LoggedEvent) -> bool:
        if self._dies:
            self._dies = False
            raise SystemExit
        return self._log.append(crawl, event)

    def after(self, crawl: CrawlId, sequence: int, *, limit: int) -> list[LoggedEvent]:
        return self._log.after(crawl, sequence, limit=limit)


class Dying(Listener):
    """Events of a process that dies once, just before it publishes."""

    def publish(self, event: CrawlEvent) -> None:
        if self._refusals:
            self._refusals -= 1
            raise SystemExit
        super().publish(event)


def test_a_start_is_published_after_a_process_died_before_publishing(store: LocalStore, row: CrawlRow) -> None:
    listener = Dying(refusals=1)
    announcer = Announcer(log=store.event_log, events=listener)
    with pytest.raises(SystemExit):
        announcer.announce(start_event(row))
    announcer.announce(start_event(row))
    announcer.announce(start_event(row))
    assert [event.sequence for event in listener.published] == [0]
    assert [entry.kind for entry in store.event_log.after(row.id, -1, limit=9)] == [EventKind.STARTED]


def test_a_start_published_by_a_dead_process_keeps_its_number(store: LocalStore, row: CrawlRow) -> None:
    listener = Listener()
    announcer = Announcer(log=DyingLog(store.event_log), events=listener)
    with pytest.raises(SystemExit):
        announcer.announce(start_event(row))
    announcer.announce(start_event(row))
    assert [(event.kind, event.sequence) for event in listener.published] == [(EventKind.STARTED, 0)] * 2


def test_an_entry_in_the_middle_of_the_log_is_not_published_again(store: LocalStore, row: CrawlRow) -> None:
    listener = Listener()
    announcer = Announcer(log=store.event_log, events=listener)
    wave_2 = replace(start_event(row), kind=EventKind.PROGRESS, sequence=4)
    announcer.announce(wave_2)
    announcer.announce(start_event(row))
    announcer.announce(wave_2)
    assert [event.sequence for event in listener.published] == [4, 0]


def finish(store: LocalStore, row: CrawlRow) -> CrawlRow:
    """Leave a crawl in the state in which `finish_crawl` leaves it if pages changed."""
    data = {"status": "completed", "pages": 4, "root_url": "https://example.com/", "new": 2, "changed": 0, "gone": 1}
    store.event_log.append(row.id, LoggedEvent(sequence=1_999_999, kind=EventKind.CHANGED, at=8.0, data=data))
    store.crawls.finish(row.id, status=CrawlStatus.COMPLETED, now=8.0)
    over = store.crawls.read(row.id)
    assert over is not None
    return over


def test_the_end_has_the_statistics_of_the_results(row: CrawlRow) -> None:
    limits = frozenset({"max_pages", "budget"})
    outcome = CrawlOutcome(pages=7, errors=2, new=1, changed=3, gone=0, limits=limits)
    ended = replace(row, status=CrawlStatus.COMPLETED, started_at=10.0, finished_at=25.5, outcome=outcome)
    event = end_event(ended, pages=7)
    assert (event.kind, event.pages) == (EventKind.COMPLETED, 7)
    figures = {"errors": 2, "new": 1, "changed": 3, "gone": 0, "limits": ["budget", "max_pages"], "statistics": None}
    assert event.data == {"triggered_by": "command_line", "seconds": 15.5, **figures}
    assert end_event(replace(ended, outcome=None), pages=7).data == {"triggered_by": "command_line"}


def test_the_end_counts_urls_by_state_reason_and_status(tmp_path: Path) -> None:
    links = ("/a", "/b", "/gone", "https://elsewhere.example/")
    sitemaps = (SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/a"),)),)
    site = Site(pages=(page("/", *links), page("/a", "/", "/gone"), page("/b")), sitemaps=sitemaps)
    with SiteServer(site) as server:
        done = crawl_inline(server.url, tmp_path)
    *_, end = log_of(done, tmp_path)
    found = end.data["statistics"]
    assert isinstance(found, dict)
    assert found["states"] == {"fetched": 3, "not_found": 1, "skipped": 1}
    assert (found["urls"], found["statuses"], found["max_depth"]) == (5, {"200": 3, "404": 1}, 1)
    assert found["reasons"] == {"out_of_scope": 1, "status": 1}
    assert found["bytes"] == done.summary.bytes > 0
    assert (found["usd"], found["media"], found["checks"]) == (None, {}, {})
    _has_the_form_of_the_documentation(end)


def _has_the_form_of_the_documentation(end: LoggedEvent) -> None:
    """Compare an event with the examples of docs/operations.md: of the bus, and of a webhook."""
    text = (Path(__file__).parents[3] / "docs/operations.md").read_text("utf-8")
    section = text.partition("### Data of crawl.completed")[2].partition("\n## ")[0]
    on_bus, in_message = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", section, re.DOTALL))
    example = msgspec.convert(on_bus["detail"], CrawlEvent)
    assert json.loads(payload_of(example)) == in_message
    assert example.data.keys() | {"status", "pages", "root_url"} == end.data.keys()
    counted, found = example.data["statistics"], end.data["statistics"]
    assert isinstance(counted, dict)
    assert isinstance(found, dict)
    assert counted.keys() == found.keys()
    assert {name: type(one) for name, one in counted.items() if name != "usd"} == {
        name: type(one) for name, one in found.items() if name != "usd"
    }


def test_an_end_is_published_once_after_the_changes(store: LocalStore, row: CrawlRow) -> None:
    over = finish(store, row)
    listener = Listener()
    assert publish_ending(over, log=store.event_log, events=listener, pages=lambda: 4) is EventKind.COMPLETED
    assert publish_ending(over, log=store.event_log, events=listener, pages=lambda: 4) is None
    change, end = listener.published
    assert (change.kind, change.data, change.pages) == (EventKind.CHANGED, {"new": 2, "changed": 0, "gone": 1}, 4)
    assert (end.kind, end.pages, end.at) == (EventKind.COMPLETED, 4, 8.0)
    assert store.event_log.after(row.id, -1, limit=9)[-1].data["pages"] == 4


def test_fail_crawl_publishes_an_end_that_was_not_published(
    store: LocalStore, clock: StillClock, row: CrawlRow
) -> None:
    finish(store, row)
    listener = Listener()
    for news in (True, False):
        crawl, is_news = fail_crawl(row.id, ports(store, listener, clock), error="ABORTED", pages=lambda: 4)
        assert (crawl.status, crawl.error, is_news) == (CrawlStatus.COMPLETED, "", news)
    assert [event.kind for event in listener.published] == [EventKind.CHANGED, EventKind.COMPLETED]


def test_an_end_published_by_a_dead_process_keeps_its_number(store: LocalStore, row: CrawlRow) -> None:
    over = finish(store, row)
    listener = Listener()
    log = DyingLog(store.event_log)
    with pytest.raises(SystemExit):
        publish_ending(over, log=log, events=listener, pages=lambda: 4)
    publish_ending(over, log=log, events=listener, pages=lambda: 4)
    assert [event.sequence for event in listener.published] == [1_999_999, 2_000_000] * 2
