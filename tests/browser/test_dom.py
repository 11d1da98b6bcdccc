"""The DOM that is read, and the screenshot."""

from collections.abc import Callable, Iterator

import pytest
from msgspec import structs
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser
from tests.browser.conftest import Open
from tests.browser.pages import SETTINGS, URL, request

from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, reply_of
from wavecrawl.domain.fetching.cookies import Cookie
from wavecrawl.domain.rendering.settings import BlockSettings, RenderSettings, ScreenshotArea
from wavecrawl.ports.browser import RenderRequest

CARD = """<x-card><h2 slot=title>Title</h2>text<b slot=none>lost</b></x-card><script>
document.querySelector('x-card').attachShadow({mode: 'open'}).innerHTML =
  '<main><slot name=title>No title</slot><a href=more>more</a><slot></slot><slot name=empty>none</slot></main>';
</script>"""


def links(html: str) -> list[str | None]:
    return [link.attributes.get("href") for link in LexborHTMLParser(html).css("a[href]")]


def body(html: str) -> str:
    return html.partition("<body>")[2].partition("</body>")[0].partition("<script>")[0]


def test_shadow_roots_are_read_where_they_are_shown(browser: ChromiumBrowser) -> None:
    shown = body(browser.render(request(CARD)).html)
    assert shown == (
        '<x-card><main><h2 slot="title">Title</h2><a href="http://site.example/more">more</a>textnone</main>'
        '<b slot="none">lost</b></x-card>'
    )


def test_shadow_roots_in_shadow_roots_are_read(browser: ChromiumBrowser) -> None:
    html = """<x-a></x-a><script>
    let at = document.querySelector('x-a');
    for (const n of [1, 2, 3]) {
      const root = at.attachShadow({mode: 'open'});
      root.innerHTML = `<a href=/${n}>${n}</a><x-a></x-a>`;
      at = root.querySelector('x-a');
    }</script>"""
    assert links(browser.render(request(html)).html) == [f"http://site.example/{n}" for n in (1, 2, 3)]


def test_frames_of_the_same_origin_are_read_and_others_are_not(browser: ChromiumBrowser) -> None:
    html = """<iframe srcdoc='<base href="/base/"><p>inner <a href=one>one</a><iframe srcdoc="<a href=two>two</a>">'>
    </iframe><iframe src="data:text/html,<a href=/three>three</a>"></iframe>"""
    page = browser.render(request(html))
    assert links(page.html) == ["http://site.example/base/one", "http://site.example/base/two"]
    assert '<div data-frame="about:srcdoc"><p>inner ' in page.html


def test_text_is_read_as_the_parser_will_read_it(browser: ChromiumBrowser) -> None:
    html = "<!DOCTYPE html><p title='a&quot;<b>&amp;c'>1 &lt; 2 &amp; 3\u00a0é \u4e2d<br><img alt=x><!-- c -->"
    html += "<script>1<2</script><a href=x>"
    page = browser.render(request(html))
    assert page.html == (
        '<!DOCTYPE html><html><head></head><body><p title="a&quot;&lt;b&gt;&amp;c">1 &lt; 2 &amp; 3&nbsp;é \u4e2d<br>'
        '<img alt="x"><!-- c --><script>1<2</script><a href="x"></a></p></body></html>'
    )
    assert browser.render(request(page.html)).html == page.html


def test_the_head_and_what_scripts_add_to_it_are_read(browser: ChromiumBrowser) -> None:
    html = """<title>Before</title><a href=x>x</a><script>document.title = 'After';
    const link = document.createElement('link'); link.rel = 'canonical'; link.href = '/canonical';
    document.head.append(link); history.replaceState(0, '', '/renamed');</script>"""
    page = browser.render(request(html))
    tree = LexborHTMLParser(page.html)
    title = tree.css_first("title")
    assert title is not None
    assert (title.text(), page.url) == ("After", "http://site.example/renamed")
    assert tree.css_first('link[rel="canonical"][href="/canonical"]') is not None


def test_links_that_appear_late_are_waited_for(browser: ChromiumBrowser) -> None:
    late = "<div id=root></div><script>setTimeout(() => { root.innerHTML = '<a href=/late>late</a>' }, 700)</script>"
    assert links(browser.render(request(late)).html) == ["/late"]


def test_a_page_of_any_status_and_encoding_is_rendered(browser: ChromiumBrowser) -> None:
    headers = (("Content-Type", "text/html; charset=iso-8859-1"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))
    sent = "<p>caf\u00e9<script>document.write(document.cookie)</script><a href=x>x</a>".encode("latin-1")
    page = browser.render(RenderRequest(url=URL, status=404, headers=headers, body=sent))
    assert page.problem == ""
    assert "caf\u00e9" in page.html
    assert "a=1; b=2" in page.html
    assert "a=1" not in browser.render(request("<script>document.write(document.cookie)</script><a href=x>x</a>")).html


def test_a_page_has_the_cookies_of_the_redirects_to_it(browser: ChromiumBrowser) -> None:
    chain = (
        Cookie(name="own", value="1", host="site.example", path="/"),
        Cookie(name="below", value="2", host="example", path="/", subdomains=True),
        Cookie(name="other", value="3", host="other.example", path="/"),
        Cookie(name="bad;name", value="4", host="site.example", path="/"),
    )
    shown = request("<script>document.write(document.cookie)</script><a href=x>x</a>")
    page = browser.render(structs.replace(shown, cookies=chain))
    assert (page.problem, "own=1" in page.html, "other" in page.html) == ("", True, False)


