"""Hosts with few URLs share batches, as each batch has a cost."""

from collections.abc import Callable
from hashlib import sha256

import msgspec
import pytest

from wavecrawl.domain.crawl.batching import PlannedBatch, Speed
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId, HostPart
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.plan import plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.urls.url import host_of


def key_of(url: str) -> str:
    return sha256(url.encode()).hexdigest()[:32]


QUICK = Pace(interval=0.04, in_flight=5)
UNKNOWN = Speed(pace=QUICK, seconds_a_page=2.0)  # as `seconds_a_page` assumes of a host without a response
KNOWN = Speed(pace=QUICK, seconds_a_page=0.06)  # 300 ms per response
DELAYED = Speed(pace=Pace(interval=30.0, in_flight=1), seconds_a_page=30.0)
PAUSED = Speed(pace=QUICK, seconds_a_page=0.06, paused_until=1.0)
UNPACED = Speed(pace=Pace(interval=0.0, in_flight=16), seconds_a_page=0.02)


def frontier_of(counts: dict[str, int], *, found_by: Callable[[str], FoundBy] = lambda _: FoundBy.LIST) -> Frontier:
    """Return a frontier with that many URLs of each host."""
    frontier = Frontier()
    for host, count in counts.items():
        for number in range(count):
            url = f"https://{host}/{number}"
            frontier.add(
                FoundUrl(
                    url=url,
                    key=key_of(url),
                    depth=0,
                    parent=NO_PARENT,
                    found_by=found_by(host),
                    phase=Phase.BFS,
                    wave=1,
                )
            )
    return frontier


def planned(
    frontier: Frontier, speeds: Callable[[str], Speed] = lambda _: KNOWN, *, waves: WaveSettings | None = None
) -> tuple[PlannedBatch, ...]:
    return plan_wave(
        frontier,
        wave=1,
        waves=waves or WaveSettings(),
        room=10_000,
        clock=1.0,
        interval=0.0,
        speed_of=lambda url: speeds(host_of(url)),
    ).batches


def shape(batches: tuple[PlannedBatch, ...]) -> list[dict[str, int]]:
    """Return the number of URLs of each host, for each batch."""
    return [{host: len(items) for host, items in batch.by_host().items()} for batch in batches]


def hosts(count: int) -> list[str]:
    return [f"h{number:04d}.example" for number in range(count)]


@pytest.mark.parametrize(("speed", "size"), [(KNOWN, 100), (UNKNOWN, 50), (DELAYED, 10)])
def test_a_list_with_one_url_for_each_host_is_cut_into_large_batches(speed: Speed, size: int) -> None:
    """The expected time of a batch is limited. A host that was never requested may take the whole time-out."""
    batches = planned(frontier_of(dict.fromkeys(hosts(1_000), 1)), lambda _: speed)
    assert {len(batch.items) for batch in batches} == {size}
    assert all(batch.shared and len(batch.by_host()) == size for batch in batches)
    assert [item.url for batch in batches for item in batch.items] == [f"https://{host}/0" for host in hosts(1_000)]


def test_the_urls_of_a_host_are_in_one_batch() -> None:
    batches = planned(frontier_of(dict.fromkeys(hosts(40), 7)))
    assert len(batches) < 40
    assert all(set(found.values()) == {7} for found in shape(batches))
    assert sum(map(len, shape(batches))) == 40


def test_hosts_with_many_urls_have_batches_of_their_own_and_the_order_stays() -> None:
    counts = {"a.example": 1, "b.example": 2, "large.example": 30, "c.example": 1, "d.example": 3}
    assert shape(planned(frontier_of(counts))) == [
        {"a.example": 1, "b.example": 2},
        {"large.example": 25},
        {"large.example": 5},
        {"c.example": 1, "d.example": 3},
    ]


@pytest.mark.parametrize("speed", [KNOWN, UNKNOWN, DELAYED, PAUSED, UNPACED])
def test_what_hosts_share_does_not_change_the_order_of_their_urls(speed: Speed) -> None:
    """Gather follows links in this order, so the result of a crawl does not depend on how its batches are cut."""
    counts = {host: 1 + number % 6 for number, host in enumerate(hosts(50))}
    alone = planned(frontier_of(counts), lambda _: PAUSED)
    mixed = planned(frontier_of(counts), lambda host: speed if host.endswith(("3.example", "4.example")) else KNOWN)
    assert not any(batch.shared for batch in alone)
    assert any(batch.shared for batch in mixed)
    assert [item.key for one in mixed for item in one.items] == [item.key for one in alone for item in one.items]


def test_a_host_that_has_to_wait_shares_with_no_other() -> None:
    counts = {"a.example": 1, "slow.example": 2, "b.example": 1, "paused.example": 1, "c.example": 1}
    speeds = {"slow.example": DELAYED, "paused.example": PAUSED}
    assert shape(planned(frontier_of(counts), lambda host: speeds.get(host, KNOWN))) == [
        {"a.example": 1},
        {"slow.example": 1},
        {"slow.example": 1},
        {"b.example": 1},
        {"paused.example": 1},
        {"c.example": 1},
    ]


def test_a_retry_shares_with_no_other() -> None:
    frontier = frontier_of(dict.fromkeys("abcd", 1))
    frontier.pop("b")
    frontier.plan(1, wave=0, batch=0)
    frontier.defer(1, reason=Reason.TIMEOUT, detail="", tries=1, due=0.5, not_before=7.0)
    assert shape(planned(frontier)) == [{"a": 1}, {"b": 1}, {"c": 1, "d": 1}]


def test_a_batch_has_one_kind_of_urls() -> None:
    counts = {"a.example": 1, "b.example": 1, "checked.example": 1, "also-checked.example": 1}
    frontier = frontier_of(counts, found_by=lambda host: FoundBy.CHECKED_LINK if "checked" in host else FoundBy.LIST)
    found = [(batch.kind, [*batch.by_host()]) for batch in planned(frontier)]
    assert found == [
        (BatchKind.FETCH, ["a.example", "b.example"]),
        (BatchKind.CHECK, ["checked.example", "also-checked.example"]),
    ]


def test_hosts_without_an_interval_are_divided_among_the_workers() -> None:
    batches = planned(frontier_of(dict.fromkeys(hosts(40), 1)), lambda _: UNPACED)
    assert max(len(batch.items) for batch in batches) == 5  # 40 URLs, eight batches (waves.min_batches)
    assert len(batches) == 8


def test_a_batch_of_many_hosts_with_long_names_and_urls_fits_one_message() -> None:
    names = [f"{'x' * 60}.{'y' * 60}.{'z' * 60}.{number:04d}.example" for number in range(300)]
    frontier = Frontier()
    for name in names:
        url = f"https://{name}/" + "%22" * 600
        frontier.add(
            FoundUrl(
                url=url, key=key_of(url), depth=0, parent=NO_PARENT, found_by=FoundBy.LIST, phase=Phase.BFS, wave=1
            )
        )
    batches = planned(frontier)
    assert [host for batch in batches for host in batch.by_host()] == names
    for batch in batches:
        parts = tuple(
            HostPart(host=host, count=len(items), starts_at=1_790_000_000.123456, pace=QUICK)
            for host, items in batch.by_host().items()
        )
        job = BatchJob(
            id=BatchId(crawl=CrawlId(tenant="t" * 64, site="s" * 300, crawl="c" * 64), wave=1, batch=batch.number),
            kind=BatchKind.FETCH,
            host=batch.host,
            items=batch.items,
            starts_at=1_790_000_000.123456,
            pace=QUICK,
            parts=parts,
        )
        assert len(msgspec.json.encode(job)) <= 256 * 1024
