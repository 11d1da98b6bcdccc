"""A later crawl of a site whose sitemap was read before and cannot be read now."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.support.crawling import QUICK, crawl_inline

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer

PAGES = (Page(path="/", title="Home", links=(Link(to="/a"),)), Page(path="/a"), Page(path="/lost", title="Lost"))
LISTED = SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/lost"),))
WHOLE = Site(pages=PAGES, sitemaps=(LISTED,))
NOT_READ = "Orphans cannot be found: 1 sitemap not read"


@pytest.mark.parametrize(
    ("response", "unknown"),
    [
        pytest.param(Page(path="/sitemap.xml", status=503), f"{NOT_READ} (HTTP 503)", marks=slow),
        pytest.param(Page(path="/sitemap.xml", status=403), f"{NOT_READ} (forbidden)", marks=slow),
        (Page(path="/sitemap.xml", title="Log in"), f"{NOT_READ} (no sitemap)"),
        (Page(path="/sitemap.xml", status=404), "No sitemap found, so orphans cannot be found."),
    ],
    ids=["503", "403", "login", "404"],
)
def test_its_pages_are_gone_only_if_the_site_says_that_it_is(tmp_path: Path, response: Page, unknown: str) -> None:
    with SiteServer(WHOLE) as server:
        first = crawl_inline(server.url, tmp_path, QUICK)
        port = int(server.origin.rpartition(":")[2])
    assert first.summary.orphans == {"orphan": 1}
    with SiteServer(replace(WHOLE, pages=(*PAGES, response), sitemaps=()), port=port) as server:
        second = crawl_inline(server.url, tmp_path, QUICK)
    assert second.summary.orphans is None
    assert second.summary.orphan_evidence.startswith(unknown)
    is_gone = response.status == 404
    assert [one.subject for one in second.summary.notices] == ([] if is_gone else [f"{server.url}sitemap.xml"])
    store = LocalStore(tmp_path)
    try:
        known = list(store.memories.histories(second.row.id))
    finally:
        store.close()
    deleted = {page.url.removeprefix(server.origin): page.deleted_at > 0 for page in known}
    assert deleted == {"/": False, "/a": False, "/lost": is_gone}
