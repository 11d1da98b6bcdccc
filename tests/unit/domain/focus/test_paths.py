from datetime import date

import pytest

from wavecrawl.domain.focus.freshness import freshness
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.lanes import Lanes
from wavecrawl.domain.focus.path_weight import path_weight
from wavecrawl.domain.focus.paths import date_in, place_of
from wavecrawl.domain.focus.settings import LaneSettings

SITE = "https://example.com"


@pytest.mark.parametrize(
    ("url", "lane"),
    [
        (f"{SITE}/", Lane.P0),
        (SITE, Lane.P0),
        (f"{SITE}/index.html", Lane.P0),
        (f"{SITE}/en/", Lane.P0),
        (f"{SITE}/pt-BR", Lane.P0),
        (f"{SITE}/pricing", Lane.P0),
        (f"{SITE}/pricing/", Lane.P0),
        (f"{SITE}/about.html", Lane.P0),
        (f"{SITE}/de/contact.php", Lane.P0),
        (f"{SITE}/products?colour=red", Lane.P3),  # a refinement of a main page is no main page
        (f"{SITE}/products/7", Lane.P3),
        (f"{SITE}/?s=word", Lane.P3),
        (f"{SITE}/docs", Lane.P1),
        (f"{SITE}/docs/", Lane.P1),
        (f"{SITE}/docs/a/b?v=2", Lane.P1),
        (f"{SITE}/fr/guide/start", Lane.P1),
        ("https://docs.example.com/start", Lane.P1),
        (f"{SITE}/docsis", Lane.P3),
        (f"{SITE}/docs/search.json", Lane.P3),
        (f"{SITE}/blog/feed.xml", Lane.P3),
        (f"{SITE}/blog", Lane.P2),
        (f"{SITE}/blog?page=3", Lane.P2),
        (f"{SITE}/news/2026", Lane.P2),
        (f"{SITE}/2026/11/23/title", Lane.P2),
        (f"{SITE}/2026/title", Lane.P3),
        (f"{SITE}/anything/else", Lane.P3),
    ],
)
def test_default_lanes(url: str, lane: Lane) -> None:
    assert Lanes(LaneSettings()).lane_of(place_of(url)) is lane


def test_lanes_of_other_patterns() -> None:
    lanes = Lanes(LaneSettings(critical=("/kasse", "*?id=1"), docs=("*/hilfe/*",), blog=()))
    found = {path: lanes.lane_of(place_of(SITE + path)) for path in ("/kasse", "/x?id=1", "/a/hilfe/b", "/blog", "/")}
    assert found == {"/kasse": "p0", "/x?id=1": "p0", "/a/hilfe/b": "p1", "/blog": "p3", "/": "p0"}


@pytest.mark.parametrize(
    ("path", "lane", "expected"),
    [
        ("/", Lane.P0, 200),
        ("/pricing", Lane.P0, 200),
        ("/docs", Lane.P1, 190),
        ("/docs/", Lane.P1, 200),
        ("/docs/a", Lane.P1, 170),
        ("/docs/a/index.html", Lane.P1, 180),
        ("/a", Lane.P3, 160),
        ("/a/b/c", Lane.P3, 120),
        ("/a/b/c/d/e/f/g/h/i", Lane.P3, 40),
        ("/a?x=1", Lane.P3, 120),
        ("/a.json", Lane.P3, 100),
        ("/a?x=1&y=2&z=3&w=4", Lane.P3, 40),
        ("/a/b/c/d/e/f/g/h/i?x=1&y=2", Lane.P3, 0),
    ],
)
def test_path_weights(path: str, lane: Lane, expected: int) -> None:
    assert path_weight(place_of(SITE + path), lane) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/2026/11/23/title", date(2026, 11, 23)),
        ("/blog/2026/1/title", date(2026, 1, 1)),
        ("/a-2019-05-07.html", date(2019, 5, 7)),
        ("/2026-02-31", None),
        ("/2026/13/", None),
        ("/2026", None),
        ("/1234/11", None),
    ],
)
def test_dates_in_paths(path: str, expected: date | None) -> None:
    assert date_in(path) == expected


@pytest.mark.parametrize(
    ("path", "lastmod", "expected"),
    [
        ("/a", "", 100),
        ("/a", "2026-11-23T10:00:00Z", 200),
        ("/a", "2025-11-23", 100),
        ("/2024/11/23/", "", 66),
        ("/2024/11/23/", "2026-11-23", 200),  # the sitemap counts
        ("/2024/11/23/", "2026", 66),
        ("/2027/01/", "", 100),
        ("/1999/01/", "", 6),
    ],
)
def test_freshness(path: str, lastmod: str, expected: int) -> None:
    assert freshness(path, lastmod, today=date(2026, 11, 23).toordinal()) == expected
