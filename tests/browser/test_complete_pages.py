"""When a page is complete: evidence ends the wait, not time. And what shows more when it is scrolled."""

import pytest
from msgspec.structs import replace
from tests.browser.conftest import Open
from tests.browser.pages import SETTINGS, request
from tests.browser.test_dom import links

from wavecrawl.adapters.browser.chromium import ChromiumBrowser

NAV = "<nav><a href=/>Home</a></nav>"
LIST = "<ul id=list></ul>"
ADD = "list.innerHTML = '<a href=/late>late</a>';"
BY_SCRIPT = f"const late = document.createElement('script'); late.textContent = `{ADD}`; document.body.append(late)"
FRAMES = f"let n = 15; const next = () => requestAnimationFrame(() => {{ if (n--) next(); else {{ {ADD} }} }}); next()"
BUSY = "const end = performance.now() + 150; while (performance.now() < end); "
SLOW_FRAMES = FRAMES.replace("if (n--)", f"{BUSY} if (n--)")
FADES = f"list.addEventListener('transitionend', () => {{ {ADD} }}); list.offsetTop; list.style.opacity = 0"


def later(milliseconds: int, script: str = ADD) -> str:
    return f"setTimeout(() => {{ {script} }}, {milliseconds});"


@pytest.mark.parametrize(
    ("html", "script"),
    [
        ("<div id=root>Loading products ...</div>", later(1_500, ADD.replace("list", "root"))),
        ("<div id=root></div>", later(1_200, ADD.replace("list", "root"))),
        (LIST, later(1_200)),
        (f"<p id=p>Wird geladen …</p>{LIST}", later(3_500, f"p.remove(); {ADD}")),
        ("<ul id=list aria-busy=true>.</ul>", later(3_500, f"list.ariaBusy = 'false'; {ADD}")),
        (LIST, later(1_000, BY_SCRIPT)),
        (LIST, later(900, f"list.innerHTML = '<li>1</li>'; {later(900)}")),
        (LIST, f"const turns = setInterval(() => {{ {ADD} clearInterval(turns) }}, 900)"),
        (LIST, FRAMES),
        (LIST, f"let n = 60; const turn = () => setTimeout(() => {{ if (n--) turn(); else {ADD} }}); turn()"),
        ("<ul id=list style='transition: opacity 0.4s'></ul>", FADES),
        (LIST, f"new IntersectionObserver(() => fetch('data:,').then(() => {{ {ADD} }})).observe(list)"),
        (LIST, f"const x = new XMLHttpRequest(); x.onloadend = () => {{ {ADD} }}; x.open('GET', 'data:,'); x.send()"),
        (LIST, f"import('data:text/javascript,export default 1').then(() => {{ {ADD} }})"),
    ],
)
def test_what_scripts_add_later_belongs_to_the_page(browser: ChromiumBrowser, html: str, script: str) -> None:
    page = browser.render(request(f"{NAV}{html}<script>{script}</script>"))
    assert "/late" in links(page.html)
    assert (page.problem, page.loading) == ("", "")


@pytest.mark.parametrize(
    "script",
    [
        later(1_200),
        f"new Worker('data:,setTimeout(() => postMessage(1), 1500)').onmessage = () => {{ {ADD} }}",
        f"fetch('data:,').then((r) => r.text()).then(() => {{ {ADD} }})",
        FRAMES,
        SLOW_FRAMES,
    ],
)
def test_a_page_without_links_gets_those_that_its_scripts_wait_for(browser: ChromiumBrowser, script: str) -> None:
    page = browser.render(request(f"<p>Some text.</p>{LIST}<script>{script}</script>"))
    assert links(page.html) == ["/late"]


