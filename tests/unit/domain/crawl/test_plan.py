from collections.abc import Callable, Sequence
from itertools import chain

import msgspec
import pytest
from tests.support.short_keys import key_of, name_of

from wavecrawl.domain.crawl.batching import LONGEST_ITEMS, Speed
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.job import LONGEST_VALIDATOR, BatchId, BatchJob, BatchKind, CrawlId, Validators
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.plan import Plan, best_first_waves, plan_again, plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.urls.limits import MAX_URL_LENGTH
from wavecrawl.domain.urls.url import host_of, resolve

QUICK = Pace(interval=0.04, in_flight=5)
UNPACED = Pace(interval=0.0, in_flight=16)


def new(count: int, *, hosts: tuple[str, ...] = ("example.com",)) -> Frontier:
    frontier = Frontier()
    for n in range(count):
        host = hosts[n % len(hosts)]
        frontier.add(
            FoundUrl(
                url=f"https://{host}/{n}", key=key_of(str(n)), depth=1, parent=NO_PARENT,
                found_by=FoundBy.LINK, phase=Phase.BFS, wave=1,
            )
        )  # fmt: skip
    return frontier


def speed(pace: Pace, seconds: float = 0.0) -> Speed:
    return Speed(pace=pace, seconds_a_page=max(pace.interval, seconds))


def plan(
    frontier: Frontier, *, room: int = 1_000, clock: float = 1.0, waves: WaveSettings | None = None,
    interval: float = 0.0, pace_of: Callable[[str], Pace] = lambda _url: QUICK, seconds: float = 0.0,
) -> Plan:  # fmt: skip
    return plan_wave(
        frontier, wave=1, waves=waves or WaveSettings(), room=room, clock=clock, interval=interval,
        speed_of=lambda url: speed(pace_of(url), seconds),
    )  # fmt: skip


def keys(one: Plan) -> list[list[int]]:
    return [[int(name_of(item.key)) for item in batch.items] for batch in one.batches]


@pytest.mark.parametrize(
    ("urls", "sizes"),
    [
        (99, [25] * 3 + [24]),
        (100, [25] * 4),
        (101, [26] * 3 + [23]),
        (200, [50] * 4),
        (497, [100] * 4 + [97]),
        (2_050, [100] * 20 + [50]),
    ],
)
def test_a_large_wave_is_cut_into_large_batches(urls: int, sizes: list[int]) -> None:
    planned = plan(new(urls), room=urls)
    assert [len(batch.items) for batch in planned.batches] == sizes
    assert [batch.number for batch in planned.batches] == list(range(len(sizes)))
    assert [key for batch in keys(planned) for key in batch] == list(range(urls))


@pytest.mark.parametrize("pace", [QUICK, UNPACED])
def test_no_batch_is_larger_than_asked_for(pace: Pace) -> None:
    planned = plan(new(1_000), pace_of=lambda _url: pace, waves=WaveSettings(batch_size=10))
    assert max(len(batch.items) for batch in planned.batches) == 10


def test_batches_of_a_host_without_pauses_stay_small_however_large_the_wave() -> None:
    planned = plan(new(5_000), room=5_000, pace_of=lambda _url: UNPACED)
    assert max(len(batch.items) for batch in planned.batches) == 25


