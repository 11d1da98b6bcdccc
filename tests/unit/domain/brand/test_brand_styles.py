"""Stylesheets, selectors and the styles of elements; hostile pages."""

import pytest
from bs4 import BeautifulSoup

from wavecrawl.domain.brand import page_styles
from wavecrawl.domain.brand.extraction import brand_of, stylesheets_of
from wavecrawl.domain.brand.merging import merged
from wavecrawl.domain.brand.page_styles import PageStyles
from wavecrawl.domain.brand.stylesheet import read_stylesheet

URL = "https://www.example.com/start/"
PAGE = """<html data-theme="dark"><body class="home page"><div id="top" class="bar"><p>
<a class="button is-main" href="/">x</a></p></div></body></html>"""


def colour(css: str, page: str = PAGE) -> str | None:
    tree = BeautifulSoup(page, "lxml")
    link = tree.find("a")
    assert link is not None
    found = PageStyles(tree, [read_stylesheet(css)]).colour(link)
    return found.hex if found else None


@pytest.mark.parametrize(
    "selector",
    [
        "a", "*", ".button", "a.button.is-main", "#top a", "#top  .button", "div > p > a", "p>a", "body.home.page a",
        "[data-theme=dark] a", '[data-theme="dark"] a', "[data-theme='dark'] .button", "html[data-theme] a", ":root a",
        "b, i, a", ":where(.button, b)", ":root :where(.button)", ":is(b, p) > a", ".bar .button", "a[href]",
    ],
)  # fmt: skip
def test_a_selector_matches(selector: str) -> None:
    assert colour(f"{selector} {{ color: #123456 }}") == "#123456"


@pytest.mark.parametrize(
    "selector",
    [
        "b", ".other", "#bottom a", "div > a", "a p", "p.button", "b.button", "[data-theme=light] a", "a[title]",
        ".button:hover", "a::before", "p + a", "p ~ a", "a:nth-child(1)", "", ":root.bar a", "a > *", ">a", "html > a",
        "body > html > a", ":is(:is(b),i)", "p#top", "a,(" + "x," * 1_000 + ")",
    ],
)  # fmt: skip
def test_a_selector_does_not_match(selector: str) -> None:
    assert colour(f"{selector} {{ color: #123456 }}") is None


@pytest.mark.parametrize(
    "css",
    [
        ".button { color: #123456 } a { color: #000000 }",
        "#top a { color: #123456 } .bar .button.is-main { color: #000000 }",
        "a { color: #123456 !important } #top a { color: #000000 }",
        "a { color: #000000 } a { color: #123456 }",
        "@media screen { a { color: #123456 } } @media print { a { color: #000000 } }",
        "a { color: #123456 } @media (prefers-color-scheme: dark) { a { color: #000000 } }",
        "@layer base { @supports (color: red) { a { color: #123456 } } }",
        "a { color: var(--x); --x: #123456 }",
        "body { --x: #000000 } a { --x: #123456; color: var(--x) }",
        "a { color: var(--none, #123456) }",
        "a { color: var(--none, rgb(18, 52, 86)) }",
        "a { color: var(--none, var(--nor, #123456)) }",
        "a { color: #123456 } a { color: var(--none) }",
        "a { color: #123456; color: inherit }",
        "/* a { color: #000000 } */ a { content: 'a { color: #000000 }'; COLOR: #123456 }",
        "@charset 'utf-8'; @layer a, b; @font-face; @theme; @import; a { color: #123456; color }",
        "@layer base { --x: 1; color: #000000; a { color: #123456 } }",
    ],
)
def test_the_declaration_that_applies_is_found(css: str) -> None:
    assert colour(css) == "#123456"


def test_the_style_attribute_applies_before_stylesheets() -> None:
    page = PAGE.replace('href="/"', 'style="color:#123456"')
    assert colour("#top a.button { color: #000000 }", page) == "#123456"


def test_a_picture_does_not_hide_the_background_colour() -> None:
    tree = BeautifulSoup(PAGE, "lxml")
    css = "body { background-color: #123456; background-image: url(a.png) } div { background: none }"
    styles = PageStyles(tree, [read_stylesheet(css)])
    assert tree.body is not None
    assert tree.div is not None
    found = styles.background(tree.body)
    assert (found and found.hex, styles.background(tree.div)) == ("#123456", None)