class Api(LoopbackServer):
    """A server with data and pictures for pages."""

    def _finder(self) -> Callable[[str], Reply | None]:
        def find(path: str) -> Reply | None:
            headers = [("Content-Type", "text/plain"), ("Access-Control-Allow-Origin", "*")]
            if path == "/private":
                return reply_of(401, (*headers, ("WWW-Authenticate", 'Basic realm="x"')), b"")
            if path.startswith("/big"):
                return reply_of(200, tuple(headers), b"x" * 300_000)
            return reply_of(200, tuple(headers), path.encode())

        return find


@pytest.fixture(name="served", scope="module")
def an_api() -> Iterator[Api]:
    with Api() as server:
        yield server


@pytest.fixture(name="api")
def an_api_without_requests(served: Api) -> Api:
    served.forget()
    return served


@pytest.fixture(name="near")
def a_browser_that_reaches_the_api(served: Api, opened: Open) -> ChromiumBrowser:
    return opened(allowed=(f"127.0.0.1:{served.port}",))


def page_of(api: Api, script: str) -> RenderRequest:
    """Return a page whose script calls `end` when it has done everything."""
    end = "const end = () => document.body.insertAdjacentHTML('beforeend', '<a href=x>x</a>');"
    return request(f"<p id=p></p><script>const api = '{api.origin}'; {end} {script}</script>")


def test_the_data_that_a_page_requests_is_in_its_dom(api: Api, near: ChromiumBrowser) -> None:
    script = "fetch(api + '/data').then((r) => r.text()).then((t) => { p.textContent = t; end() })"
    page = near.render(page_of(api, script))
    assert '<p id="p">/data</p>' in page.html
    assert (page.problem, page.requests, [served.path for served in api.log]) == ("", 1, ["/data"])
    assert 5 < page.bytes < 1_000


def test_the_credential_of_the_proxy_is_not_sent_to_servers(
    api: Api, near: ChromiumBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bytes] = []
    respond = api._respond

    def noted(connection: object, head: bytes) -> bool:
        seen.append(head.lower())
        return respond(connection, head)  # type: ignore[arg-type]

    monkeypatch.setattr(api, "_respond", noted)
    private = "fetch(api + '/private', {credentials: 'include'})"
    near.render(page_of(api, f"{private}.catch(() => 0).then(() => fetch(api + '/data')).then(end)"))
    assert len(seen) == 2
    assert not [head for head in seen if b"authorization" in head]


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        (replace(SETTINGS, max_requests=3), "the page sent more than 3 requests"),
        (replace(SETTINGS, max_bytes=700_000), "the page received more than 700,000 bytes"),
    ],
)
def test_a_page_that_requests_too_much_has_a_problem(
    api: Api, opened: Open, limits: RenderSettings, problem: str
) -> None:
    browser = opened(allowed=(f"127.0.0.1:{api.port}",), settings=limits)
    script = "[...Array(9).keys()].map((i) => fetch(api + '/big' + i).then((r) => r.text()))"
    page = browser.render(page_of(api, f"Promise.allSettled({script}).then(end)"))
    assert page.problem == problem
    assert '<a href="x">' in page.html
    assert page.bytes < 1_500_000
    assert browser.render(page_of(api, "fetch(api + '/data').then(end)")).problem == ""


def test_what_is_blocked_is_not_requested(api: Api, opened: Open) -> None:
    block = BlockSettings(types=("image",), hosts=("tracker.example",))
    browser = opened(allowed=(f"127.0.0.1:{api.port}",), settings=replace(SETTINGS, block=block), lookup=local)
    script = f"""const image = new Image(), seen = new Promise((done) => {{ image.onload = image.onerror = done }});
    image.src = api + '/image';
    const track = fetch('http://www.tracker.example:{api.port}/track').catch(() => 0);
    Promise.all([track, seen, fetch(api + '/data')]).then(end)"""
    page = browser.render(page_of(api, script))
    assert (page.requests, [served.path for served in api.log]) == (1, ["/data"])
    seen = browser.render(replace_screenshot(page_of(api, script)))
    assert (seen.requests, {served.path for served in api.log}) == (2, {"/data", "/image"})


def local(_: str) -> tuple[str, ...]:
    return ("127.0.0.1",)


def replace_screenshot(sent: RenderRequest) -> RenderRequest:
    return RenderRequest(url=sent.url, status=sent.status, headers=sent.headers, body=sent.body, screenshot=True)


def size_of(jpeg: bytes) -> tuple[int, int]:
    """Return width and height from the frame header of a baseline JPEG (ITU T.81 B.2.2)."""
    at = jpeg.index(b"\xff\xc0") + 5
    return int.from_bytes(jpeg[at + 2 : at + 4], "big"), int.from_bytes(jpeg[at : at + 2], "big")


@pytest.mark.parametrize(
    ("area", "expected"),
    [
        (ScreenshotArea.VIEWPORT, {9_000: (640, 480)}),
        (ScreenshotArea.FULL, {9_000: (640, 3_000), 10: (640, 480)}),
    ],
)
def test_a_screenshot_has_a_bounded_size(
    opened: Open, area: ScreenshotArea, expected: dict[int, tuple[int, int]]
) -> None:
    sized = replace(SETTINGS, viewport_width=640, viewport_height=480, screenshot_height=3_000, screenshot_area=area)
    browser = opened(settings=sized)
    html = "<body style='margin:0'><a href=x>x</a><div style='height:{}px;background:linear-gradient(red,blue)'>"
    pages = {height: browser.render(request(html.format(height), screenshot=True)) for height in expected}
    assert {height: (page.problem, size_of(page.screenshot)) for height, page in pages.items()} == {
        height: ("", size) for height, size in expected.items()
    }