@pytest.mark.parametrize(
    "name",
    ["x" * MAX_URL_LENGTH, "?" + "\\" * MAX_URL_LENGTH, '"' * MAX_URL_LENGTH, "\u00e4" * MAX_URL_LENGTH,
     "?\U0001f577" * MAX_URL_LENGTH],
)  # fmt: skip
def test_a_batch_of_the_longest_urls_fits_one_message(name: str) -> None:
    longest = [(resolve(f"/{n:05}{name}", "https://example.com/") or "")[:MAX_URL_LENGTH] for n in range(800)]
    frontier = Frontier()
    for n, url in enumerate(longest):
        frontier.add(
            FoundUrl(
                url=url, key=f"{n:032x}", depth=10_000, parent=NO_PARENT, found_by=FoundBy.LINK, phase=Phase.BFS, wave=1
            )
        )
    planned = plan(frontier)
    jobs = [
        BatchJob(
            id=BatchId(crawl=CrawlId(tenant="t" * 64, site="s" * 300, crawl="c" * 64), wave=1, batch=batch.number),
            kind=BatchKind.FETCH, host=batch.host, items=batch.items, starts_at=1_790_000_000.123456, pace=QUICK,
        )
        for batch in planned.batches
    ]  # fmt: skip
    assert max(len(msgspec.json.encode(job)) for job in jobs) <= 256 * 1024
    assert [item.url for job in jobs for item in job.items] == longest


@pytest.mark.parametrize("sign", ["e", '"', "\x01", "\u00ff"])
def test_a_batch_of_the_longest_validators_fits_one_message(sign: str) -> None:
    asked: list[str] = []

    def validators_of(keys: Sequence[str]) -> dict[str, Validators]:
        asked.extend(keys)
        longest = sign * LONGEST_VALIDATOR
        return dict.fromkeys(keys[1:], Validators(etag=longest, last_modified=longest, record="r" * 500))

    planned = plan_wave(
        new(200), wave=1, waves=WaveSettings(), room=1_000, clock=1.0, interval=0.0, speed_of=lambda _: speed(QUICK),
        validators_of=validators_of,
    )  # fmt: skip
    items = [item for batch in planned.batches for item in batch.items]
    assert [item.key for item in items] == asked == [key_of(str(n)) for n in range(200)]
    assert [item.validators is None for item in items] == [True] + [False] * 199
    assert max(len(msgspec.json.encode(batch.items)) for batch in planned.batches) <= LONGEST_ITEMS


def test_a_batch_of_urls_beyond_the_usual_length_is_cut_where_its_message_is_full() -> None:
    frontier = Frontier()
    for n, length in enumerate((10, 65_536, 65_536, 10)):
        url = f"https://example.com/{n}?" + "x" * length
        frontier.add(
            FoundUrl(
                url=url, key=key_of(str(n)), depth=1, parent=NO_PARENT, found_by=FoundBy.LINK, phase=Phase.BFS, wave=1
            )
        )
    assert keys(plan(frontier)) == [[0, 1], [2, 3]]


def test_a_small_wave_is_cut_so_that_several_workers_share_it() -> None:
    assert [len(batch.items) for batch in plan(new(16), pace_of=lambda _url: UNPACED).batches] == [2] * 8
    assert [len(batch.items) for batch in plan(new(3), pace_of=lambda _url: UNPACED).batches] == [1] * 3


def test_the_last_batches_of_a_shared_wave_are_smaller_and_smaller() -> None:
    sizes = [len(batch.items) for batch in plan(new(300), pace_of=lambda _url: UNPACED).batches]
    assert sizes == [25] * 9 + [19, 14, 11, 8, 6, 6, 6, 5]
    assert sum(sizes) == 300


def test_batches_of_a_host_with_pauses_stay_large_to_the_end() -> None:
    assert [len(batch.items) for batch in plan(new(75)).batches] == [25] * 3


def test_a_small_wave_of_a_host_that_one_worker_keeps_up_with_is_one_batch() -> None:
    assert [len(batch.items) for batch in plan(new(16)).batches] == [16]


def test_a_plan_never_holds_more_than_there_is_room_for() -> None:
    frontier = new(50)
    assert sum(map(len, keys(plan(frontier, room=7)))) == 7
    assert sum(map(len, keys(plan(frontier, room=1_000)))) == 43


def test_without_room_nothing_is_planned() -> None:
    frontier = new(1)
    index = frontier.pop("example.com")
    assert index is not None
    frontier.defer(index, reason=Reason.STATUS, detail="", tries=1, due=5.0, not_before=5.0)
    assert plan(frontier, room=0).batches == ()


