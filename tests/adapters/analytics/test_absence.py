"""A page that an earlier crawl read, and this one did not: deleted, or not seen, each with its reason."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.results_service import ResultsService
from tests.support.crawling import QUICK, Done, crawl_inline

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.explained_url import explained
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.site_changes import CLOCKS
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


@pytest.mark.parametrize(
    ("crawl", "path", "expected"),
    [
        ("whole", "/gone", "deleted, because its response is 410"),
        ("unlinked", "/unlinked", "deleted, because this crawl read all that could lead to it, and did not find it"),
        ("capped", "/deep", f"{NOT_SEEN}the crawl stopped at max_pages"),
        ("failing", "/a", f"{NOT_SEEN}of the status code of its response (503)"),
        ("whole", "/a", None),
        ("whole", "/never", None),
    ],
)
def test_the_earlier_crawl_names_the_one_that_does_not_have_the_page(
    crawls: dict[str, tuple[ResultsService, Done]], crawl: str, path: str, expected: str | None
) -> None:
    service, done = crawls[crawl]
    first = next(
        row["crawl"] for row in service.ask("GET", "/v1/crawls").body["crawls"] if row["crawl"] != done.row.id.crawl
    )
    url = f"{done.row.start_url.rstrip('/')}{path}"
    found = service.ask("GET", f"/v1/crawls/{first}/urls/explain", query={"url": url}).body
    assert found["absence"] == ""
    assert (found["later"] and found["later"]["absence"]) == expected
    assert (found["later"] or {}).get("crawl") == (done.row.id.crawl if expected else None)
    last = service.ask("GET", f"/v1/crawls/{done.row.id.crawl}/urls/explain", query={"url": url}).body
    assert last["later"] is None
    shown = explained(url, first, service.store).found
    assert (shown.later.absence if shown.later else None) == expected


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
    assert shown.found.later is not None
    assert (shown.found.later.crawl, shown.found.later.absence) == (done.row.id.crawl, expected)
    assert shown.found.absence == ""


def test_show_says_why_a_page_is_deleted(crawls: dict[str, tuple[ResultsService, Done]]) -> None:
    service, done = crawls["whole"]
    shown = explained(f"{done.row.start_url.rstrip('/')}/gone", None, service.store)
    lines = dict(shown.found.lines(scored=False))
    assert (lines["state"], lines["absence"]) == ("not_found", "deleted, because its response is 410")


HUB = page("/hub", *(f"/below-{name}" for name in "abc"))
BELOW = (HUB, *(page(f"/below-{name}", "/deepest") for name in "abc"), page("/deepest"))


@pytest.mark.parametrize(
    ("now", "settings", "path", "expected"),
    [
        pytest.param(
            (page("/", "/hub"), page("/hub")),
            ONCE,
            "/deepest",
            "all pages to which {}/hub led vanished at once; the next crawl decides whether they are gone",
            id="all pages below a page vanish",
        ),
        pytest.param(
            (page("/", "/hub"), status("/hub", 404)),
            ONCE,
            "/deepest",
            "the page that led to it, {}/hub, was not read, because of the status code of its response (404)",
            id="the page above is gone",
        ),
        pytest.param(
            (page("/", "/hub"), Page(path="/hub", body=b"{}", content_type="application/json")),
            ONCE,
            "/below-b",
            "the response of the page that led to it, {}/hub, has no links any more",
            id="the page above is no HTML",
        ),
        pytest.param(
            (page("/", "/hub"), page("/hub", "/below-a", "/below-b"), page("/below-a"), page("/below-b")),
            replace(ONCE, follow_nofollow=True),
            "/below-c",
            "the crawl that read it last, {first}, had other settings, with which it may have found more",
            id="other settings",
        ),
    ],
)
def test_a_crawl_without_gaps_says_what_became_of_the_way_to_the_page(
    tmp_path: Path, now: tuple[Page, ...], settings: CrawlSettings, path: str, expected: str
) -> None:
    with SiteServer(Site(pages=(page("/", "/hub"), *BELOW))) as server:
        port = int(server.origin.rpartition(":")[2])
        first = crawl_inline(server.url, tmp_path, ONCE)
    with SiteServer(Site(pages=now), port=port) as server:
        second = crawl_inline(server.url, tmp_path, settings)
    with closing(LocalStore(tmp_path)) as store:
        found = explained(f"{server.origin}{path}", second.row.id.crawl, store).found
    assert found.absence == NOT_SEEN + expected.format(server.origin, first=first.row.id.crawl)


def test_a_page_that_left_a_feed_was_not_seen(tmp_path: Path) -> None:
    with SiteServer(Site(pages=())) as server:
        port, origin = int(server.origin.rpartition(":")[2]), server.origin
    link = b"<link rel=alternate type='application/rss+xml' href=/feed>"
    root = Page(path="/", body=b"<!DOCTYPE html><title>Root</title>" + link + b"<p>A text.")
    for newest in ("/old", "/new"):
        items = f"<rss version='2.0'><channel><item><link>{origin}{newest}</link></item></channel></rss>".encode()
        feed = Page(path="/feed", body=items, content_type="application/rss+xml")
        with SiteServer(Site(pages=(root, feed, page("/old"), page("/new"))), port=port) as server:
            done = crawl_inline(server.url, tmp_path, ONCE)
    with closing(LocalStore(tmp_path)) as store:
        found = explained(f"{origin}/old", done.row.id.crawl, store).found
    assert found.absence == f"{NOT_SEEN}only a feed listed it, and a feed lists the newest pages only"


def test_the_crawl_that_deleted_a_page_is_named_also_after_others(tmp_path: Path) -> None:
    gone, back = site(status("/gone", 410)), site(status("/gone", 410), status("/b", 503))
    port, done = 0, []
    for one in (BEFORE, gone, back):
        with SiteServer(one, port=port) as server:
            port = int(server.origin.rpartition(":")[2])
            done.append(crawl_inline(server.url, tmp_path, ONCE))
        time.sleep(CLOCKS + 1.1)  # crawls that follow at once cannot be told apart
    first, second, third = (one.row.id.crawl for one in done)
    with closing(LocalStore(tmp_path)) as store:
        found = {path: explained(f"{server.origin}{path}", first, store).found.later for path in ("/gone", "/b", "/a")}
    assert {path: later and (later.crawl, later.absence) for path, later in found.items()} == {
        "/gone": (second, "deleted, because its response is 410"),
        "/b": (third, f"{NOT_SEEN}of the status code of its response (503)"),
        "/a": None,
    }
