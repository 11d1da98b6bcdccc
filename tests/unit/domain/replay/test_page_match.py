"""The result of comparing a replay."""

import pytest

from wavecrawl.domain.replay.page_match import PageMatch, mean, spread


@pytest.mark.parametrize(
    ("pixels", "text", "problem", "is_good"),
    [
        (0.99, 1.0, "", True),
        (None, 0.99, "", True),
        (None, None, "", True),
        (0.98, 1.0, "", False),
        (1.0, 0.98, "", False),
        (1.0, 1.0, "the replay crashed", False),
    ],
)
def test_a_page_is_good_if_no_known_share_is_below_the_goal(
    pixels: float | None,
    text: float | None,
    problem: str,
    is_good: bool,  # noqa: FBT001 - a table
) -> None:
    page = PageMatch(url="http://a.example/", time="20261128000000", pixels=pixels, text=text, problem=problem)
    assert page.is_good(0.99) is is_good


def test_the_mean_is_that_of_the_known_shares() -> None:
    assert mean([1.0, None, 0.5]) == 0.75
    assert mean([None]) is None
    assert mean([]) is None


@pytest.mark.parametrize(
    ("most", "chosen"), [(0, list(range(10))), (10, list(range(10))), (99, list(range(10))), (3, [0, 3, 6]), (1, [0])]
)
def test_some_pages_are_spread_over_all(most: int, chosen: list[int]) -> None:
    assert spread(range(10), most) == chosen
