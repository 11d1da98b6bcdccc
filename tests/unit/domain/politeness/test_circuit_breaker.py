import pytest
from msgspec.structs import replace

from wavecrawl.domain.politeness.adaptive_pace import adapt
from wavecrawl.domain.politeness.circuit_breaker import given_up, paused_until
from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.settings import PoliteSettings

SETTINGS = PoliteSettings()
HOST = HostState(host="example.com")
GOOD = Feedback(outcomes="gggg", latency=0.05, ended_at=1_000.0)
REFUSED = Feedback(outcomes="gggr", latency=0.05, retry_from=1_000.0, ended_at=1_001.0)
DEAD = Feedback(outcomes="ttttt", ended_at=1_000.0)


def test_a_host_without_faults_is_not_paused() -> None:
    assert paused_until(adapt(HOST, GOOD), SETTINGS) == 0.0


def test_retry_after_pauses_the_host_up_to_a_limit_of_the_crawl() -> None:
    asked = adapt(HOST, replace(REFUSED, retry_after=7.0))
    assert paused_until(asked, SETTINGS) == 1_007.0
    long = adapt(HOST, replace(REFUSED, retry_after=1e9))
    assert paused_until(long, SETTINGS) == 4_600.0
    assert paused_until(long, PoliteSettings(max_retry_after=60.0)) == 1_060.0


def test_the_retry_after_that_ends_last_counts() -> None:
    long = adapt(HOST, replace(REFUSED, retry_after=100.0))
    assert paused_until(adapt(long, replace(REFUSED, retry_after=5.0, retry_from=1_050.0)), SETTINGS) == 1_100.0
    assert paused_until(adapt(long, replace(REFUSED, retry_after=80.0, retry_from=1_050.0)), SETTINGS) == 1_130.0


def test_the_circuit_opens_longer_each_time_and_closes_with_a_response() -> None:
    once = adapt(HOST, DEAD)
    assert (once.strikes, paused_until(once, SETTINGS)) == (1, 1_030.0)
    twice = adapt(once, DEAD)
    assert (twice.strikes, paused_until(twice, SETTINGS)) == (2, 1_060.0)
    assert adapt(twice, GOOD).strikes == 0


def test_a_pause_stops_growing_at_the_number_of_pauses_a_crawl_waits_for() -> None:
    host = replace(HOST, strikes=1_000_000, struck_at=1_000.0)
    assert paused_until(host, SETTINGS) == 1_480.0
    assert paused_until(host, PoliteSettings(cooldown=1.0, max_cooldowns=10)) == 1_512.0
    assert paused_until(host, PoliteSettings(max_cooldowns=0)) == 1_030.0


def test_each_crawl_pauses_as_long_as_its_own_settings_say() -> None:
    host = adapt(HOST, DEAD)
    assert paused_until(host, PoliteSettings(cooldown=86_400.0)) == 87_400.0
    assert paused_until(host, PoliteSettings(cooldown=0.0)) == 1_000.0


def test_a_single_fault_opens_nothing() -> None:
    assert adapt(HOST, Feedback(outcomes="tt", ended_at=1.0)).strikes == 0


@pytest.mark.parametrize("bad", ["s", "f", "r"])
def test_a_host_that_responds_with_errors_only_is_paused_and_given_up(bad: str) -> None:
    host, strikes = HOST, []
    for number in range(6):
        host = adapt(host, Feedback(outcomes=bad * 33, ended_at=1_000.0, of=str(number)))
        strikes.append(max(host.strikes, host.own.strikes))
    assert strikes == [1, 2, 3, 4, 5, 6]
    assert given_up(host, SETTINGS)


def test_a_host_with_some_successes_is_paused_and_never_given_up() -> None:
    host = HOST
    for number in range(20):
        host = adapt(host, Feedback(outcomes="sssg" * 50, ended_at=1_000.0, of=str(number)))
        assert host.strikes == 1
    assert paused_until(host, SETTINGS) == 1_030.0


def test_each_crawl_gives_a_host_up_after_its_own_number_of_pauses() -> None:
    assert not given_up(replace(HOST, strikes=5), SETTINGS)
    assert given_up(replace(HOST, strikes=6), SETTINGS)
    assert not given_up(replace(HOST, strikes=6), PoliteSettings(max_cooldowns=6))
