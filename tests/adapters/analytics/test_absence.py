"""A page that an earlier crawl read, and this one did not: deleted, or not seen, each with its reason."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.adapters.analytics.results_service import ResultsService
from tests.support.crawling import QUICK, Done, crawl_inline

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.crawl_choice import explained
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.politeness.robots import RobotsFile


def page(path: str, *links: str) -> Page:
    return Page(path=path, title=path, text=(f"Text of {path}.",), links=tuple(Link(to=to) for to in links))


def status(path: str, code: int) -> Page:
    return Page(path=path, status=code, content_type="text/plain", body=b"no")


NAMES = ("/a", "/b", "/unlinked", "/gone", "/moved", "/away", "/secret")
PAGES = {one.path: one for one in (page("/", *NAMES), page("/a", "/deep"), *map(page, ("/deep", *NAMES[1:])))}
BEFORE = Site(pages=tuple(PAGES.values()))
ONCE = replace(QUICK, max_retries=0)


def site(*others: Page) -> Site:
    """Return the site with other pages in the place of its own."""
    return Site(pages=tuple({**PAGES, **{one.path: one for one in others}}.values()))


NOW = {
    "whole": (
        ONCE,
        site(
            page("/", *(name for name in NAMES if name != "/unlinked")),
            status("/gone", 410),
            Page(path="/moved", status=301, redirect="/b"),
            Page(path="/away", status=302, redirect="/b"),
        ),
    ),
    "unlinked": (ONCE, site(page("/", *(name for name in NAMES if name != "/unlinked")))),
    "capped": (replace(ONCE, max_pages=1), BEFORE),
    "failing": (ONCE, site(status("/a", 503), status("/b", 403))),
    "list": (replace(ONCE, discovery=Discovery.LIST, urls=("/b",)), BEFORE),
}
"""The second crawl of the site, and what the site is then."""


@pytest.fixture(name="crawls", scope="module")
def _crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[ResultsService, Done]]]:
    found = {}
    for name, (settings, now) in NOW.items():
        folder = tmp_path_factory.mktemp(name)
        with SiteServer(BEFORE) as server:
            port = int(server.origin.rpartition(":")[2])
            crawl_inline(server.url, folder, ONCE)
        if name == "whole":
            deny("/secret", server.origin, folder)
        with SiteServer(now, port=port) as server:
            done = crawl_inline(server.url, folder, _of(settings, server.origin))
        found[name] = (ResultsService(folder), done)
    yield found
    for service, _ in found.values():
        service.close()


def deny(path: str, origin: str, folder: Path) -> None:
    """Let robots.txt disallow a path. It is cached for hours, so the file in the cache is replaced."""
    store = LocalStore(folder)
    body = f"User-agent: *\nDisallow: {path}\n".encode()
    store.robots.write(RobotsFile(origin=origin, fetched_at=store.clock.now(), status=200, body=body))
    store.close()


def _of(settings: CrawlSettings, origin: str) -> CrawlSettings:
    return replace(settings, urls=tuple(f"{origin}{path}" for path in settings.urls))


NOT_SEEN = "not seen in this crawl, because "


@pytest.mark.parametrize(
    ("crawl", "path", "expected"),
    [
        ("whole", "/gone", "deleted, because its response is 410"),
        ("whole", "/moved", "deleted, because it redirects permanently"),
        ("whole", "/secret", "deleted, because robots.txt disallows it"),
        ("whole", "/a", ""),
        ("whole", "/never", ""),
        ("whole", "/away", f"{NOT_SEEN}it redirects temporarily; it is deleted if it does so in the next crawl, too"),
        ("unlinked", "/unlinked", "deleted, because this crawl read all that could lead to it, and did not find it"),
        ("capped", "/deep", f"{NOT_SEEN}the crawl stopped at max_pages"),
        ("capped", "/b", f"{NOT_SEEN}the crawl reached --max-pages first"),
        ("failing", "/deep", f"{NOT_SEEN}1 page failed (HTTP 503)"),
        ("failing", "/a", f"{NOT_SEEN}of the status code of its response (503)"),
        ("failing", "/b", f"{NOT_SEEN}of the status code of its response (403)"),
        ("list", "/a", f"{NOT_SEEN}the sitemaps were not read (list) and the start page was not read (list)"),
    ],
)
def test_a_page_that_was_not_read_is_deleted_or_not_seen_because_of_something(
    crawls: dict[str, tuple[ResultsService, Done]], crawl: str, path: str, expected: str
) -> None:
    service, done = crawls[crawl]
    origin = done.row.start_url.rstrip("/")
    answer = service.ask("GET", f"/v1/crawls/{done.row.id.crawl}/urls/explain", query={"url": f"{origin}{path}"})
    assert answer.body["absence"] == expected


@pytest.mark.parametrize(("crawl", "gone"), [("whole", 3), ("unlinked", 1), ("capped", 0), ("failing", 0), ("list", 0)])
def test_the_outcome_counts_the_pages_that_are_deleted(
    crawls: dict[str, tuple[ResultsService, Done]], crawl: str, gone: int
) -> None:
    service, done = crawls[crawl]
    path = f"/v1/crawls/{done.row.id.crawl}"
    rows = service.ask("GET", "/v1/crawls").body["crawls"]
    (base,) = (row["crawl"] for row in rows if row["crawl"] != done.row.id.crawl)
    kinds = service.ask("GET", f"{path}/diff", query={"base": base}).body["kinds"]
    assert service.ask("GET", path).body["outcome"]["gone"] == gone
    assert kinds.get("gone", 0) + kinds.get("moved", 0) == gone
    *_, ended = service.store.event_log.after(done.row.id, -1, limit=100)
    assert ended.data.get("gone", 0) == gone
    words = "1 page gone." if gone == 1 else f"{gone} pages gone."
    report = (done.exports / "report.html").read_text(encoding="utf-8")
    assert (words if gone else "No page is new or gone, and no main text has changed.") in report


@pytest.mark.parametrize(
    ("crawl", "path", "expected"),
    [
        ("capped", "/deep", f"{NOT_SEEN}the crawl stopped at max_pages"),
        ("unlinked", "/unlinked", "deleted, because this crawl read all that could lead to it, and did not find it"),
    ],
)
def test_show_says_why_the_newer_crawl_did_not_find_a_page(
    crawls: dict[str, tuple[ResultsService, Done]], crawl: str, path: str, expected: str
) -> None:
    service, done = crawls[crawl]
    shown = explained(f"{done.row.start_url.rstrip('/')}{path}", None, service.store)
    assert shown.later is not None
    assert (shown.later.id, shown.not_in, shown.found.absence) == (done.row.id, expected, "")


def test_show_says_why_a_page_is_deleted(crawls: dict[str, tuple[ResultsService, Done]]) -> None:
    service, done = crawls["whole"]
    shown = explained(f"{done.row.start_url.rstrip('/')}/gone", None, service.store)
    lines = dict(shown.found.lines(scored=False))
    assert (lines["state"], lines["absence"]) == ("not_found", "deleted, because its response is 410")
