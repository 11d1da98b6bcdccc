from functools import reduce

import pytest
from msgspec import structs

from wavecrawl.domain.politeness.strain import Outcome, Strain, observe, outcome_of


def after(outcomes: str, strain: Strain | None = None) -> Strain:
    return reduce(observe, outcomes, strain or Strain())


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [
        ((200, 206, 301, 304, 401, 404, 410), Outcome.GOOD),
        ((403,), Outcome.FORBIDDEN),
        ((500, 502, 503, 504), Outcome.STRAINED),
        ((429,), Outcome.REFUSED),
        ((None,), Outcome.FAULT),
    ],
)
def test_what_a_status_says_about_the_load_of_its_host(statuses: tuple[int | None, ...], outcome: Outcome) -> None:
    assert {outcome_of(status) for status in statuses} == {outcome}


@pytest.mark.parametrize("status", [403, 404, 429, 500, 503])
def test_an_error_with_retry_after_limits_who_sent_the_request(status: int) -> None:
    assert outcome_of(status, retry_after=5.0) is Outcome.REFUSED
    assert outcome_of(200, retry_after=5.0) is Outcome.GOOD


@pytest.mark.parametrize("bad", ["s", "t", "r"])
def test_more_than_a_fifth_of_the_last_50_responses_slows_the_pace(bad: str) -> None:
    assert after((bad + "gggg") * 100).interval == 0.0
    assert after(("g" * 40 + bad * 10) * 3).interval == 0.0
    assert after("g" * 39 + bad * 11).interval == 0.1
    assert after(bad * 11).interval == 0.1


def test_forbidden_responses_count_unless_a_success_follows() -> None:
    assert after("f" * 10).interval == 0.0
    assert after("f" * 11).interval == 0.1
    assert after("ffffffffg" * 100).interval == 0.0
    assert after("g" * 300 + "f" * 11).interval == 0.1


def test_the_rate_is_halved_each_time_down_to_a_limit() -> None:
    steps = [after("s" * 11 * count).interval for count in range(1, 12)]
    assert steps == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0]


def test_three_slow_downs_in_a_row_open_the_circuit_breaker() -> None:
    assert not after("s" * 32).is_open
    assert after("s" * 33).is_open
    assert not after("s" * 22 + "g" * 10 + "s" * 12).is_open


def test_the_rate_rises_step_by_step() -> None:
    slow = Strain(interval=0.1, slowed=2)
    assert after("g" * 9, slow).interval == 0.1
    assert after("g" * 10, slow) == Strain(newest="g" * 10, interval=1 / (1 / 0.1 + 0.2))
    assert after("g" * 9 + "s" + "g" * 9, slow).interval == 0.1
    assert after("g" * 9 + "f" + "g", slow).interval == pytest.approx(1 / 10.2)
    assert after("g" * 730, slow).interval > 0.04
    assert after("g" * 760, slow).interval == 0.0


def test_the_rate_at_most_doubles() -> None:
    assert after("g" * 10, Strain(interval=30.0)).interval == 15.0


def test_only_the_newest_responses_are_kept() -> None:
    assert after("g" * 1_000).newest == "g" * 50
    assert after("s" * 11) == structs.replace(Strain(), interval=0.1, slowed=1)
