"""The notices of a crawl whose start URL could not be read."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.results_service import ResultsService
from tests.support.crawling import QUICK, crawl_inline

from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.model import Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.patterns import redirect
from wavecrawl.demo.reply import Reply, reply_of
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import Discovery

ADVICE = (
    "if it needs credentials, set those of the site (--header, --cookie, --basic-auth or --auth-file; in the API, "
    "PUT /v1/sites/{site}/credentials)"
)


@pytest.mark.parametrize(("status", "advice"), [(401, ADVICE), (403, ADVICE), (404, "check the address")])
def test_the_statistics_say_that_the_start_url_was_refused(tmp_path: Path, status: int, advice: str) -> None:
    with SiteServer(Site(pages=(Page(path="/", status=status),))) as server:
        done = crawl_inline(server.url, tmp_path, QUICK)
    message = f"no page could be fetched: the start URL responded with {status}; {advice}"
    service = ResultsService(tmp_path)
    try:
        crawl = service.ask("GET", f"/v1/crawls/{done.row.id.crawl}").body
        statistics = service.ask("GET", f"/v1/crawls/{done.row.id.crawl}/statistics").body
    finally:
        service.close()
    assert (crawl["status"], statistics["pages"]) == ("completed", 0)
    assert statistics["notices"] == [{"subject": server.url, "message": message}]
    assert message in (done.exports / "report.html").read_text(encoding="utf-8")


def test_a_refused_start_url_is_named_also_if_the_sitemap_has_pages(tmp_path: Path) -> None:
    listed = SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/a"),))
    site = Site(pages=(Page(path="/", status=404), Page(path="/a")), sitemaps=(listed,))
    with SiteServer(site) as server:
        done = crawl_inline(server.url, tmp_path, QUICK)
    assert done.summary.pages == 1
    notices = [one.message for one in done.summary.notices if one.subject == server.url]
    assert notices == ["the start URL responded with 404; check the address"]


def test_a_start_url_that_leads_nowhere_is_named_with_its_state(tmp_path: Path) -> None:
    with SiteServer(Site(pages=(redirect("/", "/"),))) as server:
        done = crawl_inline(server.url, tmp_path, QUICK)
    (notice,) = done.summary.notices
    assert notice.subject == server.url
    why = f"redirected (HTTP 301 Moved Permanently, to {server.url})"
    assert notice.message == f"no page could be fetched: the start URL is {why}"


def test_a_list_of_urls_without_a_page_refers_to_the_ledger(tmp_path: Path) -> None:
    with SiteServer(Site(pages=(Page(path="/", status=404),))) as server:
        settings = replace(QUICK, discovery=Discovery.LIST, urls=(f"{server.origin}/x",))
        done = crawl_inline(server.url, tmp_path, settings)
    messages = [notice.message for notice in done.summary.notices]
    assert messages == ["no page could be fetched; ledger.csv has the reason of each URL"]


@pytest.mark.parametrize(
    ("pages", "why"),
    [
        ((Page(path="/"),), "the site has none"),
        ((Page(path="/"), Page(path="/sitemap.xml", status=500)), "none could be read (1 sitemap not read (HTTP 500))"),
    ],
    ids=["none", "failed"],
)
def test_a_crawl_of_sitemaps_without_a_sitemap_says_so(tmp_path: Path, pages: tuple[Page, ...], why: str) -> None:
    with SiteServer(Site(pages=pages)) as server:
        done = crawl_inline(server.url, tmp_path, replace(QUICK, discovery=Discovery.SITEMAP_ONLY))
    messages = {notice.subject: notice.message for notice in done.summary.notices}
    advice = "name one in robots.txt, or follow links with another discovery (--discovery links_first)"
    only = "discovery sitemap_only reads pages of sitemaps only"
    assert messages[server.url] == f"no page could be fetched: {only}, and {why}; {advice}"


class ProtectedSite(LoopbackServer):
    """A site whose start page can be read; its other pages are challenges."""

    def _finder(self) -> Callable[[str], Reply | None]:
        def find(path: str) -> Reply:
            if path == "/":
                return reply_of(200, (("Content-Type", "text/html"),), b"<a href=/a>a</a> <a href=/b>b</a>")
            headers = (("Content-Type", "text/html"), ("cf-mitigated", "challenge"))
            return reply_of(200 if path == "/a" else 403, headers, b"<title>Just a moment...</title>")

        return find


def test_a_bot_protection_is_named_and_its_challenges_are_no_pages(tmp_path: Path) -> None:
    with ProtectedSite() as server:
        done = crawl_inline(server.url, tmp_path, QUICK)
    (notice,) = (one for one in done.summary.notices if one.subject == "bot protection")
    assert notice.message.startswith("2 URLs are blocked by a bot protection (Cloudflare); ")
    assert (done.summary.states, done.summary.duplicates) == ({"blocked": 2, "fetched": 1}, {})
    assert done.summary.blockers >= 2
