from contextlib import ExitStack
from itertools import pairwise
from threading import Thread, active_count

import pytest
from tests.support.patience import HANG, eventually
from tests.support.still_clock import StillClock

from wavecrawl.application.throttle import HOSTS_WITH_THREADS, Throttle
from wavecrawl.domain.politeness.pace import DRIFT, Pace
from wavecrawl.domain.politeness.strain import outcome_of


def test_starts_are_an_interval_apart() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock, chance=lambda: 0.0)
    starts: list[float] = []
    for _ in range(4):
        with throttle.slot("example.com", Pace(interval=0.5, in_flight=1), not_before=101.0):
            starts.append(clock.now())
    assert starts == pytest.approx([101.0, 101.5, 102.0, 102.5])


def test_starts_are_delayed_at_random_and_never_early() -> None:
    clock, chances = StillClock(100.0), iter((0.0, 0.0, 0.0, 1.0, 1.0, 0.5))
    throttle = Throttle(clock, chance=lambda: next(chances))
    starts: list[float] = []
    for _ in range(6):
        with throttle.slot("example.com", Pace(interval=1.0, in_flight=1), not_before=0.0):
            starts.append(clock.now())
    assert starts == pytest.approx([100.0, 101.0, 102.0, 103.0, 104.2, 105.25])


def test_a_turn_never_takes_more_time_than_was_reserved_for_it() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock, chance=lambda: 1.0)
    pace = Pace(interval=1.0, in_flight=1)
    turn = (1 + DRIFT) * pace.interval
    for batch in range(5):
        for number in range(10):
            opens_at = 100.0 + 10 * batch * turn
            with throttle.slot("example.com", pace, not_before=opens_at):
                assert clock.now() <= opens_at + number * turn + 1e-6


def test_lateness_never_becomes_a_burst() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock, chance=lambda: 0.0)
    pace = Pace(interval=0.5, in_flight=1)
    with throttle.slot("example.com", pace, not_before=0.0):
        clock.time += 10.0
    starts: list[float] = []
    for _ in range(3):
        with throttle.slot("example.com", pace, not_before=0.0):
            starts.append(clock.now())
    assert starts == pytest.approx([110.0, 110.5, 111.0])


def test_a_further_request_of_a_page_takes_a_turn_of_its_own() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock, chance=lambda: 0.0)
    pace = Pace(interval=0.5, in_flight=1)
    starts: list[float] = []
    with throttle.slot("example.com", pace, not_before=0.0):
        starts.append(clock.now())
        assert throttle.next_start("example.com", pace, not_after=101.0)
        starts.append(clock.now())
    with throttle.slot("example.com", pace, not_before=0.0):
        starts.append(clock.now())
    assert starts == pytest.approx([100.0, 100.5, 101.0])


@pytest.mark.parametrize("interval", [0.0, 5.0])
def test_a_slot_after_the_deadline_is_not_waited_for(interval: float) -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock, chance=lambda: 0.0)
    pace = Pace(interval=interval, in_flight=1)
    with throttle.slot("example.com", pace, not_before=0.0):
        clock.time += 1.0
        assert not throttle.next_start("example.com", pace, not_after=100.5)
        assert clock.now() == 101.0


def test_hosts_do_not_wait_for_each_other() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock, chance=lambda: 0.0)
    pace = Pace(interval=5.0, in_flight=1)
    for host in ("a.example", "b.example"):
        with throttle.slot(host, pace, not_before=0.0):
            assert clock.now() == 100.0


def test_the_number_of_open_requests_to_a_host_is_limited() -> None:
    throttle = Throttle(StillClock(100.0))
    pace = Pace(interval=0.0, in_flight=3)
    open_now, most = [0], [0]

    def work() -> None:
        for _ in range(200):
            with throttle.slot("example.com", pace, not_before=0.0):
                open_now[0] += 1
                most[0] = max(most[0], open_now[0])
                open_now[0] -= 1

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= most[0] <= 3
    assert open_now == [0]


def test_hosts_that_were_not_requested_for_long_have_no_threads() -> None:
    throttle = Throttle(StillClock(100.0))
    pace = Pace(interval=0.0, in_flight=3)
    before = active_count()
    for number in range(5 * HOSTS_WITH_THREADS):
        threads = throttle.threads(f"h{number}.example", pace)
        for done in [threads.submit(lambda: None) for _ in range(3)]:
            done.result()
    assert eventually(lambda: active_count() <= before + 3 * HOSTS_WITH_THREADS)


