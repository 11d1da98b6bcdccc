from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from wavecrawl.domain.sitemaps.writer import MAX_BYTES, MAX_URLS, SitemapFile, SitemapUrl, priority, write_sitemaps

NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
BASE = "https://example.com/"


def page(path: str = "a", *, lastmod: str = "", depth: int = 0) -> SitemapUrl:
    return SitemapUrl(loc=BASE + path, lastmod=lastmod, depth=depth)


def read(file: SitemapFile, path: str) -> list[str]:
    return [element.text or "" for element in etree.fromstring(file.content).findall(path, NAMES)]


def test_one_file_holds_a_small_site() -> None:
    (file,) = write_sitemaps([page(), page("b", lastmod="2026-01-02", depth=3)], base=BASE)
    assert file.name == "sitemap.xml"
    assert file.content.decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        "<url><loc>https://example.com/a</loc><priority>1.0</priority></url>\n"
        "<url><loc>https://example.com/b</loc><lastmod>2026-01-02</lastmod><priority>0.7</priority></url>\n"
        "</urlset>\n"
    )


def test_a_site_without_pages_has_an_empty_sitemap() -> None:
    (file,) = write_sitemaps([], base=BASE)
    assert (file.name, read(file, "s:url")) == ("sitemap.xml", [])


def test_more_urls_than_one_file_may_hold_are_split_under_an_index() -> None:
    one, two, index = write_sitemaps([page("1"), page("2"), page("3")], base="https://example.com/a&b/", max_urls=2)
    assert [one.name, two.name, index.name] == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]
    assert read(one, "s:url/s:loc") == [f"{BASE}1", f"{BASE}2"]
    assert read(two, "s:url/s:loc") == [f"{BASE}3"]
    assert etree.fromstring(index.content).tag == f"{{{NAMES['s']}}}sitemapindex"
    assert read(index, "s:sitemap/s:loc") == [
        "https://example.com/a&b/sitemap-1.xml",
        "https://example.com/a&b/sitemap-2.xml",
    ]


@pytest.mark.parametrize(
    ("spare", "names"), [(0, ["sitemap.xml"]), (-1, ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"])]
)
def test_a_file_may_be_as_large_as_the_limit_and_no_larger(spare: int, names: list[str]) -> None:
    (whole,) = write_sitemaps([page("a"), page("b")], base=BASE)
    files = write_sitemaps([page("a"), page("b")], base=BASE, max_bytes=len(whole.content) + spare)
    assert [file.name for file in files] == names


def test_the_limits_are_those_of_the_protocol() -> None:
    assert (MAX_URLS, MAX_BYTES) == (50_000, 52_428_800)


def test_files_are_made_as_the_urls_come() -> None:
    pages = iter([page(str(n)) for n in range(6)])
    assert next(write_sitemaps(pages, base=BASE, max_urls=1)).name == "sitemap-1.xml"
    assert len(list(pages)) >= 3


@pytest.mark.parametrize(
    ("depth", "value"), [(0, 1.0), (1, 0.9), (2, 0.8), (3, 0.7), (7, 0.3), (9, 0.1), (10, 0.1), (500, 0.1)]
)
def test_the_priority_falls_with_the_depth(depth: int, value: float) -> None:
    assert priority(depth) == value


PATHS = st.text(st.characters(categories=("L", "N", "P", "S"), exclude_characters="\ufffe\uffff"), max_size=30)
DATES = st.just("") | st.datetimes(min_value=datetime(1990, 1, 1), timezones=st.just(UTC)).map(datetime.isoformat)  # noqa: DTZ001
PAGES = st.lists(st.builds(page, PATHS, lastmod=DATES, depth=st.integers(0, 40)), max_size=12)


@given(pages=PAGES, most=st.integers(1, 5), size=st.integers(500, 2_000))
def test_what_is_written_reads_back_within_the_limits(pages: list[SitemapUrl], most: int, size: int) -> None:
    *parts, last = write_sitemaps(pages, base=BASE, max_urls=most, max_bytes=size)
    files = parts or [last]
    assert [loc for file in files for loc in read(file, "s:url/s:loc")] == [each.loc for each in pages]
    assert [date for file in files for date in read(file, "s:url/s:lastmod")] == [
        each.lastmod for each in pages if each.lastmod
    ]
    for file in files:
        assert len(read(file, "s:url")) <= most
        assert len(file.content) <= size
    assert read(last, "s:sitemap/s:loc") == [BASE + file.name for file in parts]
