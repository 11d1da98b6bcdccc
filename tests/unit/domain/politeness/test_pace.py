import pytest
from msgspec.structs import replace

from wavecrawl.domain.politeness.host_state import HostState
from wavecrawl.domain.politeness.pace import (
    DRIFT,
    Pace,
    interval_between_workers,
    jittered,
    pace_for,
    seconds_a_page,
    slowed_to,
    turn,
)
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.strain import Strain

SETTINGS = PoliteSettings()
DELAYED = 1.05  # starts are delayed at random, on average by a twentieth
HOST = HostState(host="example.com")
PACE = Pace(interval=0.04, in_flight=5, max_interval=30.0)


def strained(interval: float) -> HostState:
    return replace(HOST, strain=Strain(interval=interval))


def test_the_default_pace_is_five_starts_in_200_ms() -> None:
    assert pace_for(SETTINGS, crawl_delay=None, host=HOST) == PACE


def test_crawl_delay_wins_and_means_one_at_a_time() -> None:
    delayed = Pace(interval=3.0, in_flight=1, crawl_delay=3.0, max_interval=30.0)
    assert pace_for(SETTINGS, crawl_delay=3.0, host=HOST) == delayed
    assert pace_for(SETTINGS, crawl_delay=3.0, host=strained(5.0)) == replace(delayed, interval=5.0)


def test_a_crawl_delay_is_never_longer_than_the_longest_allowed() -> None:
    assert pace_for(SETTINGS, crawl_delay=1e9, host=HOST).interval == 300.0


def test_a_strained_host_gets_fewer_requests_per_second_and_fewer_at_once() -> None:
    paces = [pace_for(SETTINGS, crawl_delay=None, host=strained(interval)) for interval in (0.05, 0.1, 0.2, 30.0)]
    assert [(pace.interval, pace.in_flight) for pace in paces] == [(0.05, 4), (0.1, 2), (0.2, 1), (30.0, 1)]


def test_a_crawl_that_is_slower_than_the_host_requires_stays_as_it_is() -> None:
    own = PoliteSettings(interval=2.0, in_flight=3)
    pace = pace_for(own, crawl_delay=None, host=strained(1.0))
    assert (pace.interval, pace.in_flight) == (2.0, 3)
    assert slowed_to(pace, 4.0).in_flight == 2


def test_each_crawl_decides_how_far_it_slows_down() -> None:
    assert pace_for(PoliteSettings(max_interval=0.0), crawl_delay=None, host=strained(5.0)).interval == 0.04
    assert pace_for(PoliteSettings(max_interval=2.0), crawl_delay=None, host=strained(5.0)).interval == 2.0


@pytest.mark.parametrize("settings", [PoliteSettings(adapt=False), PoliteSettings(interval=0.0, adapt=False)])
def test_a_crawl_that_ignores_latency_slows_down_at_a_strained_host(settings: PoliteSettings) -> None:
    assert pace_for(settings, crawl_delay=None, host=strained(5.0)).interval == 5.0


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [
        (PoliteSettings(), 0.04),
        (PoliteSettings(interval=60.0), 0.04),
        (PoliteSettings(interval=86_400.0, in_flight=1), 0.04),
        (PoliteSettings(interval=0.01), 0.01),
        (PoliteSettings(interval=0.0), 0.0),
    ],
)
def test_a_crawl_takes_no_more_of_the_hosts_time_than_the_default_interval(
    settings: PoliteSettings, seconds: float
) -> None:
    assert turn(pace_for(settings, crawl_delay=None, host=HOST), HOST) == pytest.approx(DELAYED * seconds)


def test_a_crawl_that_wants_to_be_slower_than_the_crawl_delay_is_slower() -> None:
    assert pace_for(PoliteSettings(interval=60.0), crawl_delay=10.0, host=HOST).interval == 60.0
    assert pace_for(PoliteSettings(interval=5.0), crawl_delay=10.0, host=HOST).interval == 10.0


def test_a_turn_is_as_long_as_the_host_requires() -> None:
    assert turn(pace_for(SETTINGS, crawl_delay=3.0, host=HOST), HOST) == pytest.approx(DELAYED * 3.0)
    slow = replace(strained(0.5), latency=4.0)
    assert turn(pace_for(SETTINGS, crawl_delay=None, host=strained(0.5)), strained(0.5)) == pytest.approx(DELAYED * 0.5)
    assert turn(pace_for(SETTINGS, crawl_delay=None, host=slow), slow) == pytest.approx(DELAYED * 0.8)
    alone = PoliteSettings(in_flight=1)
    assert turn(pace_for(alone, crawl_delay=None, host=slow), slow) == pytest.approx(DELAYED * 0.8), (
        "its own limit is its own"
    )


def test_workers_of_a_slow_host_start_so_far_apart_that_few_requests_are_open() -> None:
    assert interval_between_workers(PACE, latency=0.0) == pytest.approx(DELAYED * 0.04)
    assert interval_between_workers(PACE, latency=0.1) == pytest.approx(DELAYED * 0.04)
    assert interval_between_workers(PACE, latency=0.5) == pytest.approx(DELAYED * 0.1)
    assert interval_between_workers(Pace(interval=0.0, in_flight=5), latency=0.5) == pytest.approx(DELAYED * 0.0)


def test_a_host_is_as_fast_as_its_responses_and_no_faster_than_its_pace() -> None:
    assert seconds_a_page(PACE, host=replace(HOST, occupied=10.0), timeout=20.0) == 2.0
    assert seconds_a_page(PACE, host=replace(HOST, occupied=0.1), timeout=20.0) == 0.04
    assert seconds_a_page(PACE, host=HOST, timeout=20.0) == 4.0  # unknown: assume the full timeout


def test_starts_are_delayed_by_up_to_a_fifth_of_the_interval() -> None:
    delays = [jittered(1.0, number / 1_000, most=1.0) for number in range(1_001)]
    assert (min(delays), max(delays)) == (1.0, 1.2)
    assert sum(delays) / len(delays) == pytest.approx(1 + DRIFT, abs=0.001)
    assert jittered(1.0, 1.0, most=0.1) == 1.1