@pytest.mark.parametrize(
    "html",
    [
        "<p>Some text.</p>",
        "",
        "<img alt='' src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>",
        "<details><summary>More</summary><a href=/more>more</a></details>",
        "<p>Some text.</p><script>document.title = 'x'</script>",
        "<svg></svg><script>1</script>",
        "<p>Some text.</p><script>fetch('data:,')</script>",
        "<p>Some text.</p><script>const draw = () => requestAnimationFrame(draw); draw()</script>",
    ],
)
def test_a_page_without_links_is_complete_without_a_wait_for_them(browser: ChromiumBrowser, html: str) -> None:
    page = browser.render(request(html))
    assert (page.problem, page.loading) == ("", "")
    assert page.seconds < SETTINGS.settle


def test_a_page_that_is_left_without_a_script_says_where_to(browser: ChromiumBrowser) -> None:
    page = browser.render(request("<meta http-equiv=refresh content='0; url=/next'><p>Some text.</p>"))
    assert page.away == "http://site.example/next"


def test_a_page_that_keeps_loading_says_so(opened: Open) -> None:
    soon = opened(settings=replace(SETTINGS, settle=0.5))
    page = soon.render(request(f"{NAV}<div id=root>Loading products ...</div><script></script>"))
    assert page.loading == "the page still says that it is loading (Loading products ...)"


@pytest.mark.parametrize(
    "html",
    [
        "<p>Some text.</p>",
        "<p style='display: none'>Loading ...</p><script>1</script>",
        "<h2>Loading ...</h2><code>loading</code><script>1</script>",
        "<p>Loading modules takes time, and saves memory.</p><script>1</script>",
        "<noscript>Please wait</noscript><script>1</script>",
        "<p>Loading ...</p>",  # no script will change that
        "<div id=app></div><p>" + "A complete page with much text. " * 20 + "</p><script>1</script>",
        "<script>const poll = () => setTimeout(poll, 500); poll()</script>",
        "<script>setInterval(() => { document.title = Date.now() }, 300)</script>",
        "<script>setTimeout(() => 1, 60000); clearTimeout(setTimeout(() => 1, 2900))</script>",
    ],
)
def test_other_pages_are_complete_without_a_wait_for_time(browser: ChromiumBrowser, html: str) -> None:
    """`settle` is 100 s here: no test that waited for its end would pass in time."""
    page = browser.render(request(NAV + html))
    assert (page.problem, page.loading) == ("", "")
    assert page.seconds < SETTINGS.settle


SCROLLED = """<ul id=l></ul><div id=s style='height: 20px'></div><script>
let n = 0;
const more = () => { if (n < 30) for (let i = 0; i < 10; i++, n++)
  l.insertAdjacentHTML('beforeend', `<li style='height: 120px'><a href=/item/${n}>${n}</a>`) };
more();"""


@pytest.mark.parametrize(
    "watch",
    [
        "new IntersectionObserver((e) => e[0].isIntersecting && more()).observe(s)",
        "addEventListener('scroll', () => scrollY + innerHeight + 50 > document.body.scrollHeight && more())",
        "window.onscroll = more",
    ],
)
def test_a_page_that_shows_more_links_when_it_is_scrolled_is_noticed(browser: ChromiumBrowser, watch: str) -> None:
    page = browser.render(request(f"{SCROLLED}{watch}</script>"))
    assert page.scrolls
    assert len(links(page.html)) == 10, "it is read before it is scrolled"


def test_a_list_that_scrolls_by_itself_is_noticed(browser: ChromiumBrowser) -> None:
    box = "<div id=box style='height: 300px; overflow: auto'>"
    page = browser.render(request(f"{box}{SCROLLED} box.addEventListener('scroll', more)</script></div>"))
    assert page.scrolls


@pytest.mark.parametrize(
    "html",
    [
        "<div style='height: 9000px'></div>",
        "<p style='height: 9000px' id=d></p><script>addEventListener('scroll', () => { d.className = 'x' })</script>",
        "<div style='height: 9000px'></div><img id=i><script>new IntersectionObserver(() => 1).observe(i)</script>",
    ],
)
def test_pages_that_scroll_without_more_links_are_not(browser: ChromiumBrowser, html: str) -> None:
    assert not browser.render(request(NAV + html)).scrolls
