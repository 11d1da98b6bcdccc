from collections.abc import Sequence

import pytest

from wavecrawl.application.pages_so_far import (
    MOST_BATCHES,
    MOST_RECORDS,
    PagesSoFar,
    RecordPlace,
    pages_so_far,
)
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.batches import BatchSums
from wavecrawl.ports.results import PageFilter

CRAWL = CrawlId(tenant="t", site="example.com", crawl="c")
START = RecordPlace()


@pytest.fixture(name="ports")
def some_ports(store: LocalStore) -> Ports:
    return store


def record(key: str, state: UrlState = UrlState.FETCHED, status: int = 200) -> PageRecord:
    facts = PageFacts(title=f"Page {key}", word_count=7)
    return PageRecord(key=key, url=f"https://example.com/{key}", depth=1, state=state, status=status, facts=facts)


def complete(store: LocalStore, wave: int, batch: int, *records: PageRecord) -> None:
    """Let a worker complete a batch at its second attempt."""
    id_ = BatchId(crawl=CRAWL, wave=wave, batch=batch)
    store.batches.lease(id_, owner="dead", now=0.0, seconds=1.0)
    lease = store.batches.lease(id_, owner="worker", now=5.0, seconds=60.0)
    assert lease is not None
    archive = store.archive.open(id_, attempt=lease.attempt)
    for one in records:
        archive.add(one, [])
    archive.commit()
    assert store.batches.complete(lease, BatchSums())


def list_pages(
    ports: Ports,
    after: RecordPlace = START,
    *,
    limit: int = 100,
    running: bool = True,
    wanted: PageFilter | None = None,
) -> PagesSoFar:
    return pages_so_far(CRAWL, ports, after=after, limit=limit, running=running, wanted=wanted)


def keys(parts: Sequence[PagesSoFar] | PagesSoFar) -> list[str]:
    return [page.key for part in ([parts] if isinstance(parts, PagesSoFar) else parts) for page in part.pages]


def test_before_anything_is_done_there_are_no_pages(ports: Ports) -> None:
    assert list_pages(ports) == PagesSoFar(pages=(), following=START, at_end=True)


def test_pages_come_in_crawl_order_up_to_the_first_batch_that_is_not_done(store: LocalStore, ports: Ports) -> None:
    store.waves.create(CRAWL, 1, planned=1)
    store.waves.create(CRAWL, 2, planned=3)
    complete(store, 1, 0, record("root"))
    complete(store, 2, 2, record("late"))
    complete(store, 2, 0, record("b"), record("a"))
    first = list_pages(ports)
    assert keys(first) == ["root", "b", "a"]
    assert first.pages[0].title == "Page root"
    assert (first.pages[0].words, first.pages[0].in_links, first.at_end) == (7, None, True)
    assert keys(list_pages(ports, first.following)) == []
    complete(store, 2, 1, record("middle"))
    assert keys(list_pages(ports, first.following)) == ["middle", "late"]


def test_every_page_comes_once_however_small_the_parts_and_whenever_they_are_asked_for(
    store: LocalStore, ports: Ports
) -> None:
    store.waves.create(CRAWL, 1, planned=2)
    parts: list[PagesSoFar] = []
    place = START
    for step in range(12):
        if step == 1:
            complete(store, 1, 0, *(record(f"a{n}") for n in range(5)))
        if step == 5:
            complete(store, 1, 1, *(record(f"b{n}") for n in range(3)))
            store.waves.create(CRAWL, 2, planned=1)
            complete(store, 2, 0, record("c"))
        parts.append(list_pages(ports, place, limit=2, running=step < 8))
        place = parts[-1].following
    assert keys(parts) == ["a0", "a1", "a2", "a3", "a4", "b0", "b1", "b2", "c"]
    assert parts[-1].at_end


def test_a_batch_that_an_ended_crawl_left_undone_holds_nothing_up(store: LocalStore, ports: Ports) -> None:
    store.waves.create(CRAWL, 1, planned=3)
    complete(store, 1, 2, record("b"))
    complete(store, 1, 0, record("a"))
    assert keys(list_pages(ports, running=True)) == ["a"]
    assert keys(list_pages(ports, running=False)) == ["a", "b"]


def test_tries_that_are_repeated_and_hidden_pages_are_left_out(store: LocalStore, ports: Ports) -> None:
    store.waves.create(CRAWL, 1, planned=1)
    complete(store, 1, 0, record("a"), record("b", UrlState.DEFERRED, 503), record("c"))
    store.hidden.hide(CRAWL, "c", now=1.0)
    assert keys(list_pages(ports)) == ["a"]


def test_a_filter_that_takes_little_reads_a_bounded_number_of_batches(store: LocalStore, ports: Ports) -> None:
    store.waves.create(CRAWL, 1, planned=MOST_BATCHES + 1)
    for number in range(MOST_BATCHES):
        complete(store, 1, number, record(f"a{number}"))
    complete(store, 1, MOST_BATCHES, record("lost", UrlState.NOT_FOUND, 404))
    wanted = PageFilter(state=UrlState.NOT_FOUND)
    first = list_pages(ports, wanted=wanted)
    assert (keys(first), first.at_end) == ([], False)
    second = list_pages(ports, first.following, wanted=wanted)
    assert (keys(second), second.at_end) == (["lost"], True)


def test_a_filter_that_takes_little_reads_a_bounded_number_of_records(store: LocalStore, ports: Ports) -> None:
    batches = MOST_RECORDS // 100
    store.waves.create(CRAWL, 1, planned=batches + 1)
    for number in range(batches):
        complete(store, 1, number, *(record(f"a{number}-{n}") for n in range(100)))
    complete(store, 1, batches, record("lost", UrlState.NOT_FOUND, 404))
    wanted = PageFilter(state=UrlState.NOT_FOUND)
    first = list_pages(ports, wanted=wanted)
    assert (keys(first), first.at_end) == ([], False)
    second = list_pages(ports, first.following, wanted=wanted)
    assert (keys(second), second.at_end) == (["lost"], True)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (PageFilter(status=404), ["b"]),
        (PageFilter(depth=1), ["A", "b"]),
        (PageFilter(depth=2), []),
        (PageFilter(text="COM/a"), ["A"]),
        (PageFilter(content_type="text/html"), []),
    ],
)
def test_filters_take_what_they_say(store: LocalStore, ports: Ports, wanted: PageFilter, found: list[str]) -> None:
    store.waves.create(CRAWL, 1, planned=1)
    complete(store, 1, 0, record("A"), record("b", UrlState.NOT_FOUND, 404))
    assert keys(list_pages(ports, wanted=wanted)) == found
