"""A tenant has a limited number of running crawls; further ones are queued."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow

QUEUED, RUNNING, CANCELLED = CrawlStatus.QUEUED, CrawlStatus.RUNNING, CrawlStatus.CANCELLED


def queue(stores: Ports, number: int, tenant: str = "t") -> CrawlId:
    """Create a queued crawl of a site of its own."""
    id_ = CrawlId(tenant=tenant, site=f"{number}.example", crawl=f"c{number}")
    row = CrawlRow(
        id=id_, start_url="https://example.com/", root_url="", settings=CrawlSettings(), status=QUEUED, started_at=5.0,
        queued_at=5.0,
    )  # fmt: skip
    assert stores.crawls.create(row) is None
    return id_


def read(stores: Ports, crawl: CrawlId) -> CrawlRow:
    row = stores.crawls.read(crawl)
    assert row is not None
    return row


def test_queued_crawls_are_listed_from_the_oldest_up(stores: Ports) -> None:
    ids = [queue(stores, number) for number in (2, 1, 3)]
    queue(stores, 4, tenant="u")
    assert stores.crawls.queue("t") == [ids[1], ids[0], ids[2]]
    assert [row.status for row in stores.crawls.of_tenant("t", limit=9)] == [QUEUED] * 3


def test_as_many_crawls_run_as_the_limit_allows(stores: Ports) -> None:
    ids = [queue(stores, number) for number in range(3)]
    assert [stores.crawls.admit(id_, most=2, now=9.0) for id_ in ids] == [RUNNING, RUNNING, QUEUED]
    assert [read(stores, id_).status for id_ in ids] == [RUNNING, RUNNING, QUEUED]
    assert stores.crawls.admit(queue(stores, 4, tenant="u"), most=1, now=9.0) is RUNNING


def test_admitting_again_takes_no_further_room(stores: Ports) -> None:
    first, second = queue(stores, 1), queue(stores, 2)
    assert [stores.crawls.admit(first, most=2, now=9.0) for _ in range(3)] == [RUNNING] * 3
    assert stores.crawls.admit(second, most=2, now=9.0) is RUNNING


def test_a_crawl_that_ends_makes_room_once(stores: Ports) -> None:
    ids = [queue(stores, number) for number in range(4)]
    for id_ in ids[:2]:
        stores.crawls.admit(id_, most=2, now=9.0)
    for _ in range(2):
        stores.crawls.finish(ids[0], status=CrawlStatus.COMPLETED, now=10.0)
    assert [stores.crawls.admit(id_, most=2, now=11.0) for id_ in ids] == [
        CrawlStatus.COMPLETED,
        RUNNING,
        RUNNING,
        QUEUED,
    ]


def test_a_launched_crawl_leaves_the_queue(stores: Ports) -> None:
    first, second = queue(stores, 1), queue(stores, 2)
    stores.crawls.admit(first, most=1, now=9.0)
    assert stores.crawls.queue("t") == [first, second]
    for _ in range(2):
        stores.crawls.launched(first, resumes=0)
    assert stores.crawls.queue("t") == [second]


def test_a_queued_crawl_holds_its_site_and_can_be_ended(stores: Ports) -> None:
    first = queue(stores, 1)
    other = CrawlRow(
        id=CrawlId(tenant="t", site="1.example", crawl="c9"), start_url="https://example.com/", root_url="",
        settings=CrawlSettings(),
    )  # fmt: skip
    assert stores.crawls.create(other) == "c1"
    assert stores.crawls.ask_to_cancel(first)
    assert stores.crawls.finish(first, status=CANCELLED, now=9.0)
    assert (read(stores, first).status, stores.crawls.queue("t")) == (CANCELLED, [])
    assert stores.crawls.admit(first, most=5, now=9.0) is CANCELLED
    assert stores.crawls.create(other) is None


def test_the_time_in_the_queue_is_stored(stores: Ports) -> None:
    first = queue(stores, 1)
    stores.crawls.admit(first, most=1, now=65.5)
    assert (read(stores, first).started_at, read(stores, first).waited) == (5.0, 60.5)


def test_what_does_not_exist_is_not_admitted(stores: Ports, crawl: CrawlId) -> None:
    assert stores.crawls.admit(crawl, most=9, now=1.0) is None
    stores.crawls.launched(crawl, resumes=0)


def test_the_limit_holds_for_many_at_once(another: Callable[[], Ports]) -> None:
    workers = [another() for _ in range(4)]
    ids = [queue(workers[0], number) for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        jobs = [pool.submit(workers[n % 4].crawls.admit, id_, most=5, now=9.0) for n, id_ in enumerate(ids)]
        after = [job.result() for job in jobs]
    assert (after.count(RUNNING), after.count(QUEUED)) == (5, 7)
    assert [read(workers[0], id_).status for id_ in ids].count(RUNNING) == 5


def test_a_crawl_that_was_resumed_stays_in_the_queue_when_its_earlier_start_is_noted(stores: Ports) -> None:
    crawl = queue(stores, 1)
    stores.crawls.admit(crawl, most=1, now=6.0)
    stores.crawls.finish(crawl, status=CrawlStatus.FAILED, now=9.0)
    assert stores.crawls.resume(crawl) is None
    stores.crawls.launched(crawl, resumes=0)
    assert stores.crawls.queue("t") == [crawl]
    stores.crawls.launched(crawl, resumes=1)
    assert stores.crawls.queue("t") == []


def test_a_failed_crawl_is_queued_again_with_its_site(stores: Ports) -> None:
    first = queue(stores, 1)
    stores.crawls.admit(first, most=1, now=6.0)
    stores.crawls.launched(first, resumes=0)
    stores.crawls.ask_to_cancel(first)
    stores.crawls.finish(first, status=CrawlStatus.FAILED, now=9.0, error="why")
    assert stores.crawls.resume(first) is None
    resumed = read(stores, first)
    assert (resumed.status, resumed.resumes, resumed.cancel_asked) == (QUEUED, 1, False)
    assert (resumed.finished_at, resumed.error, resumed.queued_at) == (0.0, "", 9.0)
    assert stores.crawls.queue("t") == [first]
    other = CrawlRow(
        id=CrawlId(tenant="t", site="1.example", crawl="c9"), start_url="https://example.com/", root_url="",
        settings=CrawlSettings(),
    )  # fmt: skip
    assert stores.crawls.create(other) == "c1"
    assert stores.crawls.resume(first) is QUEUED
    assert stores.crawls.admit(first, most=1, now=109.0) is RUNNING
    assert read(stores, first).waited == 101.0  # one second in the queue, 100 after the end


def test_a_crawl_is_not_resumed_beside_another_of_its_site(stores: Ports) -> None:
    first = queue(stores, 1)
    stores.crawls.finish(first, status=CANCELLED, now=9.0)
    other = CrawlRow(
        id=CrawlId(tenant="t", site="1.example", crawl="c9"), start_url="https://example.com/", root_url="",
        settings=CrawlSettings(),
    )  # fmt: skip
    stores.crawls.create(other)
    assert stores.crawls.resume(first) == "c9"
    assert read(stores, first).status is CANCELLED
    stores.crawls.finish(other.id, status=CrawlStatus.COMPLETED, now=10.0)
    assert stores.crawls.resume(other.id) is CrawlStatus.COMPLETED
    assert stores.crawls.queue("t") == []


def test_what_does_not_exist_is_not_resumed(stores: Ports, crawl: CrawlId) -> None:
    with pytest.raises(NotFoundError):
        stores.crawls.resume(crawl)
