"""Shells are found, pages with content of their own are not."""

import pytest
from tests.support.campaign import CAMPAIGN
from tests.support.docs_sites import SITES, DocsSite

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.rendering.settings import DetectSettings

URL = "http://site.example/"
META = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title>'
TEXT = "<p>" + "A sentence with some words of its own. " * 20 + "</p>"
LINKS = "".join(f'<a href="/{number}">{number}</a>' for number in range(11))

REACT = f"""<!doctype html><html lang="en"><head>{META}<script defer src="/static/js/main.0a1b2c3d.js"></script>
<link href="/static/css/main.css" rel="stylesheet"></head><body>
<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>"""
VITE_REACT = f"""<!doctype html><html lang="en"><head>{META}<link rel="icon" href="/vite.svg">
<script type="module" crossorigin src="/assets/index-B1.js"></script></head><body><div id="root"></div></body></html>"""
VUE = f"""<!doctype html><html lang=""><head>{META}<script defer="defer" src="/js/chunk-vendors.1.js"></script>
<script defer="defer" src="/js/app.2.js"></script></head><body><noscript><strong>We're sorry but shop doesn't work
properly without JavaScript enabled. Please enable it to continue.</strong></noscript>
<div id="app"></div></body></html>"""
NEXT = f"""<!DOCTYPE html><html><head>{META}<noscript data-n-css=""></noscript>
<script defer nomodule src="/_next/static/chunks/polyfills.js"></script>
<script src="/_next/static/chunks/main.js" defer></script></head><body><div id="__next"></div>
<script id="__NEXT_DATA__" type="application/json">{{"props":{{}},"page":"/"}}</script></body></html>"""
NUXT = f"""<!DOCTYPE html><html><head>{META}<script type="module" src="/_nuxt/entry.js" crossorigin></script></head>
<body>
<div id="__nuxt"></div><div id="teleports"></div>
<script>window.__NUXT__={{}};window.__NUXT__.config={{}}</script></body></html>"""
ANGULAR = f"""<!doctype html><html lang="en"><head>{META}<base href="/"><link rel="stylesheet" href="styles.css"></head>
<body><app-root></app-root><script src="runtime.js" type="module"></script><script src="polyfills.js" type="module">
</script><script src="vendor.js" type="module"></script><script src="main.js" type="module"></script></body></html>"""
SVELTE = f"""<!doctype html><html lang="en"><head>{META}<link rel="modulepreload" href="/_app/immutable/entry/start.js">
</head><body data-sveltekit-preload-data="hover"><div style="display: contents">
<script>{{ __sveltekit_1 = {{ base: "" }}; Promise.all([import("/_app/immutable/entry/start.js")]); }}</script></div>
</body></html>"""
COMPONENTS = f"""<!doctype html><html><head>{META}<script type="module" src="/my-shop.js"></script></head><body>
<my-shop></my-shop></body></html>"""
UNKNOWN = f"""<!doctype html><html><head>{META}<script src="/main.js"></script></head><body><div id="main" class="page">
<img src="/spinner.gif" alt=""></div><div id="overlay"></div></body></html>"""
LOADING = f"""<!doctype html><html><head>{META}<script src="/main.js"></script></head><body><div id="main" class="page">
<p>Loading ...</p></div><footer>Some company</footer></body></html>"""


def evidence(html: str, detect: DetectSettings | None = None) -> str:
    return extract(html, url=URL, detect=detect or DetectSettings()).shell


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (REACT, "#root, 1 element in the body"),
        (VITE_REACT, "#root, 1 element in the body"),
        (VUE, "#app, 1 element in the body"),
        (NEXT, "#__next, 1 element in the body"),
        (NUXT, "#__nuxt, 2 elements in the body"),
        (ANGULAR, "app-root, 1 element in the body"),
        (SVELTE, "[data-sveltekit-preload-data], 1 element in the body"),
        (COMPONENTS, "no text"),
        (UNKNOWN, "no text"),
        (LOADING, "23 characters of text with 'loading'"),
        ("<script>load()</script>", "23 characters of HTML with 1 script"),
        ("<script>a()</script><script>b()</script>", "40 characters of HTML with 2 scripts"),
    ],
)
def test_a_shell_is_found(html: str, found: str) -> None:
    assert evidence(html) == found


