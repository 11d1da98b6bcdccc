"""The browser of a process is built with its first page."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.fake_browser import FakeBrowser

from wavecrawl.bootstrap import browsers
from wavecrawl.bootstrap.browsers import LazyBrowser, renders
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings, Screenshots
from wavecrawl.errors import BrowserMissingError, TransientError
from wavecrawl.ports.browser import RenderedPage, RenderRequest

REQUEST = RenderRequest(url="http://site.example/", status=200, headers=(), body=b"<p>text")


@pytest.fixture(name="built")
def the_built_browsers(monkeypatch: pytest.MonkeyPatch) -> list[FakeBrowser]:
    built: list[FakeBrowser] = []

    def build(_settings: CrawlSettings, *_: object) -> FakeBrowser:
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


def failing(monkeypatch: pytest.MonkeyPatch, *errors: Exception | None) -> list[Exception | None]:
    """Let the browser raise these errors, one by one; None: it renders. Return those that are left."""
    left = list(errors)

    def scripts(request: RenderRequest) -> RenderedPage:
        if (error := left.pop(0)) is not None:
            raise error
        return RenderedPage(html="rendered", url=request.url)

    monkeypatch.setattr(browsers, "chromium", lambda *_: FakeBrowser(scripts))
    return left


def test_a_browser_that_is_missing_is_started_once(monkeypatch: pytest.MonkeyPatch) -> None:
    left = failing(monkeypatch, BrowserMissingError("no library"), None)
    browser = LazyBrowser(CrawlSettings())
    for _ in range(3):
        with pytest.raises(BrowserMissingError, match="no library"):
            browser.render(REQUEST)
    assert len(left) == 1


def test_a_browser_that_does_not_start_twice_in_a_row_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    left = failing(monkeypatch, TransientError("now"), None, TransientError("again"), TransientError("always"), None)
    browser = LazyBrowser(CrawlSettings())
    with pytest.raises(TransientError, match="now"):
        browser.render(REQUEST)
    assert browser.render(REQUEST).html == "rendered"
    with pytest.raises(TransientError, match="again"):
        browser.render(REQUEST)
    for _ in range(2):
        with pytest.raises(BrowserMissingError, match="always"):
            browser.render(REQUEST)
    assert len(left) == 1


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
