"""The brand of home pages as common frameworks make them. The expected values were written before the extraction."""

import json
from pathlib import Path
from typing import Any

import pytest

from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.brand.extraction import brand_of

PAGES = Path(__file__).parents[3] / "data" / "brand"
EXPECTED: dict[str, Any] = json.loads((PAGES / "expected.json").read_text())
COLOURS = ("primary", "secondary", "accent", "background", "text")
SVG = "data:image/svg+xml"


def read(name: str) -> Brand | None:
    css = [path.read_text() for path in PAGES.glob(f"{name}.css")]
    return brand_of((PAGES / f"{name}.html").read_text(), url="https://example.com/", stylesheets=css)


def test_every_page_has_its_expected_brand() -> None:
    assert {path.stem for path in PAGES.glob("*.html")} == set(EXPECTED)
    assert len(EXPECTED) >= 15


@pytest.mark.parametrize("name", sorted(set(EXPECTED) - {"no_brand"}))
def test_a_page_has_the_brand_that_a_person_reads_from_it(name: str) -> None:
    brand = read(name)
    assert brand is not None
    found: dict[str, Any] = {one: colour.hex if (colour := getattr(brand, one)) else None for one in COLOURS}
    found["fonts"] = [[font.family, font.role] for font in brand.fonts]
    found["logo"] = brand.logo and (SVG if brand.logo.url.startswith(SVG) else brand.logo.url)
    found["confidence"] = round(brand.confidence, 2)
    found["text_contrast"], found["button_contrast"] = brand.text_contrast, brand.button_contrast
    assert found == EXPECTED[name]


def test_a_page_without_a_brand_has_none() -> None:
    assert read("no_brand") is None


def test_each_value_says_where_it_was_found() -> None:
    sources = {
        "tailwind3": ("header button background", "google fonts", "header img"),
        "shadcn": ("css --primary", "css @font-face", "link apple-touch-icon"),
        "gradient_hero": ("hero background", None, None),
        "next_fonts": ("meta theme-color", "css body", "og:image"),
        "json_ld_logo": ("css --color-primary", None, "json-ld"),
        "ghost_buttons": ("hero button background", None, None),
        "tailwind4": ("css --color-primary", "css body", "header svg"),
    }
    brands = {name: brand for name in sources if (brand := read(name))}
    assert {
        name: (
            brand.primary and brand.primary.source,
            brand.fonts[0].source if brand.fonts else None,
            brand.logo and brand.logo.source,
        )
        for name, brand in brands.items()
    } == sources
