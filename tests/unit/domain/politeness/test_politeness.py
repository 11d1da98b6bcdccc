from dataclasses import replace

import pytest

from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.adaptive_pace import adapt
from wavecrawl.domain.politeness.circuit_breaker import given_up
from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.pace import Pace, interval_between_workers, pace_for, seconds_a_page
from wavecrawl.domain.politeness.windows import reserve

SETTINGS = PoliteSettings()
HOST = HostState(host="example.com")
GOOD = Feedback(responses=10, latency=0.05, ended_at=1_000.0)


def test_the_default_pace_is_five_starts_in_200_ms() -> None:
    assert pace_for(SETTINGS, crawl_delay=None, host=HOST) == Pace(interval=0.04, in_flight=5)


def test_crawl_delay_wins_and_means_one_at_a_time() -> None:
    assert pace_for(SETTINGS, crawl_delay=3.0, host=HOST) == Pace(interval=3.0, in_flight=1)
    slow = replace(HOST, interval=5.0)
    assert pace_for(SETTINGS, crawl_delay=3.0, host=slow) == Pace(interval=5.0, in_flight=1)


def test_a_strained_host_is_asked_more_slowly() -> None:
    assert pace_for(SETTINGS, crawl_delay=None, host=replace(HOST, interval=0.2)).interval == 0.2


def test_workers_of_a_slow_host_start_so_far_apart_that_few_requests_are_open() -> None:
    pace = Pace(interval=0.04, in_flight=5)
    assert interval_between_workers(pace, latency=0.0) == 0.04
    assert interval_between_workers(pace, latency=0.1) == 0.04
    assert interval_between_workers(pace, latency=0.5) == 0.1
    assert interval_between_workers(Pace(interval=0.0, in_flight=5), latency=0.5) == 0.0


def test_a_host_is_as_quick_as_it_answers_and_no_quicker_than_its_pace() -> None:
    pace = Pace(interval=0.04, in_flight=5)
    assert seconds_a_page(pace, host=replace(HOST, occupied=10.0), timeout=20.0) == 2.0
    assert seconds_a_page(pace, host=replace(HOST, occupied=0.1), timeout=20.0) == 0.04
    assert seconds_a_page(pace, host=HOST, timeout=20.0) == 4.0  # unknown: assume the full timeout


def test_a_host_is_known_to_be_slow_at_once_and_to_be_quick_after_a_while() -> None:
    slow = adapt(adapt(HOST, replace(GOOD, occupied=0.1), SETTINGS), replace(GOOD, occupied=10.0, of="2"), SETTINGS)
    assert slow.occupied == 10.0
    assert adapt(slow, replace(GOOD, occupied=0.1, of="3"), SETTINGS).occupied == pytest.approx(7.03)


def test_two_crawls_reserve_one_after_the_other() -> None:
    state, first = reserve(HOST, holder="a", count=100, interval=0.04, now=50.0)
    state, second = reserve(state, holder="b", count=10, interval=0.04, now=50.0)
    assert (first.opens_at, second.opens_at) == (50.0, 54.0)
    assert second.start_of(3) == pytest.approx(54.12)
    assert state.next_free == pytest.approx(54.4)


def test_who_reserves_again_gives_back_what_was_not_used() -> None:
    state, _ = reserve(HOST, holder="a", count=1_000, interval=0.04, now=50.0)
    _, again = reserve(state, holder="a", count=10, interval=0.04, now=55.0)
    assert again.opens_at == pytest.approx(55.04)  # its last start may have been just now


def test_the_pace_outlasts_the_end_of_a_wave() -> None:
    host, now, starts = HOST, 1_000.0, []
    for _ in range(4):  # waves of one URL take two seconds, and the interval is ten seconds
        host, window = reserve(host, holder="a", count=1, interval=10.0, now=now)
        starts.append(window.opens_at)
        now = window.opens_at + 2.0
    assert starts == [1_000.0, 1_010.0, 1_020.0, 1_030.0]


def test_a_wave_that_is_gathered_again_changes_nothing() -> None:
    strained = Feedback(responses=1, strained=1, ended_at=1_000.0, of="c/7")
    once = adapt(HOST, strained, SETTINGS)
    assert once.interval == 0.1
    assert adapt(once, strained, SETTINGS) == once
    assert adapt(once, replace(strained, of="c/8"), SETTINGS).interval == 0.2