def page(*, roots: str = "", scripts: int = 1, body: str = TEXT, pieces: int = 5) -> str:
    made = "<section></section>" * (pieces - 1)
    return f"<html><head>{META}{'<script src=a.js></script>' * scripts}</head><body>{roots}{body}{made}</body></html>"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>short</p>",
        page(),
        page(scripts=30),
        page(scripts=0, body="Loading ..."),
        page(body=LINKS + "Loading ..."),
        page(roots="<div id=root></div>", pieces=5),
        page(roots="<div id=root></div>", scripts=11, body=TEXT * 15),
        page(body="No word of that, but little text."),
        page(body="<div>" * 30 + "<div id=root></div>" + TEXT, pieces=1),  # too far below to be the whole page
        "<frameset><frame src=a></frameset><script>" + "x" * 300 + "</script>",
    ],
)
def test_a_page_with_content_is_no_shell(html: str) -> None:
    assert evidence(html) == ""


def test_many_scripts_for_little_text_are_evidence() -> None:
    many = page(roots="<div id=root></div>", scripts=11, pieces=6)
    assert evidence(many) == "#root, 11 scripts, 779 characters of text"
    assert evidence(many.replace("id=root", "id=other")) == ""
    assert evidence(many, DetectSettings(min_script_characters=50)) == ""


def test_the_body_and_the_whole_page_may_be_the_root() -> None:
    html = page(pieces=1)
    assert evidence(html) == ""
    assert evidence(html.replace("<body>", "<body ng-app=x>")) == "[ng-app], 1 element in the body"
    assert evidence(html.replace("<html>", "<html ng-app>")) == "[ng-app], 1 element in the body"


def test_roots_and_words_are_settings() -> None:
    assert evidence(page(roots="<x-shop></x-shop>", pieces=1), DetectSettings(roots=("X-Shop",))).startswith("x-shop,")
    assert evidence(page(body="Moment bitte")) == ""
    assert evidence(page(body="Moment bitte"), DetectSettings(loading=("MOMENT",))).endswith("with 'MOMENT'")


def test_text_of_scripts_and_styles_is_no_text() -> None:
    assert evidence(page(body=f"<script>{TEXT}</script><style>{TEXT}</style><template>{TEXT}</template>")) == "no text"


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.package)
def test_no_page_of_a_documentation_site_is_a_shell(site: DocsSite) -> None:
    if not site.there:
        pytest.skip(f"{site.package} is not installed")
    pages = sorted(site.folder.rglob("*.html"))
    assert len(pages) > 100
    some = pages if CAMPAIGN else pages[::10]  # crawls of the sites look at all pages too (test_docs_sites.py)
    found = {path.name: shell for path in some if (shell := evidence(path.read_text("utf-8", "replace")))}
    assert not found


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<body></body>", "the page is empty after its scripts ran"),
        ("<body><script>1</script><noscript>Enable JavaScript</noscript></body>", "the page is empty after its "),
        ("<p>Shop</p><div id=root><div></div></div>", "#root is empty after the scripts of the page ran"),
        ("<p>Shop</p><div id=root><canvas></canvas></div>", ""),
        ("<p>Shop</p><div id=root></div><div id=app>Welcome</div>", ""),
        ("<body><img src=a.png></body>", ""),
        (f"{TEXT}<div id=root></div>", ""),
        ("<p>Shop</p>", ""),
        ("<html><frameset><frame src=/a></frameset></html>", ""),
    ],
)
def test_what_a_rendered_page_still_lacks_is_named(html: str, expected: str) -> None:
    found = extract(html, url=URL, is_dom=True).unfilled
    assert found.startswith(expected)
    assert bool(found) is bool(expected)
