from threading import Thread, active_count

import pytest
from tests.support.patience import eventually
from tests.support.still_clock import StillClock

from wavecrawl.application.throttle import HOSTS_WITH_THREADS, Throttle
from wavecrawl.domain.politeness.pace import Pace


def test_starts_are_an_interval_apart() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock)
    starts: list[float] = []
    for _ in range(4):
        with throttle.slot("example.com", Pace(interval=0.5, in_flight=1), not_before=101.0):
            starts.append(clock.now())
    assert starts == pytest.approx([101.0, 101.51, 102.02, 102.53])  # with a fiftieth of slack


def test_lateness_never_becomes_a_burst() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock)
    pace = Pace(interval=0.5, in_flight=1)
    with throttle.slot("example.com", pace, not_before=0.0):
        clock.time += 10.0
    starts: list[float] = []
    for _ in range(3):
        with throttle.slot("example.com", pace, not_before=0.0):
            starts.append(clock.now())
    assert starts == pytest.approx([110.0, 110.51, 111.02])


def test_a_further_request_of_a_page_takes_a_turn_of_its_own() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock)
    pace = Pace(interval=0.5, in_flight=1)
    starts: list[float] = []
    with throttle.slot("example.com", pace, not_before=0.0):
        starts.append(clock.now())
        assert throttle.next_start("example.com", pace, not_after=101.0)
        starts.append(clock.now())
    with throttle.slot("example.com", pace, not_before=0.0):
        starts.append(clock.now())
    assert starts == pytest.approx([100.0, 100.51, 101.02])


@pytest.mark.parametrize("interval", [0.0, 5.0])
def test_a_slot_after_the_deadline_is_not_waited_for(interval: float) -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock)
    pace = Pace(interval=interval, in_flight=1)
    with throttle.slot("example.com", pace, not_before=0.0):
        clock.time += 1.0
        assert not throttle.next_start("example.com", pace, not_after=100.5)
        assert clock.now() == 101.0


def test_hosts_do_not_wait_for_each_other() -> None:
    clock = StillClock(100.0)
    throttle = Throttle(clock)
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
