"""Numbers by the prefix of a path."""

import pytest

from wavecrawl.domain.urls.path_numbers import MOST_PREFIXES, PathNumbers, number_problems

SITE = "https://site.example"


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("/docs", 0.9),
        ("/docs/", 0.9),
        ("/docs/a/b?x=1", 0.9),
        ("/docs/old", 0.1),
        ("/docs/old/a", 0.1),
        ("/docs/older", 0.9),
        ("/docs-2", None),
        ("/en/docs/a", 0.9),
        ("/a/docs", None),
        ("/", None),
    ],
)
def test_the_longest_prefix_counts(path: str, number: float | None) -> None:
    assert PathNumbers(("/docs = 0.9", "/docs/old/=0.1")).of_url(SITE + path) == number


def test_the_root_is_a_prefix_of_all_paths() -> None:
    numbers = PathNumbers(("/ = 0.5", "/a = 1"))
    assert [numbers.of_url(SITE + path) for path in ("/", "/b/c", "/a")] == [0.5, 0.5, 1]


def test_without_numbers_no_url_has_one() -> None:
    assert not PathNumbers(())
    assert PathNumbers(("/a = 1",))
    assert PathNumbers(()).of_url(f"{SITE}/a") is None


@pytest.mark.parametrize("text", ["/a = 2", "/a = -1", "/a", "/a = x", "/a = nan", "a = 1", "= 1", ""])
def test_a_value_must_be_a_prefix_and_a_number_in_its_range(text: str) -> None:
    (problem,) = number_problems("x.y", [text], low=0, high=1)
    assert problem == f"x.y must be '/PREFIX = NUMBER' with a number from 0 to 1: {text!r}"


def test_a_prefix_has_one_number() -> None:
    (problem,) = number_problems("x.y", ["/a = 1", "/a/ = 0"], low=0, high=1)
    assert problem == "x.y has two numbers for '/a'"


def test_the_number_of_prefixes_is_limited() -> None:
    texts = [f"/{number} = 1" for number in range(MOST_PREFIXES + 1)]
    assert list(number_problems("x.y", texts[1:], low=0, high=1)) == []
    assert list(number_problems("x.y", texts, low=0, high=1)) == ["x.y may have at most 100 prefixes; it has 101"]
