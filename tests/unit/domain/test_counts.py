"""Numbers with their nouns."""

import pytest

from wavecrawl.domain.counts import counted


@pytest.mark.parametrize(
    ("count", "nouns", "text"),
    [
        (0, ("page",), "0 pages"),
        (1, ("page",), "1 page"),
        (2_000, ("page",), "2,000 pages"),
        (1, ("URL was", "URLs were"), "1 URL was"),
        (2, ("URL was", "URLs were"), "2 URLs were"),
    ],
)
def test_only_one_has_the_singular(count: int, nouns: tuple[str, ...], text: str) -> None:
    assert counted(count, *nouns) == text
