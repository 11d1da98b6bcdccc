"""Hostile pages: each has a clean outcome in bounded time and memory, and the pages after it are rendered."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace
from tests.browser.conftest import Open
from tests.browser.pages import SETTINGS, URL, request
from tests.support.campaign import CAMPAIGN, slow

from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.ports.browser import RenderedPage, RenderRequest

TIMEOUT = 3.0 if CAMPAIGN else 1.0
END = "<a href=/end>end</a>"
SHOWN = '<a href="http://site.example/shown">shown</a>'
LATE_END = f"<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '{END}'), 500)</script>"
NOT_COMPLETE = f"the page was not complete after {TIMEOUT:g} s"

ENDLESS = {
    "loop": "<script>while (true);</script>",
    "loop after a while": "<script>setTimeout(() => { while (true); }, 50)</script>",
    "alerts": "<script>while (true) { alert('x'); confirm('y'); prompt('z'); }</script>",
    "messages": "<script>while (true) console.log('x'.repeat(1e5));</script>",
    "printing": "<script>while (true) print();</script>",
    "regular expression": "<script>/(x+x+)+y/.test('x'.repeat(40))</script>",
}
HARMLESS = {
    "downloads": """<a download href='data:application/zip,x' id=d></a><script>
        for (let i = 0; i < 20; i++) d.click()</script>""",
    "download frames": "<iframe src='data:application/zip;base64,UEsDBA=='></iframe>",
    "permissions": """<script>Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => 0);
        try { navigator.mediaDevices.getUserMedia({audio: true, video: true}); } catch {}</script>""",
    "states": """<script>let n = 0; setInterval(() => {
        for (let i = 0; i < 1e3; i++) history.pushState(n++, '', `/s${n}`) }, 0)</script>""",
    "unload": """<script>onbeforeunload = (e) => { e.preventDefault(); e.returnValue = 'stay'; return 'stay' };
        onunload = () => { while (true); }</script>""",
    "windows": "<script>for (let i = 0; i < 20; i++) window.open('about:blank')</script>",
    "closing": "<script>window.close(); self.close()</script>",
    "frames": "<script>for (let i=0; i<10; i++) document.body.append(document.createElement('iframe'))</script>",
    "full screen": "<script>document.documentElement.requestFullscreen().catch(() => 0); open('', '_self')</script>",
    "deep": """<script>let at = document.body;
        for (let i = 0; i < 1e3; i++) at = at.appendChild(document.createElement('b'))</script>""",
    "prototypes": """<script>JSON.stringify = () => 'x'; Array.prototype.push = () => { while (true); };
        Object.defineProperty(Node.prototype, 'childNodes', {get() { throw 1 }}); document.createElement = null</script>
        """,
    "reloads": "<script>setInterval(() => location.reload(), 0)</script>",
}
if not CAMPAIGN:  # fewer pages, as each needs half a second; `reloads` would load another URL after `states`
    states = HARMLESS.pop("states")
    HARMLESS = {"states": states, "all others": "".join(HARMLESS.values())}
AWAY = {
    "script": "<script>let n = 0; setInterval(() => { location = '/next' + n++ }, 0)</script>",
    "refresh": "<meta http-equiv=refresh content='0;url=/next0'>",
    "form": "<form action=/next0 id=f></form><script>f.submit()</script>",
    "post": "<form action=/next0 method=post id=f></form><script>f.submit()</script>",
    "document": "<script>open(URL.createObjectURL(new Blob(['<a href=x>'], {type: 'text/html'})), '_top')</script>",
    "link": "<script>Object.assign(document.createElement('a'), {href: '/next0'}).click()</script>",
}
OPENING = {
    "throws": "throw new Error('x')",
    "dialogs": "alert('x'); confirm('y'); prompt('z'); print()",
    "navigates": "location = '/next0'",
    "reloads": "location.reload()",
    "leaves": "location = 'about:blank'",
    "changes the address": "history.pushState(0, '', '/other')",
    "submits": "const form = document.createElement('form'); form.action = '/next0'; b.after(form); form.submit()",
    "opens windows": "for (let i = 0; i < 50; i++) open('about:blank')",
    "removes itself": "b.remove()",
    "removes everything": "document.documentElement.remove()",
    "writes": "document.open(); document.write('<button aria-expanded=false>x</button>')",
    "adds controls": "for (let i = 0; i < 1e3; i++) b.after(b.cloneNode())",
    "adds links": "for (let i = 0; i < 1e4; i++) b.insertAdjacentHTML('afterend', `<a href=/${i}></a>`)",
}
HANGING = {
    "loop": "while (true);",
    "loop later": "setTimeout(() => { while (true); })",
    "dialogs": "while (true) alert('x')",
    "no rest": "setInterval(() => document.body.append(document.createElement('b')), 0)",
}
if not CAMPAIGN:  # one of each kind that the browser handles in its own way
    _OF_EACH_KIND = {"dialogs", "navigates", "leaves", "removes everything", "adds controls", "adds links"}
    OPENING = {kind: script for kind, script in OPENING.items() if kind in _OF_EACH_KIND}
    HANGING = {kind: HANGING[kind] for kind in ("loop", "no rest")}


def opening(script: str) -> str:
    """Return a page with a control that adds a link, then one that runs a script, then a hundred that add nothing."""
    many = (
        "<button aria-expanded=false onclick='this.after(this.cloneNode(true), this.cloneNode(true))'>x</button>" * 100
    )
    shows = "<button aria-expanded=false onclick='this.outerHTML = `<a href=/shown>shown</a>`'>x</button>"
    bad = f"<button id=b aria-expanded=false>x</button><script>b.onclick = () => {{ {script} }}</script>"
    return f"{END}{shows}{bad}{many}"


@pytest.fixture(name="hasty")
def a_browser_that_ends_pages_soon(opened: Open) -> ChromiumBrowser:
    return opened(settings=replace(SETTINGS, timeout=TIMEOUT, in_flight=len(ENDLESS)))


@pytest.fixture(name="busy")
def a_browser_with_many_pages(opened: Open) -> ChromiumBrowser:
    return opened(settings=replace(SETTINGS, in_flight=5, open_controls=5))


def rendered(browser: ChromiumBrowser, pages: dict[str, str]) -> dict[str, RenderedPage]:
    with ThreadPoolExecutor(len(pages)) as threads:
        made = threads.map(lambda html: browser.render(request(html)), pages.values())
        return dict(zip(pages, made, strict=True))


def test_pages_that_never_end_are_ended(hasty: ChromiumBrowser) -> None:
    problems = {kind: page.problem for kind, page in rendered(hasty, ENDLESS).items()}
    assert problems == dict.fromkeys(ENDLESS, NOT_COMPLETE)


def test_pages_that_annoy_people_are_rendered(busy: ChromiumBrowser) -> None:
    pages = rendered(busy, {kind: END + html for kind, html in HARMLESS.items()})
    problems = {kind: page.problem for kind, page in pages.items()}
    assert problems == dict.fromkeys(HARMLESS, "")
    assert [kind for kind, page in pages.items() if '<a href="/end">' not in page.html] == []


@slow
def test_pages_that_navigate_away_stay_and_say_where_to(busy: ChromiumBrowser) -> None:
    pages = rendered(busy, {kind: f"<body>{LATE_END}{html}" for kind, html in AWAY.items()})
    document, post = pages["document"].problem, pages["post"].problem
    assert document.startswith("the page navigates to blob:http://site.example/")
    assert post == "the page navigates to http://site.example/next0 by POST"
    away = {kind: (page.problem, page.away.rstrip("0123456789?")) for kind, page in pages.items() if page.away}
    assert away == dict.fromkeys(AWAY.keys() - {"document", "post"}, ("", "http://site.example/next"))
    assert {(page.url, page.requests) for page in pages.values()} == {(URL, 0)}
    assert [kind for kind, page in pages.items() if '<a href="/end">' not in page.html] == ["document"]


@slow
def test_controls_that_annoy_people_leave_the_page_as_it_was_read(busy: ChromiumBrowser) -> None:
    pages = rendered(busy, {kind: opening(script) for kind, script in OPENING.items()})
    assert {(page.problem, page.url, page.requests) for page in pages.values()} == {("", URL, 0)}
    assert [kind for kind, page in pages.items() if '<a href="/end">' not in page.html] == []
    assert [kind for kind, page in pages.items() if SHOWN not in page.opened] == []
    assert [kind for kind, page in pages.items() if len(page.opened) > SETTINGS.max_html] == []


@slow
def test_controls_that_take_the_time_of_the_page_are_left(opened: Open) -> None:
    short = replace(SETTINGS, in_flight=len(HANGING), open_controls=2, timeout=40.0, settle=5.0)
    pages = rendered(opened(settings=short), {kind: opening(script) for kind, script in HANGING.items()})
    assert {(page.problem, page.opened) for page in pages.values()} == {("", SHOWN)}


def test_a_page_cannot_become_another_one_without_a_request(busy: ChromiumBrowser) -> None:
    targets = ("data:text/html,x", "javascript:'<a href=x>replaced'", "file:///etc/passwd", "chrome://version")
    pages = rendered(busy, {target: f'<body>{LATE_END}<script>location = "{target}"</script>' for target in targets})
    assert {page.url for page in pages.values()} == {URL}
    assert [target for target, page in pages.items() if "root:" in page.html] == []
    assert [target for target, page in pages.items() if page.problem] == []


@slow
def test_a_page_that_becomes_an_empty_one_is_a_problem(opened: Open) -> None:
    browser = opened(settings=replace(SETTINGS, settle=3.0))  # an empty page gets no link
    page = browser.render(request("<body><script>location = 'about:blank'</script>"))
    assert (page.url, page.html, page.problem) == (URL, "", "the page navigates to about:blank")


def test_a_response_that_is_no_page_is_a_problem(browser: ChromiumBrowser) -> None:
    sent = RenderRequest(url=URL, status=200, headers=(("Content-Type", "application/zip"),), body=b"PK\3\4")
    assert browser.render(sent).problem.startswith("the page cannot be loaded: ")
    assert browser.render(request(END, ("Content-Disposition", "attachment"))).problem == ""


@pytest.fixture(name="two_attempts")
def browsers_that_try_twice(fresh: Open, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Return `fresh`. Its browsers render a page twice if its browser is lost, which takes less time than three."""
    if not CAMPAIGN:
        monkeypatch.setattr("wavecrawl.adapters.browser.pool._ATTEMPTS", 2)
    return fresh


