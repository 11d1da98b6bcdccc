"""The contract of browsers. Chromium is tested where it is installed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.chromium import chromium
from tests.support.fake_browser import FakeBrowser

from wavecrawl.ports.browser import Browser, RenderRequest

URL = "http://site.example/page"
HTML = (("Content-Type", "text/html; charset=utf-8"),)


def request(html: str, *, url: str = URL, screenshot: bool = False) -> RenderRequest:
    return RenderRequest(url=url, status=200, headers=HTML, body=html.encode(), screenshot=screenshot)


@pytest.fixture(params=["fake", "chromium"], scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    made = FakeBrowser() if request.param == "fake" else chromium()
    yield made
    made.close()


def test_a_page_is_rendered_from_the_stored_response(browser: Browser) -> None:
    page = browser.render(request("<title>T\u00e4tig</title><body><p>Some text.</p><a href='/next'>next</a></body>"))
    assert (page.problem, page.url, page.requests) == ("", URL, 0)
    assert "T\u00e4tig" in page.html
    assert "Some text." in page.html
    assert "/next" in page.html


def test_a_screenshot_is_made_only_if_it_is_requested(browser: Browser) -> None:
    assert browser.render(request("<p>text</p>")).screenshot == b""
    made = browser.render(request("<p>text</p>", screenshot=True)).screenshot
    assert (made[:3], made[-2:]) == (b"\xff\xd8\xff", b"\xff\xd9")  # the markers of JPEG (ITU T.81, B.1.1.3)


def test_threads_share_a_browser(browser: Browser) -> None:
    urls = [f"{URL}/{number}" for number in range(4)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        pages = list(pool.map(lambda url: browser.render(request(f"<p>{url}</p>", url=url)), urls))
    assert [page.url for page in pages] == urls
    assert all(url in page.html for url, page in zip(urls, pages, strict=True))
