"""Titles of pages that an earlier crawl fetched."""

from pathlib import Path

from tests.support.crawling import QUICK, crawl_inline, table
from tests.support.media_site import HTML, MediaSite

NAMES = ("tides", "winds", "rivers", "lakes")
LINKS = "".join(f"<a href=/{name}>{name}</a>" for name in NAMES)


def test_the_name_of_the_site_is_removed_if_all_pages_are_unchanged(tmp_path: Path) -> None:
    content = {f"/{name}": (HTML, f"<title>{name} | Gauges</title>{LINKS}".encode()) for name in ("", *NAMES)}
    with MediaSite(content) as server:
        first = crawl_inline(server.url, tmp_path, QUICK)
        second = crawl_inline(server.url, tmp_path, QUICK)
    assert second.summary.states == {"unchanged": 5}
    titles = [{row["title"] for row in table(done.exports / "pages.csv")} for done in (first, second)]
    assert titles == [{"| Gauges", *NAMES}] * 2