@slow
def test_a_page_that_makes_its_process_crash_is_a_problem_for_itself_only(two_attempts: Open) -> None:
    browser = two_attempts()
    nested = (
        "<script>let at=document.body; for (let i=0;i<5e4;i++) at=at.appendChild(document.createElement('b'))</script>"
    )
    with ThreadPoolExecutor(2) as threads:
        bad = threads.submit(browser.render, request(f"{END}{nested}</script>"))
        assert [browser.render(request(END)).problem for _ in range(2)] == ["", ""]
        assert bad.result().problem == "the page's process crashed"


@slow
def test_a_page_that_needs_too_much_memory_is_a_problem_for_itself_only(two_attempts: Open) -> None:
    most = 1_500 if CAMPAIGN else 400  # MB
    browser = two_attempts(settings=replace(SETTINGS, max_browser_mb=most))
    grow = "<script>setInterval(() => { document.body.append(...Array(2e4).fill().map(() => new Text('x'.repeat(1e3))))"
    with ThreadPoolExecutor(2) as threads:
        bad = threads.submit(browser.render, request(f"{grow}}})</script>"))
        assert [browser.render(request(END)).problem for _ in range(2)] == ["", ""]
        assert bad.result().problem == f"the browser needed more than {most:,} MB of memory"


def test_the_dom_is_read_up_to_a_limit(fresh: Open, opened: Open) -> None:
    size = 1_000_000_000 if CAMPAIGN else 2_000_000  # characters
    most = 1_000_000
    browser = (fresh if CAMPAIGN else opened)(settings=replace(SETTINGS, max_html=most, max_browser_mb=4_000))
    fill = f"<script>for (let i=0; i<{size // 1000}; i++) document.body.append('x'.repeat(1e3))</script>"
    page = browser.render(request(END + fill))
    assert len(page.html) <= most
    assert page.problem or len(page.html) == most
