from math import exp, inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.recrawl.change_rate import Gap, GapSum, change_rate, interval_of

DAY = 86_400.0
PRIOR = 1 / (7 * DAY)
gaps = st.lists(st.builds(Gap, st.floats(60, 400 * DAY), st.booleans()), max_size=15)


def test_without_a_history_the_expected_rate_counts() -> None:
    assert change_rate([], PRIOR) == pytest.approx(PRIOR)
    assert GapSum().rate(PRIOR) == pytest.approx(PRIOR)


@pytest.mark.parametrize("changed", range(11))
def test_equal_gaps_have_a_solution_in_closed_form(changed: int) -> None:
    seen = [Gap(DAY, True)] * changed + [Gap(DAY, False)] * (10 - changed)
    rate = change_rate(seen, PRIOR)
    assert changed * DAY / (exp(rate * DAY) - 1) + 1 / rate == pytest.approx((10 - changed) * DAY + 1 / PRIOR)


@given(gaps, st.floats(1 / (1_000 * DAY), 1 / 60))
def test_the_rate_solves_its_equation(seen: list[Gap], prior: float) -> None:
    rate = change_rate(seen, prior)

    def excess(r: float) -> float:
        grown = sum(gap.seconds / (exp(min(r * gap.seconds, 700)) - 1) for gap in seen if gap.changed)
        return grown + 1 / r - sum(gap.seconds for gap in seen if not gap.changed) - 1 / prior

    assert 0 < rate < inf
    assert excess(rate * 0.999) > 0 > excess(rate * 1.001)


@given(gaps, gaps.filter(bool))
def test_a_change_raises_the_rate_and_quiet_time_lowers_it(seen: list[Gap], more: list[Gap]) -> None:
    quiet = [Gap(gap.seconds, False) for gap in more]
    before = change_rate(seen, PRIOR)
    assert change_rate([*seen, *quiet], PRIOR) < before * (1 + 1e-6)
    changed = [Gap(gap.seconds, True) for gap in more]
    assert change_rate([*seen, *changed], PRIOR) > change_rate([*seen, *quiet], PRIOR)


@pytest.mark.parametrize("every", [DAY, 7 * DAY, 60 * DAY])
def test_the_rate_of_a_simulated_page_is_found_from_irregular_requests(every: float) -> None:
    random = Random(5)
    found: list[float] = []
    for _ in range(400):
        seen: list[Gap] = []
        for _ in range(15):
            seconds = random.uniform(0.2, 2) * every
            seen.append(Gap(seconds, random.random() < 1 - exp(-seconds / every)))
        found.append(change_rate(seen, 1 / every))
    assert sum(found) / len(found) == pytest.approx(1 / every, rel=0.1)


def test_many_pages_are_summed() -> None:
    total = GapSum().plus([Gap(10.0, True), Gap(30.0, False)]).plus([Gap(20.0, True)])
    assert total == GapSum(changes=2, changed_seconds=30.0, quiet_seconds=30.0)
    assert total.rate(1 / 5) == pytest.approx(3 / 50)


@given(st.floats(1e-12, 1.0), st.floats(1e-12, 1.0))
def test_intervals_have_bounds_and_fall_with_the_rate(one: float, other: float) -> None:
    slow, fast = sorted((one, other))
    intervals = [interval_of(rate, base=7 * DAY, usual=7 * DAY, least=DAY, most=90 * DAY) for rate in (slow, fast)]
    assert 90 * DAY >= intervals[0] >= intervals[1] >= DAY


def test_the_interval_follows_the_cube_root() -> None:
    def interval(every: float) -> float:
        return interval_of(1 / every, base=7 * DAY, usual=7 * DAY, least=1.0, most=1e12)

    assert interval(7 * DAY) == pytest.approx(7 * DAY)
    assert interval(56 * DAY) == pytest.approx(14 * DAY)
    assert interval(7 * DAY / 8) == pytest.approx(3.5 * DAY)
