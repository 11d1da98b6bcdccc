"""A crawl whose rendered pages may receive so many bytes together: what is rendered, and what the results say."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, Done, crawl_inline, table
from tests.support.fake_browser import FakeBrowser
from tests.support.shell_site import APP, shell_site, shop_browser

from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings
from wavecrawl.domain.rendering.trouble import OVER_BUDGET
from wavecrawl.ports.browser import RenderedPage, RenderRequest

PAGE_BYTES = 1_000
"""Bytes that each page receives while it is rendered."""


@pytest.fixture(name="server", scope="module")
def a_server() -> Iterator[SiteServer]:
    with SiteServer(shell_site(broken=False)) as server:
        yield server


@pytest.fixture(name="unlimited", scope="module")
def a_crawl_without_a_limit(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    data = tmp_path_factory.mktemp("unlimited")
    return data, crawl_inline(server.url, data, settings_of(0), browser=loading_browser())


def loading_browser() -> FakeBrowser:
    """Return a browser whose pages receive bytes."""
    shop = shop_browser()

    def scripts(request: RenderRequest) -> RenderedPage:
        return structs.replace(shop.render(request), bytes=PAGE_BYTES)

    return FakeBrowser(scripts)


def settings_of(budget: int, mode: RenderMode = RenderMode.AUTO) -> CrawlSettings:
    render = RenderSettings(mode=mode, learn_after=3, sample_every=0, max_bytes=2 * PAGE_BYTES, max_crawl_bytes=budget)
    return replace(ALL_FILES, render=render)


def counted_bytes(done: Done) -> int:
    store = LocalStore(done.folder.parents[5])
    counted = CrawlStates(store.objects).summary(done.row.id).counters.render_bytes
    store.close()
    return counted


def test_rendering_ends_before_its_bytes_are_exceeded_and_the_results_say_so(
    server: SiteServer, tmp_path: Path
) -> None:
    browser = loading_browser()
    done = crawl_inline(server.url, tmp_path, settings_of(6 * PAGE_BYTES), browser=browser)
    assert len(browser.requests) == 5, "the sixth page could receive 2,000 bytes, and 1,000 are left"
    assert counted_bytes(done) == 5 * PAGE_BYTES
    pages = {page["url"].removeprefix(server.origin): page for page in done.pages()}
    problems = {path: page["render_problem"] for path, page in pages.items() if page["render_problem"]}
    ((lacking, problem),) = problems.items()
    assert problem == OVER_BUDGET
    assert all(path not in pages for path in APP[APP.index(lacking) + 1 :]), "only scripts lead to the next ones"
    assert all(pages[path]["rendered"] for path in APP[: APP.index(lacking)])
    assert pages[lacking]["state"] == "fetched"
    assert {(row["url"], row["why"]) for row in table(done.exports / "blockers.csv")} >= {
        (f"{server.origin}{lacking}", "not rendered")
    }
    assert [one.message for one in done.summary.notices if OVER_BUDGET in one.message] == [
        f"could not be rendered: {OVER_BUDGET}"
    ]
    issues = {row["kind"] for row in table(done.exports / "issues.csv")}
    assert "rendering_failed" not in issues, "the crawl's limit is no fault of the page"


def test_with_bytes_enough_the_results_are_those_without_a_limit(
    server: SiteServer, unlimited: tuple[Path, Done], tmp_path: Path
) -> None:
    browser = loading_browser()
    done = crawl_inline(server.url, tmp_path, settings_of(100 * PAGE_BYTES), browser=browser)
    assert counted_bytes(done) == len(browser.requests) * PAGE_BYTES == counted_bytes(unlimited[1])
    assert done.summary.rendered > len(APP)
    limited, free = (fingerprint(one.exports, server.origin) for one in (done, unlimited[1]))
    assert {**limited, "summary.json": ""} == {**free, "summary.json": ""}, "the summary names the settings"


def test_the_order_and_repeats_of_batches_do_not_change_which_pages_are_rendered(
    server: SiteServer, tmp_path: Path
) -> None:
    crawls = [
        crawl_inline(
            server.url,
            tmp_path / str(seed),
            settings_of(9 * PAGE_BYTES, RenderMode.ALWAYS),
            browser=loading_browser(),
            rng=Random(seed),
            duplicates=seed / 2,
        )
        for seed in range(2)
    ]
    assert {done.summary.rendered for done in crawls} == {8}
    assert {(page["rendered"], page["render_problem"]) for page in crawls[0].pages() if page["state"] == "fetched"} == {
        (True, ""),
        (False, OVER_BUDGET),
    }
    one, other = (fingerprint(done.exports, server.origin) for done in crawls)
    assert one == other


def test_a_second_crawl_without_bytes_keeps_what_the_first_one_rendered(
    server: SiteServer, unlimited: tuple[Path, Done]
) -> None:
    data, first = unlimited
    before = {page["url"]: (page["title"], page["words"]) for page in first.pages()}
    browser = loading_browser()
    second = crawl_inline(server.url, data, settings_of(3 * PAGE_BYTES), browser=browser)
    assert len(browser.requests) == 2
    assert {page["url"]: (page["title"], page["words"]) for page in second.pages()} == before
    lacking = {page["url"].removeprefix(server.origin) for page in second.pages() if page["render_problem"]}
    rendered = {request.url.removeprefix(server.origin) for request in browser.requests}
    assert {*APP} & (lacking | rendered) == {*APP}
