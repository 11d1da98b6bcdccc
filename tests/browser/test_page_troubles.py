"""What goes wrong inside a page that loads: it is named, and what is no problem is not."""

from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace
from tests.adapters.http.loopback import Peer, serving
from tests.browser.conftest import Open
from tests.browser.pages import SETTINGS, request

from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, reply_of
from wavecrawl.domain.rendering.settings import BlockSettings
from wavecrawl.ports.browser import RenderedPage

_SCRIPT = ("Content-Type", "text/javascript")
_JSON = ("Content-Type", "application/json")
_BODIES = {
    "/throws.js": "document.body.append('x'); throw new TypeError('no list');",
    "/syntax.js": "const list = [;",
    "/tracker.js": "document.body.append('x'); throw new TypeError('of a tracker');",
}
_STATUS = {"/missing": 404, "/busy": 429, "/broken": 503, "/signed-out": 401}


class Site(LoopbackServer):
    """A server whose API and scripts fail in ways that their paths name. `/flaky` fails at the first request."""

    flaky = 0

    def _finder(self) -> Callable[[str], Reply | None]:
        def find(path: str) -> Reply | None:
            path = path.partition("?")[0]
            if path in _BODIES:
                return reply_of(200, (_SCRIPT,), _BODIES[path].encode())
            if path == "/flaky":
                self.flaky += 1
                return reply_of(500 if self.flaky == 1 else 200, (_JSON,), b"[1]")
            for start, status in _STATUS.items():
                if path.startswith(start):
                    more = (("Retry-After", "7"),) if status == 429 else ()
                    return reply_of(status, (_JSON, *more), b"{}")
            return reply_of(200, (_JSON,), b'{"error": "down"}')

        return find


@pytest.fixture(name="site", scope="module")
def a_site() -> Iterator[Site]:
    with Site() as server:
        yield server


@pytest.fixture(name="render")
def a_browser_at_the_site(site: Site, opened: Open) -> Callable[..., RenderedPage]:
    """Return a function that renders a page of the site. It has a link, so that it is complete."""
    blocks = BlockSettings(types=(), hosts=("localhost",))

    def render(html: str) -> RenderedPage:
        near: ChromiumBrowser = opened(
            settings=replace(SETTINGS, block=blocks), allowed=(f"127.0.0.1:{site.port}", f"[::1]:{site.port}")
        )
        return near.render(request(f"<a href=x>x</a><p id=p></p>{html}", url=f"{site.origin}/page"))

    return render


@pytest.mark.parametrize(
    ("html", "failure", "is_passing"),
    [
        ("<script src=/missing.js></script>", "its script {}/missing.js responded with 404", False),
        ("<script>fetch('/missing')</script>", "its request for {}/missing responded with 404", False),
        ("<script>fetch('/busy')</script>", "its request for {}/busy responded with 429", True),
        ("<iframe src=/broken></iframe>", "its frame {}/broken responded with 503", True),
        (
            "<script>const x = new XMLHttpRequest(); x.open('GET', '/broken/api'); x.send()</script>",
            "its request for {}/broken/api responded with 503",
            True,
        ),
        (
            "<script>fetch('/missing').then(() => fetch('/broken'))</script>",
            "its request for {}/broken responded with 503",
            True,
        ),
    ],
)
def test_requests_to_its_own_site_that_fail_are_named(
    site: Site, render: Callable[..., RenderedPage], html: str, failure: str, *, is_passing: bool
) -> None:
    page = render(html)
    assert (page.problem, page.failure, page.is_passing) == ("", failure.format(site.origin), is_passing)
    assert page.retry_after == (7.0 if "429" in failure else 0.0)


def test_a_request_that_breaks_is_named(render: Callable[..., RenderedPage]) -> None:
    page = render("<script>fetch('http://127.0.0.1:1/api')</script>")
    assert page.failure.startswith("its request for http://127.0.0.1:1/api failed (net::")
    assert page.is_passing


def _never_respond(peer: Peer) -> None:
    peer.request()
    peer.hold()


def test_a_request_without_a_response_is_named(opened: Open) -> None:
    with serving(_never_respond) as silent:
        near = opened(settings=replace(SETTINGS, settle=1.0), allowed=(f"127.0.0.1:{silent.port}",))
        page = near.render(request("<a href=x>x</a><script>fetch('/api')</script>", url=f"{silent.url}/page"))
    assert (page.problem, page.failure) == ("", f"its request for {silent.url}/api had no response within 1 s")
    assert page.is_passing


@pytest.mark.parametrize(
    "html",
    [
        "<script>fetch('/signed-out')</script>",
        "<script>fetch('/ok')</script>",
        "<img src=/broken.png>",
        "<link rel=stylesheet href=/broken.css>",
        "<script>navigator.sendBeacon('/broken')</script>",
        "<script src=http://localhost:1/blocked.js></script>",
        "<script>const c = new AbortController(); fetch('/ok', {signal: c.signal}).catch(() => 0); c.abort()</script>",
        "<script>new WebSocket('ws://' + location.host + '/broken'); new EventSource('/broken')</script>",
        "<script>navigator.serviceWorker.register('/missing.js').catch(() => 0)</script>",
        "<script>fetch('/flaky').then((r) => r.ok || fetch('/flaky'))</script>",
        "<script>fetch('/ok').then((r) => r.json()).then((l) => l.map(String)).catch(() => 0)</script>",
    ],
)
def test_what_the_page_does_not_need_or_repeats_with_success_is_no_problem(
    site: Site, render: Callable[..., RenderedPage], html: str
) -> None:
    site.flaky = 0
    page = render(html)
    assert (page.problem, page.failure, page.error, page.loading) == ("", "", "", "")


@pytest.mark.parametrize(
    ("html", "error"),
    [
        ("<script src=/throws.js></script>", "TypeError: no list"),
        ("<script>throw new Error('inline')</script>", "Error: inline"),
        ("<script type=module src=/syntax.js></script>", "SyntaxError: Unexpected token ';'"),
        ("<script>fetch('/ok').then((r) => r.json()).then((l) => l.map(String))</script>", "TypeError: l.map is not"),
        ("<script>Promise.reject('a text')</script>", "a text"),
    ],
)
def test_errors_of_its_own_scripts_are_named(render: Callable[..., RenderedPage], html: str, error: str) -> None:
    assert render(html).error.startswith(f"a script of the page failed: {error}")


def test_errors_for_lack_of_a_blocked_tracker_are_none(render: Callable[..., RenderedPage]) -> None:
    blocked = "<script src=http://localhost:1/tracker.js></script>"
    assert render(f"{blocked}<script>tracker('view')</script>").error == ""
    assert render("<script>tracker('view')</script>").error.endswith("ReferenceError: tracker is not defined")


def test_errors_of_scripts_of_other_sites_are_none(site: Site, opened: Open) -> None:
    near = opened(allowed=(f"127.0.0.1:{site.port}",))
    page = near.render(request(f"<a href=x>x</a><script src={site.origin}/tracker.js></script>"))
    assert (page.error, page.failure) == ("", "")
    assert near.render(request(f"<a href=x>x</a><script src={site.origin}/missing.js></script>")).failure == ""


def test_a_script_of_another_host_of_the_site_belongs_to_the_page(site: Site, opened: Open) -> None:
    near = opened(allowed=(f"127.0.0.1:{site.port}",), lookup=lambda _: ("127.0.0.1",))
    script = f"http://cdn.site.example:{site.port}/missing.js"
    page = near.render(request(f"<a href=x>x</a><script src={script}></script>", url="http://www.site.example/"))
    assert page.failure == f"its script {script} responded with 404"
