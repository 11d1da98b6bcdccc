import pytest
from msgspec.structs import replace

from wavecrawl.domain.politeness.adaptive_pace import adapt
from wavecrawl.domain.politeness.host_state import Feedback, HostState

HOST = HostState(host="example.com")
GOOD = Feedback(outcomes="g" * 9, latency=0.05, ended_at=1_000.0)
BAD = replace(GOOD, outcomes="s" * 11)


def test_a_host_is_known_to_be_slow_at_once_and_to_be_quick_after_a_while() -> None:
    slow = adapt(adapt(HOST, replace(GOOD, occupied=0.1)), replace(GOOD, occupied=10.0, of="2"))
    assert slow.occupied == 10.0
    assert adapt(slow, replace(GOOD, occupied=0.1, of="3")).occupied == pytest.approx(7.03)


def test_a_wave_that_is_gathered_again_changes_nothing() -> None:
    once = adapt(HOST, replace(BAD, of="c/7"))
    assert once.strain.interval == 0.1
    assert adapt(once, replace(BAD, of="c/7")) == once
    assert adapt(once, replace(BAD, of="c/8")).strain.interval == 0.2


def test_a_wave_without_requests_changes_nothing() -> None:
    assert adapt(HOST, Feedback()) is HOST


def test_bad_responses_of_several_waves_add_up() -> None:
    once = adapt(HOST, replace(GOOD, outcomes="g" * 10 + "s" * 10))
    assert once.strain.interval == 0.0
    assert adapt(once, replace(GOOD, outcomes="s")).strain.interval == 0.1


def test_a_wave_slows_the_host_down_until_the_circuit_breaker_opens() -> None:
    host = adapt(HOST, replace(BAD, outcomes="s" * 900))
    assert (host.strain.interval, host.strikes) == (0.4, 1)
    again = adapt(host, replace(BAD, outcomes="s" * 900))
    assert (again.strain.interval, again.strikes) == (0.8, 2)


def test_rising_latency_is_strain() -> None:
    known = adapt(HOST, GOOD)
    assert known.latency == 0.05
    assert adapt(known, replace(GOOD, latency=0.09)).strain.interval == 0.0
    risen = adapt(known, replace(GOOD, latency=0.2))
    assert risen.strain.interval == 0.1
    assert risen.latency == pytest.approx(0.7 * 0.05 + 0.3 * 0.2)
    assert adapt(known, replace(BAD, latency=0.2)).strain.interval == 0.1, "one reason is enough"


def test_rising_latency_slows_no_host_down_for_a_crawl_that_ignores_it() -> None:
    known = adapt(HOST, GOOD)
    ignored = adapt(known, replace(GOOD, latency=0.2, adapts=False))
    assert ignored.strain.interval == 0.0
    assert ignored.latency == pytest.approx(0.7 * 0.05 + 0.3 * 0.2)
    assert adapt(known, replace(BAD, latency=0.2, adapts=False)).strain.interval == 0.1, "errors count"


def test_milliseconds_are_no_strain() -> None:
    quick = adapt(HOST, replace(GOOD, latency=0.002))
    assert adapt(quick, replace(GOOD, latency=0.04)).strain.interval == 0.0
    assert adapt(quick, replace(GOOD, latency=0.05)).strain.interval == 0.1


def test_a_wave_without_responses_leaves_the_latency() -> None:
    known = adapt(HOST, GOOD)
    assert adapt(known, Feedback(outcomes="t", ended_at=1.0)).latency == 0.05
