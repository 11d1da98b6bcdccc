"""The browser of a process is built with its first page."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.fake_browser import FakeBrowser

from wavecrawl.bootstrap import browsers
from wavecrawl.bootstrap.browsers import LazyBrowser, renders
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings, Screenshots
from wavecrawl.errors import BrowserMissingError
from wavecrawl.ports.browser import RenderRequest

REQUEST = RenderRequest(url="http://site.example/", status=200, headers=(), body=b"<p>text")


@pytest.fixture(name="built")
def the_built_browsers(monkeypatch: pytest.MonkeyPatch) -> list[FakeBrowser]:
    built: list[FakeBrowser] = []

    def build(_: CrawlSettings) -> FakeBrowser:
        built.append(FakeBrowser())
        return built[-1]

    monkeypatch.setattr(browsers, "chromium", build)
    return built


def test_threads_share_one_browser_that_is_built_when_it_is_needed(built: list[FakeBrowser]) -> None:
    browser = LazyBrowser(CrawlSettings())
    assert not built
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(browser.render, [REQUEST] * 8))
    assert [page.html for page in pages] == ["<p>text"] * 8
    assert len(built) == 1
    browser.close()
    assert built[0].closed


def test_a_browser_that_was_never_needed_is_not_built_to_be_closed(built: list[FakeBrowser]) -> None:
    LazyBrowser(CrawlSettings()).close()
    assert not built


@pytest.mark.parametrize("there", [True, False])
def test_a_crawl_renders_if_it_may_and_there_is_a_browser(monkeypatch: pytest.MonkeyPatch, *, there: bool) -> None:
    monkeypatch.setattr(browsers, "missing_browser", lambda: "" if there else "there is none; install one")
    assert renders(CrawlSettings()) is there
    assert not renders(CrawlSettings(render=RenderSettings(mode=RenderMode.NEVER, screenshots=Screenshots.ALL)))
    needy = CrawlSettings(render=RenderSettings(mode=RenderMode.ALWAYS))
    if there:
        assert renders(needy)
    else:
        with pytest.raises(BrowserMissingError, match="there is none; install one"):
            renders(needy)