def test_a_wave_has_at_most_its_urls() -> None:
    assert sum(map(len, keys(plan(new(50), waves=WaveSettings(max_urls=20))))) == 20


def test_a_wave_holds_no_more_than_ten_minutes_of_polite_work() -> None:
    planned = plan(new(1_000), interval=1.0, pace_of=lambda _url: Pace(interval=1.0, in_flight=1))
    assert sum(map(len, keys(planned))) == 600
    assert planned.clock == 601.0


def test_a_wave_of_a_slow_host_lasts_no_longer_than_one_of_a_quick_host() -> None:
    # 10 s a page over 5 connections is 2 s a page, so 600 s are enough for 300 pages at any requested rate.
    assert sum(map(len, keys(plan(new(1_000), seconds=2.0)))) == 300
    assert sum(map(len, keys(plan(new(1_000), seconds=2.0, pace_of=lambda _url: UNPACED)))) == 300


def test_a_batch_of_a_slow_host_fits_into_its_workers_time() -> None:
    assert [len(batch.items) for batch in plan(new(30), seconds=10.0).batches] == [10, 10, 10]
    assert [len(batch.items) for batch in plan(new(2), seconds=900.0).batches] == [1]


def test_the_plans_clock_goes_by_the_pace_asked_for_not_by_the_hosts_mood() -> None:
    planned = plan(new(100), interval=0.1, pace_of=lambda _url: Pace(interval=2.0, in_flight=1))
    assert planned.clock == 11.0


def test_what_a_pause_left_over_is_planned_by_itself() -> None:
    frontier = new(10)
    plan(frontier, room=5)
    for index in (1, 3):
        frontier.defer(index, reason=Reason.HOST_PAUSED, detail="", tries=0, due=1.0, not_before=30.0)
    again = plan_again(frontier, [1, 3], wave=2, waves=WaveSettings(), clock=7.0, speed_of=lambda _: speed(QUICK))
    assert keys(again) == [[1, 3]]
    assert [batch.not_before for batch in again.batches] == [30.0]
    assert again.clock == 7.0
    assert frontier.next_due() is None


def test_slow_paces_get_batches_of_one_so_that_no_worker_sleeps() -> None:
    planned = plan(new(3), pace_of=lambda _url: Pace(interval=10.0, in_flight=1), waves=WaveSettings(min_batches=1))
    assert keys(planned) == [[0], [1], [2]]


def test_every_host_has_batches_of_its_own_and_its_own_bound() -> None:
    slow = Pace(interval=300.0, in_flight=1)
    frontier = new(8, hosts=("a.example", "b.example"))
    planned = plan(frontier, pace_of=lambda url: slow if "a.example" in url else QUICK)
    assert [(batch.host, [int(name_of(i.key)) for i in batch.items]) for batch in planned.batches] == [
        ("a.example", [0]), ("a.example", [2]), ("b.example", [1, 3, 5, 7]),
    ]  # fmt: skip
    assert keys(plan(frontier, pace_of=lambda _url: QUICK)) == [[4, 6]]


def two_hosts(first: int, second: int) -> Frontier:
    """Return a frontier in which all URLs of a.example are before those of b.example."""
    frontier = Frontier()
    for n in range(first + second):
        host = "a.example" if n < first else "b.example"
        frontier.add(
            FoundUrl(
                url=f"https://{host}/{n}", key=key_of(str(n)), depth=1, parent=NO_PARENT,
                found_by=FoundBy.LINK, phase=Phase.BFS, wave=1,
            )
        )  # fmt: skip
    return frontier


def urls_by_host(planned: Plan) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for batch in planned.batches:
        for host, items in batch.by_host().items():
            found.setdefault(host, []).extend(int(name_of(item.key)) for item in items)
    return found


