"""Whole crawls of a site of which scripts make a part, with a fake browser."""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import duckdb
import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.support.campaign import ALL
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, SILENT, Done, build_results, crawl_inline, table
from tests.support.fake_browser import JPEG, FakeBrowser
from tests.support.faked_workers import build_failing_worker, build_faked_worker
from tests.support.hits import hits
from tests.support.shell_site import APP, ITEMS, PROBLEM, shell_site, shop_browser

from wavecrawl.adapters.embedded.worker import Work
from wavecrawl.application.pages import page_content
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.bootstrap import local
from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.frontier import NOT_RENDERED
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings, Screenshots
from wavecrawl.ports.browser import RenderedPage, RenderRequest

RENDERED = len(APP) + 3  # and the first items, to which rendering adds nothing
AUTO = replace(ALL_FILES, render=RenderSettings(learn_after=3, sample_every=0), waves=WaveSettings(max_attempts=50))


@pytest.fixture(name="server", scope="module")
def a_server() -> Iterator[SiteServer]:
    with SiteServer(shell_site()) as server:
        yield server


@pytest.fixture(autouse=True)
def _fresh_server(server: SiteServer) -> None:
    server.forget()


@pytest.fixture(name="done", scope="module")
def a_rendered_crawl(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Done:
    return crawl_inline(server.url, tmp_path_factory.mktemp("rendered"), AUTO, browser=shop_browser())


def by_path(done: Done, origin: str) -> dict[str, dict[str, object]]:
    return {page["url"].removeprefix(origin): page for page in done.pages()}


def test_the_links_of_scripts_are_followed_and_marked(server: SiteServer, done: Done) -> None:
    pages = by_path(done, server.origin)
    assert set(APP) <= pages.keys()
    assert all(pages[path]["rendered"] and pages[path]["render_added"] for path in APP)
    assert (pages["/app/home"]["title"], pages["/plain/harbour"]["rendered"]) == ("harbour", False)
    edges = (
        duckdb.connect()
        .execute(
            "SELECT target, found_in FROM read_parquet(?) WHERE source LIKE '%/app/home'",
            [str(done.exports / "edges.parquet")],
        )
        .fetchall()
    )
    assert sorted(edges) == [(f"{server.origin}{path}", "dom") for path in ("/", "/app/cart", "/plain/harbour")]
    assert (done.summary.rendered, done.summary.unrendered) == (RENDERED, 1)


def test_rendering_stops_where_it_adds_nothing(server: SiteServer, done: Done) -> None:
    items = [page for path, page in by_path(done, server.origin).items() if path.startswith("/item-")]
    assert len(items) == ITEMS
    rendered = [page for page in items if page["rendered"]]
    assert len(rendered) == 3
    assert {page["shell"] for page in items if not page["rendered"]} == {""}, "they are no shells"
    assert all(page["words"] for page in items)


def test_a_page_that_cannot_be_rendered_keeps_its_response(server: SiteServer, done: Done) -> None:
    page = by_path(done, server.origin)["/broken"]
    assert (page["state"], page["rendered"], page["render_problem"]) == ("fetched", False, PROBLEM)
    assert page["title"] == "Shop"
    blockers = (done.exports / "blockers.csv").read_text()
    assert "/broken,not rendered" in blockers
    issues = [row for row in table(done.exports / "issues.csv") if row["kind"] == "rendering_failed"]
    assert [(row["url"], row["severity"], row["detail"]) for row in issues] == [
        (f"{server.origin}/broken", "error", PROBLEM)
    ]


def test_the_warc_has_the_response_and_the_rendered_page(server: SiteServer, done: Done) -> None:
    page = by_path(done, server.origin)["/app/home"]
    store = LocalStore(done.folder.parents[5])
    content = page_content(done.row, str(page["key"]), store, limit=100_000)
    store.close()
    assert b"<div id=root></div>" in content.response.body
    assert content.response.id.startswith("<urn:uuid:")
    warc = b"".join(gzip.decompress(path.read_bytes()) for path in sorted(done.folder.glob("warc/*.warc.gz")))
    conversions = [part for part in warc.split(b"WARC/1.1\r\n") if part.startswith(b"WARC-Type: conversion")]
    assert len(conversions) == RENDERED
    (home,) = (part for part in conversions if b"/app/home\r\n" in part.partition(b"\r\n\r\n")[0])
    assert f"WARC-Refers-To: {content.response.id}".encode() in home
    assert b"All about the harbour" in home


def test_without_a_browser_shells_stay_and_block_verdicts(server: SiteServer, tmp_path: Path) -> None:
    done = crawl_inline(server.url, tmp_path, AUTO)
    pages = by_path(done, server.origin)
    assert "/app/cart" not in pages
    assert pages["/app/home"]["shell"] == "#root, 1 element in the body"
    assert (done.summary.rendered, done.summary.unrendered) == (0, 2 + ITEMS)
    assert "/app/home,not rendered" in (done.exports / "blockers.csv").read_text()


def test_modes_and_screenshots(server: SiteServer, tmp_path: Path) -> None:
    always = replace(ALL_FILES, render=RenderSettings(mode=RenderMode.ALWAYS, screenshots=Screenshots.HOME))
    browser = shop_browser()
    done = crawl_inline(server.url, tmp_path / "always", always, browser=browser)
    pages = by_path(done, server.origin)
    assert all(page["rendered"] for path, page in pages.items() if path != "/broken")
    assert [path for path, page in pages.items() if page["screenshot"]] == ["/"]
    assert (tmp_path / "always" / str(pages["/"]["screenshot"])).read_bytes() == JPEG
    never = replace(ALL_FILES, render=RenderSettings(mode=RenderMode.NEVER, screenshots=Screenshots.ALL))
    browser = shop_browser()
    crawl_inline(server.url, tmp_path / "never", never, browser=browser)
    assert not browser.requests
    shown = replace(ALL_FILES, render=RenderSettings(screenshots=Screenshots.ALL))
    done = crawl_inline(server.url, tmp_path / "shown", shown, browser=browser)
    assert all(page["screenshot"] for path, page in by_path(done, server.origin).items() if path != "/broken")


def test_an_unchanged_shell_is_rendered_again(server: SiteServer, tmp_path: Path) -> None:
    """Its data may have changed. If it did not, the record refers to the earlier one."""
    settings = replace(AUTO, render=RenderSettings(screenshots=Screenshots.ALL))
    first = crawl_inline(server.url, tmp_path, settings, browser=shop_browser())
    assert all(hits(server, path) == 1 for path in by_path(first, server.origin))
    browser = FakeBrowser(lambda request: painted(shop(request)))
    again = crawl_inline(server.url, tmp_path, settings, browser=browser)
    pages = by_path(again, server.origin)
    rendered = {request.url.removeprefix(server.origin) for request in browser.requests}
    assert rendered == {*APP, "/broken", *(path for path in pages if path.startswith("/item-"))}
    assert [path for path, page in pages.items() if page["state"] != "unchanged"] == ["/app/team"]
    assert "Painted yesterday" in str(pages["/app/team"]["text"])
    assert (pages["/app/home"]["title"], pages["/app/home"]["rendered"]) == ("harbour", True)
    assert not any(request.screenshot for request in browser.requests if "broken" not in request.url)
    assert all(page["screenshot"] for path, page in pages.items() if path != "/broken")


def shop(request: RenderRequest) -> RenderedPage:
    return shop_browser().render(request)


def painted(page: RenderedPage) -> RenderedPage:
    """Return the page with new data, if it is that of one shell."""
    if not page.url.endswith("/app/team"):
        return page
    return structs.replace(page, html=page.html.replace("All about", "Painted yesterday: all about"))


def test_pages_that_wait_for_a_browser_when_a_crawl_ends_are_counted(tmp_path: Path) -> None:
    """Their responses are stored, but no record of them is final."""

    def cancel(_: PageRecord) -> None:
        store = LocalStore(tmp_path)
        store.crawls.ask_to_cancel(store.crawls.newest_first()[0].id)
        store.close()

    def cancelling(ports: WorkerPorts) -> WorkerPorts:
        return structs.replace(ports, watch=cancel)

    shell = Page(path="/", body=b"<html><body><div id=root></div><script src=/app.js></script></body></html>")
    with SiteServer(Site(pages=(shell,))) as server:
        done = crawl_inline(server.url, tmp_path, AUTO, browser=shop_browser(), replace_ports=cancelling)
    (row,) = done.ledger()
    assert (row["state"], row["reason"], row["detail"]) == ("skipped", "cancelled", NOT_RENDERED)
    assert (done.summary.status, done.summary.pages, done.pages()) == ("cancelled", 0, [])
    (notice,) = (one for one in done.summary.notices if one.subject == "render")
    assert notice.message.startswith("1 page was fetched, but the crawl ended before it was rendered")


@pytest.mark.parametrize("seed", [0, 1] if ALL else [0])
def test_order_and_repeats_of_deliveries_change_nothing(
    server: SiteServer, tmp_path: Path, done: Done, seed: int
) -> None:
    other = crawl_inline(server.url, tmp_path, AUTO, rng=Random(seed), duplicates=0.3, browser=shop_browser())
    found, expected = (fingerprint(one.exports, server.origin) for one in (other, done))
    assert expected["pages.csv"]
    assert found == expected


@pytest.mark.parametrize(
    ("workers", "build"),
    [(4, build_faked_worker), *([(1, build_faked_worker), (2, build_failing_worker)] if ALL else [])],
)
def test_any_number_of_workers_and_failures_of_the_browser_export_the_same(
    server: SiteServer,
    tmp_path: Path,
    done: Done,
    monkeypatch: pytest.MonkeyPatch,
    *,
    workers: int,
    build: Callable[..., Work],
) -> None:
    monkeypatch.setattr(local, "build_worker", build)
    monkeypatch.setattr(local, "renders", lambda _: True)
    store = LocalStore(tmp_path)
    row, _ = run_local_crawl(store, store.start(server.url, AUTO), workers=workers, watchers=SILENT, results=False)
    other = build_results(store, row)
    store.close()
    found, expected = (fingerprint(one.exports, server.origin) for one in (other, done))
    assert expected["pages.csv"]
    assert found == expected


def scripted_list(*, items: int = 3) -> Site:
    """Return a shop with complete pages, whose list of items a script writes. A sitemap lists the items too."""
    text = "<p>We make fine things for the house and the garden, and send them everywhere within two days.</p>" * 6
    script = "<script>fetch('/api').then(show)</script>"
    home = f"<title>Shop</title><main><h1>Our shop</h1>{text}<a href='/about'>About</a></main>{script}"
    listed = [f"/item/{number}" for number in range(items)]
    pages = [Page(path="/", body=home.encode()), Page(path="/about", body=f"<title>About</title>{text}".encode())]
    pages += [Page(path=path, body=f"<title>{path}</title>{text}".encode()) for path in listed]
    sitemap = SitemapFile(path="/sitemap.xml", entries=tuple(SitemapEntry(to=path) for path in listed))
    return Site(pages=tuple(pages), name="Shop", sitemaps=(sitemap,))


def test_scripts_that_add_links_to_complete_pages_are_run_or_make_orphans_inconclusive(tmp_path: Path) -> None:
    links = "".join(f"<a href='/item/{number}'>{number}</a>" for number in range(3))

    def with_list(request: RenderRequest) -> str:
        html = request.body.decode()
        return html.replace("</main>", f"{links}</main>") if b"Our shop" in request.body else html

    with SiteServer(scripted_list()) as server:
        browser = FakeBrowser(with_list)
        done = crawl_inline(server.url, tmp_path / "with", AUTO, browser=browser)
        assert [request.url for request in browser.requests] == [server.url], "the others have no scripts"
        assert table(done.exports / "orphans.csv") == []
        without = crawl_inline(server.url, tmp_path / "without", AUTO)
    assert {row["verdict"] for row in table(without.exports / "orphans.csv")} == {"inconclusive"}
    (notice,) = (one for one in without.summary.notices if one.subject == "render")
    assert notice.message.startswith("1 page has scripts that may add links, and no browser ran them")
    assert "/,read without running its scripts" in (without.exports / "blockers.csv").read_text()


def test_links_that_need_an_action_are_a_notice_and_a_blocker(tmp_path: Path) -> None:
    button = b"<title>Shop</title><main><p>Our items.</p><button>Load more</button></main><script src=/x.js></script>"
    with SiteServer(Site(pages=(Page(path="/", body=button),), name="Shop")) as server:
        done = crawl_inline(server.url, tmp_path, AUTO, browser=FakeBrowser())
    messages = [one.message for one in done.summary.notices if one.subject == server.url]
    assert [message.partition(";")[0] for message in messages] == ["it has a button to show more (Load more)"]
    assert "/,read without scrolling or buttons" in (done.exports / "blockers.csv").read_text()
