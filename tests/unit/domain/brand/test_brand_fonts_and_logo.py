"""Fonts and the logo of a home page."""

import pytest

from wavecrawl.domain.brand.brand import BrandLogo
from wavecrawl.domain.brand.extraction import brand_of
from wavecrawl.domain.brand.logo import LARGEST_SVG

URL = "https://example.com/start/"


def fonts(html: str, *css: str) -> list[tuple[str, str, str]]:
    brand = brand_of(html, url=URL, stylesheets=css)
    return [(font.family, font.role, font.source) for font in brand.fonts] if brand else []


def logo(html: str) -> BrandLogo | None:
    brand = brand_of(html, url=URL)
    return brand.logo if brand else None


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<link href='https://fonts.googleapis.com/css?family=Open+Sans:400|Roboto+Slab' rel=stylesheet>",
            [("Open Sans", "", "google fonts"), ("Roboto Slab", "", "google fonts")],
        ),
        (
            "<link href='https://fonts.googleapis.com/css2?family=Inter:wght@400&family=Lora' rel=stylesheet>",
            [("Inter", "", "google fonts"), ("Lora", "", "google fonts")],
        ),
        ("<link href='https://fonts.bunny.net/css?family=ibm-plex-sans'>", [("Ibm Plex Sans", "", "bunny fonts")]),
        ("<link href='https://fonts.googleapis.com/icon?family=Material+Icons'>", []),
        ("<link href='https://fonts.googleapis.com/'><link href='http://[::1'><link href='/fonts?family=X'>", []),
        ("<html class='__Roboto_Slab_ab12cd x'><p>", [("Roboto Slab", "", "next/font")]),
        ("<body style='font-family:system-ui, Roboto'><h1>x</h1>", []),
        ("<body style=\"font:italic bold .9em/1.2 'Fira Sans', serif\">", [("Fira Sans", "body", "css body")]),
        ("<body style='font:inherit'>", []),
        ("<html style='font-family:Rubik'><body>", [("Rubik", "body", "css body")]),
        ("<h2 style='font-family:Rubik'>x</h2>", [("Rubik", "heading", "css heading")]),
        ("<style>:root{--heading-font-family:Rubik}</style>", [("Rubik", "", "css --heading-font-family")]),
        ("<style>:root{--font-size:16px;--font-weight:bold;--body-font:'Rubik'}</style>",
         [("Rubik", "", "css --body-font")]),
        ("<style>@font-face{font-family:FontAwesome}@font-face{font-family:Rubik;src:url(x)}</style>",
         [("Rubik", "", "css @font-face")]),
    ],
)  # fmt: skip
def test_fonts_that_a_site_brings_along_are_found(html: str, expected: list[tuple[str, str, str]]) -> None:
    assert fonts(html) == expected


def test_a_font_is_listed_once_with_its_role() -> None:
    html = "<style>@font-face{font-family:'rubik'}body{font-family:Rubik}h1{font-family:Rubik}</style><h1>x</h1>"
    assert fonts(html) == [("Rubik", "body", "css body")]


def test_at_most_eight_fonts_are_listed() -> None:
    css = "".join(f"@font-face{{font-family:Face{number}}}" for number in range(20))
    assert [family for family, *_ in fonts("<p>x", css)] == [f"Face{number}" for number in range(8)]


def ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


ORGANISATION = '"@type": "Organization"'


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (ld(f'{{{ORGANISATION}, "logo": "/l.png"}}'), ("https://example.com/l.png", "json-ld")),
        (ld(f'[{{{ORGANISATION}, "logo": [{{"contentUrl": "l.png"}}]}}]'),
         ("https://example.com/start/l.png", "json-ld")),
        # that of a publisher in it is less certain than the organisation's own
        (ld('{"@type": "Product", "logo": "p.png"}') + ld(f'{{"a": {{{ORGANISATION}, "logo": "o.png"}}}}'),
         ("https://example.com/start/o.png", "json-ld")),
        (ld('{"logo": 7}') + ld('"text"') + ld("not json") + ld('{"logo": []}'), None),
        (ld("[" * 100_000), None),
        ("<header><img src='data:image/gif;base64,R0' data-src='/a-logo.png'></header>",
         ("https://example.com/a-logo.png", "header img")),
        ("<header><img alt='Our logo'><img src='/photo.jpg' alt='People'></header>", None),
        ("<header><div class='brand'><a href='/'><img src='/x.png'></a></div></header>",
         ("https://example.com/x.png", "header img")),
        ("<main><img src='/logo.png'></main>", None),
        ("<footer><nav><img src='/logo.png'></nav></footer>", None),
        ("<base href='/assets/'><link rel='Shortcut Icon' href=' i.ico '>",
         ("https://example.com/assets/i.ico", "link icon")),
        ("<link rel=icon href='data:,'><link rel=icon sizes=32x32 href=/2.png><link rel=icon sizes=96x96 href=/96.png>",
         ("https://example.com/96.png", "link icon")),
        ("<link rel=icon type=image/svg+xml href=/i.svg><link rel=icon sizes=512x512 href=/512.png>",
         ("https://example.com/i.svg", "link icon")),
        ("<meta property=og:image content=/o.png>", ("https://example.com/o.png", "og:image")),
        ("<meta property=og:image content='javascript:alert(1)'>", None),
        (f"<link rel=icon href=/{'i' * 3_000}><meta property=og:image content=/o.png>",
         ("https://example.com/o.png", "og:image")),
        (f"<link rel=icon href='data:image/svg+xml,{'i' * 40_000}'>", None),
        ("<link rel=icon href='data:image/svg+xml,i'>", ("data:image/svg+xml,i", "link icon")),
        ("<meta property=og:image content='http://[bad/'>", None),
    ],
)  # fmt: skip
def test_the_most_certain_logo_is_found(html: str, expected: tuple[str, str] | None) -> None:
    found = logo(html)
    assert (found and (found.url, found.source)) == expected


def test_an_svg_logo_inside_the_page_is_a_picture_of_its_own() -> None:
    found = logo("<nav><svg class=logo viewBox='0 0 1 1'><path d='M0 0h1v1z'/></svg></nav>")
    same = logo('<nav><svg xmlns="http://www.w3.org/2000/svg" class="logo"></svg></nav>')
    assert found is not None
    assert same is not None
    # base64 of `<svg xmlns=` begins like that, once
    assert found.url.startswith("data:image/svg+xml;base64,PHN2ZyB4bWxucz0i")
    assert same.url == (
        "data:image/svg+xml;base64,PHN2ZyBjbGFzcz0ibG9nbyIgeG1sbnM9Imh0dHA6Ly93d3cudzMub3JnLzIwMDAvc3ZnIj48L3N2Zz4="
    )


def test_an_svg_that_is_large_or_no_logo_is_none() -> None:
    large = "M0 0" * LARGEST_SVG
    assert logo(f"<nav><svg class=logo><path d='{large}'/></svg><svg class=menu></svg></nav>") is None


def test_json_ld_is_read_up_to_a_limit() -> None:
    assert logo(ld("[" + "1," * 20_000 + f'{{{ORGANISATION}, "logo": "/l.png"}}]')) is None
