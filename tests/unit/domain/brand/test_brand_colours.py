"""Colours as CSS writes them, their contrast, and their choice."""

import pytest

from wavecrawl.domain.brand.colour import Colour, colour_of, contrast, first_colour
from wavecrawl.domain.brand.computed import ComputedButton, ComputedStyles
from wavecrawl.domain.brand.extraction import brand_of
from wavecrawl.domain.brand.tailwind import named_colour

URL = "https://example.com/"


def hex_of(colour: Colour | None) -> str | None:
    return colour.hex if colour else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#0f6", "#00ff66"),
        ("#0f62fe", "#0f62fe"),
        ("#0f62feff", "#0f62fe"),
        ("#0f6c", "#00ff66"),
        ("#0f62fe40", None),
        ("rgb(15, 98, 254)", "#0f62fe"),
        ("rgb(15 98 254 / 90%)", "#0f62fe"),
        ("rgba(15,98,254,.2)", None),
        ("hsl(0deg 100% 50%)", "#ff0000"),
        ("hsla(120, 100%, 25%, 1)", "#008000"),
        ("222.2 47.4% 11.2%", "#0f172a"),
        ("222.2 47.4% 11.2% / 0.9", "#0f172a"),
        ("12,88%,56%", "#f2542c"),
        ("13, 110, 253", "#0d6efd"),
        ("oklch(0.546 0.245 262.881)", "#155dfc"),
        ("oklch(1 0 0)", "#ffffff"),
        ("oklab(0 0 0)", "#000000"),
        ("hwb(240 0% 0%)", "#0000ff"),
        ("RebeccaPurple", "#663399"),
        ("transparent", None),
        ("currentColor", None),
        ("color(display-p3 1 0 0)", None),
        ("var(--x)", None),
        ("16px", None),
        ("", None),
    ],
)
def test_a_colour_is_read(text: str, expected: str | None) -> None:
    assert hex_of(colour_of(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("url(a.png) no-repeat #123456 top", "#123456"),
        ("linear-gradient(90deg, rgba(0,0,0,.1), #ff0000, #00ff00)", "#ff0000"),
        ("linear-gradient(#ff0000, #00ff00), #0000ff", "#0000ff"),
        ("none", None),
        ("url(white.png)", None),
    ],
)
def test_the_colour_of_a_background_is_read(text: str, expected: str | None) -> None:
    assert hex_of(first_colour(text)) == expected


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    # from https://webaim.org/resources/contrastchecker/ and the definition: black on white is 21
    [("#000000", "#ffffff", 21), ("#777777", "#ffffff", 4.48), ("#0000ff", "#ffffff", 8.59), ("#ff0000", "#ff0000", 1)],
)
def test_contrast_is_that_of_wcag(one: str, two: str, expected: float) -> None:
    first, second = colour_of(one), colour_of(two)
    assert first is not None
    assert second is not None
    assert contrast(first, second) == contrast(second, first) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("indigo-600", "#4f46e5"),
        ("rose-950", "#4c0519"),
        ("white", "#ffffff"),
        ("sky-500/80", "#0ea5e9"),
        ("[#1da1f2]", "#1da1f2"),
        ("[rgb(1,2,3)]", "#010203"),
        ("indigo-601", None),
        ("primary", None),
    ],
)
def test_utility_classes_name_colours(name: str, expected: str | None) -> None:
    assert hex_of(named_colour(name)) == expected


def primary(html: str) -> tuple[str, str] | None:
    brand = brand_of(html, url=URL)
    return (brand.primary.hex, brand.primary.source) if brand and brand.primary else None


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # of several buttons of the header, the most frequent colour
        (
            "<nav><a style='background:red'><a style='background:#0a0'>b</a><a style='background:#0a0'>c</a></nav>",
            ("#00aa00", "header button background"),
        ),
        # a grey button is less likely than a hero's button in colour
        (
            "<nav><a style='background:#222'>a</a></nav><p class=hero><button style='background:#0a0'>b</button>",
            ("#00aa00", "hero button background"),
        ),
        ("<header><a style='background:#222222'>a</a></header>", ("#222222", "header button background")),
        ("<input type=submit style='background:#aa0000'>", ("#aa0000", "button background")),
        ("<a role=button style='background:#aa0000'>x</a>", ("#aa0000", "button background")),
        # nearly white is no colour of a brand, whatever shows it
        ("<nav><a style='background:#fdfdf5'>a</a></nav>", None),
        ("<meta name=Theme-Color content='#ffffff'><p>x", None),
        ("<meta name=theme-color><p>x", None),
        ("<style>a{color:#aa0000}</style><p>x", ("#aa0000", "link colour")),
        ("<style>a{color:blue}</style><p>x", None),
        ("<header style='background:#aa0000'>x</header>", ("#aa0000", "header background")),
        # the header of an article is not that of the site
        ("<main><header style='background:#aa0000'>x</header></main>", None),
        ("<style>:root{--theme-color:#aa0000}</style><p>x", ("#aa0000", "css --theme-color")),
        ("<style>:root{--primary:blurb;--color-primary:#aa0000}</style><p>x", ("#aa0000", "css --color-primary")),
        ("<style>.card{--primary:#aa0000}</style><p>x", None),
        ("<style>@theme{--color-brand:#aa0000}</style><p>x", ("#aa0000", "css --color-brand")),
        ("<header><a class='bg-brand' style='--x:1'>a</a></header><style>:root{--brand:#aa0000}</style>",
         ("#aa0000", "css --brand")),
        ("<header><a class='bg- bg-nothing to-red-500 bg-red-700'>a</a></header>",
         ("#b91c1c", "header button background")),
        ("", None),
    ],
)  # fmt: skip
def test_the_primary_colour_is_the_most_certain_candidate(html: str, expected: tuple[str, str] | None) -> None:
    assert primary(html) == expected


def test_computed_styles_are_more_certain_than_those_of_stylesheets() -> None:
    computed = ComputedStyles(
        background="rgb(0, 0, 0)",
        colour="rgb(255, 255, 255)",
        body_font='"Custom Sans", sans-serif',
        heading_font="Arial",
        buttons=(
            ComputedButton(background="rgba(0, 0, 0, 0)", colour="rgb(1, 2, 3)"),
            ComputedButton(background="rgb(170, 0, 0)", colour="rgb(255, 255, 255)", in_header=True),
            ComputedButton(background="rgb(0, 0, 170)", colour="rgb(255, 255, 255)"),
        ),
        variables={"--accent": "oklch(0.546 0.245 262.881)"},
    )
    html = (
        "<style>body{background:#fff;color:#000;font-family:Other}</style><nav><a style='background:#0a0'>x</a></nav>"
    )
    brand = brand_of(html, url=URL, computed=computed)
    assert brand is not None
    assert brand.primary is not None
    assert (brand.primary.hex, brand.primary.source) == ("#aa0000", "computed header button background")
    assert brand.secondary is not None
    assert brand.secondary.hex == "#00aa00"
    assert brand.accent is not None
    assert brand.accent.hex == "#155dfc"
    assert (brand.text_contrast, brand.button_contrast) == (21, 7.75)  # 1.05 / (0.2126 * 0.402 + 0.05)
    assert [(font.family, font.source) for font in brand.fonts] == [
        ("Custom Sans", "computed body"),
        ("Other", "css body"),
    ]