def test_an_evicted_pool_of_threads_still_runs_tasks() -> None:
    throttle = Throttle(StillClock(100.0))
    pace = Pace(interval=0.0, in_flight=1)
    first = throttle.threads("first.example", pace)
    assert throttle.threads("first.example", pace) is first
    others = [throttle.threads(f"h{number}.example", pace) for number in range(HOSTS_WITH_THREADS)]
    assert first.submit(lambda: 7).result() == 7
    assert throttle.threads("first.example", pace) is not first
    assert throttle.threads(f"h{HOSTS_WITH_THREADS - 1}.example", pace) is others[-1]


ADAPTIVE = Pace(interval=0.04, in_flight=5, max_interval=30.0)


def starts_after(throttle: Throttle, clock: StillClock, statuses: list[int | None], pace: Pace) -> list[float]:
    """Return the seconds between the last starts of a crawl whose responses have these statuses."""
    starts: list[float] = []
    for status in statuses:
        with throttle.slot("example.com", pace, not_before=0.0):
            starts.append(clock.now())
        throttle.observe("example.com", pace, outcome_of(status))
    return [round(later - start, 9) for start, later in pairwise(starts)]


def test_a_host_under_strain_is_slowed_down_within_the_batch() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock, chance=lambda: 0.0)
    apart = starts_after(throttle, clock, [500] * 34, ADAPTIVE)
    assert apart == [0.04] * 11 + [0.1] * 11 + [0.2] * 11


@pytest.mark.parametrize("status", [403, 429, 500, 503, None])
def test_a_host_that_only_fails_needs_a_pause_after_33_requests_then_after_11(status: int | None) -> None:
    throttle = Throttle(StillClock(100.0))
    opened = [throttle.observe("example.com", ADAPTIVE, outcome_of(status)) for _ in range(100)]
    assert [number for number, is_open in enumerate(opened, 1) if is_open] == [33, 44, 55, 66, 77, 88, 99]


def test_a_crawl_that_does_not_adapt_keeps_its_pace() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock, chance=lambda: 0.0)
    assert set(starts_after(throttle, clock, [500] * 40, Pace(interval=0.04, in_flight=5))) == {0.04}


def test_a_new_interval_of_the_planner_replaces_what_a_worker_found() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock, chance=lambda: 0.0)
    starts_after(throttle, clock, [500] * 30, ADAPTIVE)
    planned = Pace(interval=0.1, in_flight=2, max_interval=30.0)
    assert starts_after(throttle, clock, [200] * 3, planned)[1:] == [0.1]
    assert starts_after(throttle, clock, [500] * 13, planned)[-1] == 0.2


def test_a_strained_host_has_fewer_open_requests_and_more_again_afterwards() -> None:
    throttle = Throttle(StillClock(100.0))
    pace = Pace(interval=0.0, in_flight=5, max_interval=0.1)
    for _ in range(11):
        throttle.observe("example.com", pace, outcome_of(500))
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(throttle.slot("example.com", pace, not_before=0.0))
        more = [Thread(target=held.enter_context, args=(throttle.slot("example.com", pace, not_before=0.0),))]
        more[0].start()
        assert more[0].is_alive()
        for _ in range(1_000):
            throttle.observe("example.com", pace, outcome_of(200))
        more[0].join(timeout=HANG)
        assert not more[0].is_alive()


def test_a_pause_holds_for_all_batches_that_would_start_before_its_end() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock)
    throttle.pause("example.com", 30.0)
    throttle.pause("example.com", 10.0)
    clock.time += 5.0
    assert throttle.pause_left("example.com", wave=3, at=0.0) == 25.0
    assert throttle.pause_left("example.com", wave=3, at=130.0) == 0.0
    assert throttle.pause_left("other.example", wave=3, at=0.0) == 0.0
    clock.time += 25.0
    assert throttle.pause_left("example.com", wave=3, at=0.0) == 0.0


def test_a_pause_for_the_rest_of_a_wave_ends_with_it() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock)
    throttle.pause("example.com", 30.0, rest_of=3)
    clock.time += 60.0
    assert throttle.pause_left("example.com", wave=3, at=0.0) == 1.0
    assert throttle.pause_left("example.com", wave=4, at=0.0) == 0.0