def test_stylesheets_of_the_site_for_screens_are_requested() -> None:
    page = """<base href="/assets/"><link rel=stylesheet href="a.css#x"><link rel="StyleSheet" href="/b.css">
    <link rel=stylesheet href="//static.example.com/c.css" media="screen">
    <link rel=stylesheet href="/a.css" media=print>
    <link rel="alternate stylesheet" href="/d.css"><link rel=stylesheet href="https://cdn.example.net/e.css">
    <link rel=stylesheet href="https://badexample.com/f.css"><link rel=stylesheet href="data:text/css,a{}">
    <link rel=stylesheet href="http://[bad"><link rel=icon href="/i.png"><link rel=stylesheet href="/b.css">"""
    assert stylesheets_of(page, url=URL) == (
        "https://www.example.com/assets/a.css",
        "https://www.example.com/b.css",
        "https://static.example.com/c.css",
    )
    assert stylesheets_of(f"<base href='/{'b' * 3_000}/'><link rel=stylesheet href=a.css>", url=URL) == (
        "https://www.example.com/start/a.css",
    )
    assert stylesheets_of("<link rel=stylesheet href=a.css>", url=URL) == ("https://www.example.com/start/a.css",)


def test_of_two_brands_the_more_certain_values_are_kept() -> None:
    sure = brand_of(
        "<style>:root{--primary:#aa0000}body{background:#fff}</style>"
        "<style>@font-face{font-family:Rubik}</style><meta property=og:image content=/o.png>",
        url=URL,
    )
    other = brand_of(
        "<link rel=icon href=/i.png><style>:root{--accent:#00aa00;--text:#000}body{font-family:Rubik}</style>"
        "<nav><a style='background:#0000aa;color:#fff'>x</a></nav><h1 style='font-family:Lora'>x</h1>",
        url=URL,
    )
    assert sure is not None
    assert other is not None
    assert merged(None, None) is None
    assert merged(sure, None) == merged(None, sure) == sure
    both = merged(other, sure)
    assert both is not None
    assert both == merged(sure, other)
    assert both.primary == sure.primary
    assert (both.accent, both.secondary) == (other.accent, other.secondary)
    assert both.logo == other.logo
    assert (both.text_contrast, both.button_contrast) == (21, None)
    assert [(font.family, font.role, font.confidence) for font in both.fonts] == [
        ("Rubik", "body", 0.9),
        ("Lora", "heading", 0.9),
    ]


HOSTILE = {
    "nothing": "",
    "no markup": "text",
    "a URL": "https://www.example.com/start/",
    "a file": "index.html",
    "bytes": "".join(map(chr, range(256))) * 100,
    "half of a pair": "<body>\ud800<svg>",
    "xml": "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body><p>x</p></body></html>",
    "nested elements": "<div>" * 10_000 + "<a>",
    "nested parentheses": "<style>a{color:" + "(" * 10_000 + "}</style>",
    "nested rules": "<style>" + "a{" * 5_000,
    "nested groups": "<style>" + "@media all{" * 5_000 + "a{color:red}",
    "variables that double": "<style>:root{--a0:#fff;"
    + "".join(f"--a{one}:var(--a{one - 1}) var(--a{one - 1});" for one in range(1, 40))
    + "}body{color:var(--a39)}</style>",
    "variables in a circle": "<style>:root{--primary:var(--b);--b:var(--primary)}</style>",
    "a long chain": "<style>:root{--primary:var(--v0);"
    + "".join(f"--v{one}:var(--v{one + 1});" for one in range(1_000)),
    "a long number": f"<style>:root{{--primary:{'1' * 10_000}}}</style><meta name=theme-color content={'1' * 10_000}>",
    "commas": "<style>" + "a," * 10_000 + "b{color:red}</style>",
    "roots in a selector": "<style>" + ".a:root" * 1_000 + "!{color:red}</style>",
    "dots in a font": f"<style>@font-face{{font-family:'{'.' * 200_000}'}}</style>",
    "digits in a size": f"<link rel=icon sizes={'1' * 200_000}>",
    "nested pictures": "<nav class=logo>" + "<svg class=logo>" * 10_000,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_has_no_brand_and_raises_nothing(name: str) -> None:
    assert brand_of(HOSTILE[name], url=URL) is None


def test_rules_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    css = "b { color: #000000 } a { color: #123456 } a { color: #654321 }"
    assert colour(css) == "#654321"
    monkeypatch.setattr(page_styles, "_MOST_RULES", 2)
    assert colour(css) == "#123456"


def test_matches_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    css = "a { color: #123456 } a { color: #654321 }"
    monkeypatch.setattr(page_styles, "_MOST_MATCHES", 1)
    assert colour(css) == "#123456"


def test_values_are_limited() -> None:
    assert colour("a { --x: " + "x" * 3_000 + "; color: #123456; color: #654321 var(--x) }") == "#123456"