def test_who_reserves_again_waits_behind_others() -> None:
    state, _ = reserve(HOST, holder="a", count=100, interval=0.04, now=50.0)
    state, _ = reserve(state, holder="b", count=100, interval=0.04, now=50.0)
    _, again = reserve(state, holder="a", count=1, interval=0.04, now=51.0)
    assert again.opens_at == 58.0


def test_a_pause_moves_the_window() -> None:
    _, window = reserve(replace(HOST, paused_until=99.0), holder="a", count=1, interval=0.04, now=50.0)
    assert window.opens_at == 99.0


def test_strain_halves_the_rate_and_calm_raises_it_step_by_step() -> None:
    strained = adapt(HOST, replace(GOOD, strained=1), SETTINGS)
    assert strained.interval == 0.1  # the first step from 40 ms
    twice = adapt(strained, replace(GOOD, strained=1), SETTINGS)
    assert twice.interval == 0.2
    calm = adapt(twice, GOOD, SETTINGS)
    assert calm.interval == pytest.approx(1 / 6)  # five a second become six
    for _ in range(30):
        calm = adapt(calm, GOOD, SETTINGS)
    assert calm.interval == 0.04  # never shorter than in the settings


def test_the_slowest_pace_is_a_setting() -> None:
    host = replace(HOST, interval=20.0)
    assert adapt(host, replace(GOOD, strained=1), SETTINGS).interval == 30.0


def test_faults_beyond_a_fifth_are_strain() -> None:
    assert adapt(HOST, replace(GOOD, faults=2), SETTINGS).interval == 0.04
    assert adapt(HOST, replace(GOOD, faults=3), SETTINGS).interval == 0.1


def test_rising_latency_is_strain() -> None:
    known = adapt(HOST, GOOD, SETTINGS)
    assert known.latency == 0.05
    assert adapt(known, replace(GOOD, latency=0.09), SETTINGS).interval == 0.04
    risen = adapt(known, replace(GOOD, latency=0.2), SETTINGS)
    assert risen.interval == 0.1
    assert risen.latency == pytest.approx(0.7 * 0.05 + 0.3 * 0.2)


@pytest.mark.parametrize(("latency", "interval"), [(0.04, 0.0), (0.05, 0.1)])
def test_milliseconds_are_no_strain_also_where_no_pace_is_asked_for(latency: float, interval: float) -> None:
    settings = PoliteSettings(interval=0.0)
    quick = adapt(HostState(host="h"), replace(GOOD, latency=0.002), settings)
    assert adapt(quick, replace(GOOD, latency=latency), settings).interval == interval


def test_without_adapting_the_pace_stays() -> None:
    settings = replace(SETTINGS, adapt=False)
    assert adapt(HOST, replace(GOOD, strained=5), settings).interval == 0.04


def test_retry_after_pauses_the_host_up_to_a_limit() -> None:
    assert adapt(HOST, replace(GOOD, strained=1, retry_after=7.0), SETTINGS).paused_until == 1_007.0
    assert adapt(HOST, replace(GOOD, strained=1, retry_after=1e9), SETTINGS).paused_until == 4_600.0


def test_the_circuit_opens_longer_each_time_and_closes_with_an_answer() -> None:
    dead = Feedback(faults=5, ended_at=1_000.0)
    once = adapt(HOST, dead, SETTINGS)
    assert (once.strikes, once.paused_until) == (1, 1_030.0)
    twice = adapt(once, dead, SETTINGS)
    assert (twice.strikes, twice.paused_until) == (2, 1_060.0)
    assert adapt(twice, GOOD, SETTINGS).strikes == 0


def test_a_single_fault_opens_nothing() -> None:
    assert adapt(HOST, Feedback(faults=2, ended_at=1.0), SETTINGS).strikes == 0


def test_a_host_is_given_up_after_its_pauses() -> None:
    assert not given_up(replace(HOST, strikes=5), SETTINGS)
    assert given_up(replace(HOST, strikes=6), SETTINGS)


def test_a_wave_without_requests_says_nothing() -> None:
    assert adapt(HOST, Feedback(), SETTINGS) is HOST
