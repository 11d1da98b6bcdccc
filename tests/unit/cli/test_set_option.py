"""`--set name=value`: any setting, as JSON or as a text."""

import pytest

from wavecrawl.cli.options import free_settings


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("files_at_once=graph,wacz", ["graph", "wacz"]),
        ("files_at_once=wacz", ["wacz"]),
        ('files_at_once=["wacz"]', ["wacz"]),
        ("scope.exclude=/a/*,/b/*", ["/a/*", "/b/*"]),
        ("max_pages=7", 7),
        ("contact=a,b", "a,b"),
        ("no.such=a,b", "a,b"),
    ],
)
def test_a_list_is_json_or_texts_separated_by_commas(pair: str, value: object) -> None:
    assert list(free_settings([pair]).values()) == [value]
