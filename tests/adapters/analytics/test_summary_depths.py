"""The depths in the summary are those of pages that links lead to from the root."""

from pathlib import Path

from tests.support.crawling import QUICK, crawl_inline

from wavecrawl.demo.model import Link, Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer

SITE = Site(
    pages=(
        Page(path="/", links=(Link(to="/a"), Link(to="/gone"))),
        Page(path="/a", links=(Link(to="/b"), Link(to="/c"))),
        Page(path="/b"),
        Page(path="/c"),
        Page(path="/alone", links=(Link(to="/below"),)),
        Page(path="/below"),
    ),
    sitemaps=(SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/alone"), SitemapEntry(to="/b"))),),
)


def test_orphans_and_what_only_they_link_to_have_no_depth(tmp_path: Path) -> None:
    with SiteServer(SITE) as server:
        summary = crawl_inline(server.url, tmp_path, QUICK).summary
    assert summary.pages == 6
    assert summary.depths == {"0": 1, "1": 1, "2": 2}
    assert summary.max_depth == 2