def test_a_slow_host_does_not_keep_a_fast_host_out_of_the_wave() -> None:
    slow = Pace(interval=10.0, in_flight=1)
    planned = plan(two_hosts(5_100, 5_000), room=100_000, pace_of=lambda url: slow if "a.example" in url else UNPACED)
    found = urls_by_host(planned)
    assert list(found) == ["a.example", "b.example"]
    assert found["a.example"] == list(range(60))
    assert found["b.example"] == list(range(5_100, 5_100 + 4_940))


@pytest.mark.parametrize(("first", "second", "shares"), [(90, 90, (10, 10)), (90, 4, (16, 4)), (4, 90, (4, 16))])
def test_hosts_share_a_wave_equally_unless_one_needs_less(first: int, second: int, shares: tuple[int, int]) -> None:
    found = urls_by_host(plan(two_hosts(first, second), waves=WaveSettings(max_urls=20)))
    assert found == {
        "a.example": list(range(shares[0])),
        "b.example": list(range(first, first + shares[1])),
    }


@pytest.mark.parametrize(("room", "shares"), [(3, (3, 0)), (12, (10, 2)), (15, (10, 5))])
def test_the_last_pages_of_a_crawl_are_the_first_in_crawl_order(room: int, shares: tuple[int, int]) -> None:
    frontier = two_hosts(90, 90)
    found = urls_by_host(plan(frontier, room=room, waves=WaveSettings(max_urls=20)))
    assert [len(found.get(host, ())) for host in ("a.example", "b.example")] == list(shares)
    again = urls_by_host(plan(frontier, room=180 - room))
    planned = chain.from_iterable((*found.values(), *again.values()))
    assert sorted(planned) == list(range(180))


def test_hosts_beyond_the_size_of_a_wave_are_not_looked_at() -> None:
    looked_at: list[str] = []

    def pace_of(url: str) -> Pace:
        looked_at.append(host_of(url))
        return QUICK

    planned = plan(new(50, hosts=tuple(f"h{n}.example" for n in range(50))), room=7, pace_of=pace_of)
    assert [[*batch.by_host()] for batch in planned.batches] == [[f"h{n}.example" for n in range(7)]]
    assert set(looked_at) == {f"h{n}.example" for n in range(7)}


def test_an_unlimited_pace_has_no_bound_in_time() -> None:
    planned = plan(new(300), pace_of=lambda _url: Pace(interval=0.0, in_flight=16))
    assert sum(map(len, keys(planned))) == 300
    assert planned.clock == 2.0  # the shortest wave counts as one second


def test_retries_stand_apart_with_their_time() -> None:
    frontier = new(4)
    index = frontier.pop("example.com")
    assert index is not None
    frontier.defer(index, reason=Reason.STATUS, detail="", tries=1, due=2.0, not_before=77.0)
    planned = plan(frontier, clock=2.0, waves=WaveSettings(min_batches=1))
    assert keys(planned) == [[1, 2, 3], [0]]
    assert [batch.not_before for batch in planned.batches] == [0.0, 77.0]
    assert [item.tries for item in planned.batches[1].items] == [2]


def test_what_waits_does_not_hold_a_wave_up_and_is_not_forgotten() -> None:
    frontier = new(2)
    index = frontier.pop("example.com")
    assert index is not None
    frontier.defer(index, reason=Reason.STATUS, detail="", tries=1, due=500.0, not_before=77.0)
    assert keys(plan(frontier, clock=2.0)) == [[1]]
    last = plan(frontier, clock=3.0)
    assert keys(last) == [[0]]
    assert last.clock == 501.0
    assert plan(frontier, clock=last.clock).batches == ()


def test_a_host_keeps_its_port() -> None:
    assert host_of("http://example.com:8080/a?b") == "example.com:8080"


@pytest.mark.parametrize(("done", "most"), [(0, 32), (320, 32), (500, 50), (49_999, 4_999), (90_000, 5_000)])
def test_a_best_first_wave_is_small_in_comparison_with_the_crawl(done: int, most: int) -> None:
    assert best_first_waves(WaveSettings(), done).max_urls == most
    assert best_first_waves(WaveSettings(max_urls=10), done).max_urls == 10
