"""The fonts of a brand: families that the site brings along."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import parse_qs, urlsplit

from bs4 import BeautifulSoup

from wavecrawl.domain.brand.brand import MOST_FONTS, BrandFont
from wavecrawl.domain.brand.computed import ComputedStyles
from wavecrawl.domain.brand.page_styles import PageStyles, names_of
from wavecrawl.domain.brand.stylesheet import StyleSheet

_MOST_VARIABLES: Final = 200
_LONGEST: Final = 500  # characters of a list of families
_LONGEST_FAMILY: Final = 100
_SERVICES: Final = {"fonts.googleapis.com": "google fonts", "fonts.bunny.net": "bunny fonts"}
_SYSTEM: Final = frozenset(
    line.strip()
    for line in """
    serif, sans-serif, monospace, cursive, fantasy, math, emoji, system-ui, ui-serif, ui-sans-serif, ui-monospace,
    ui-rounded, -apple-system, blinkmacsystemfont, inherit, initial, unset, revert, arial, arial black, arial narrow,
    helvetica, helvetica neue, segoe ui, segoe ui variable, times, times new roman, georgia, verdana, tahoma, geneva,
    trebuchet ms, courier, courier new, impact, comic sans ms, palatino, palatino linotype, book antiqua, garamond,
    lucida grande, lucida sans, lucida sans unicode, lucida console, menlo, monaco, consolas, sfmono-regular, sf mono,
    sf pro, sf pro text, sf pro display, cambria, calibri, candara, optima, ubuntu, cantarell, oxygen, liberation mono,
    liberation sans, dejavu sans, dejavu sans mono, apple color emoji, segoe ui emoji, segoe ui symbol
    """.replace("\n", " ").split(",")
)
"""Families of systems, and the generic ones of CSS."""

_NO_TEXT: Final = re.compile(r"icon|awesome|glyph|symbol|emoji|dashicons|fallback|^fa[-\s]|^fl-", re.IGNORECASE)
_SHORTHAND: Final = re.compile(
    r"^.*?(?:[\d.]+(?:px|r?em|%|pt|vw|ch)|\)|(?:xx?-)?(?:small|large)(?:r|er)?|medium)(?:\s*/\s*[\w.%]+)?\s+(?=[^\d])",
    re.IGNORECASE,
)
_OF_NEXT: Final = re.compile(r"__(?P<name>[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*?)_[0-9a-f]{6}")
_CLASS_OF_NEXT: Final = re.compile(r"__[A-Z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*_[0-9a-f]{6}")


def fonts_of(
    page: BeautifulSoup, styles: PageStyles, sheets: Iterable[StyleSheet], computed: ComputedStyles | None
) -> tuple[BrandFont, ...]:
    """Return the fonts of a page: that of its text, that of its headings, then the others."""
    found: dict[str, BrandFont] = {}
    for font in _candidates(page, styles, list(sheets), computed):
        found.setdefault(font.family.casefold(), font)
    return tuple(found.values())[:MOST_FONTS]


def _candidates(
    page: BeautifulSoup, styles: PageStyles, sheets: list[StyleSheet], computed: ComputedStyles | None
) -> Iterator[BrandFont]:
    if computed is not None:
        yield from _font(computed.body_font, "body", "computed body", 0.95)
        yield from _font(computed.heading_font, "heading", "computed heading", 0.95)
    for role, elements in (("body", (page.body, page.html)), ("heading", (page.find(["h1", "h2"]),))):
        lists = [styles.font(element) for element in elements if element is not None]
        yield from _font(next(filter(None, lists), ""), role, f"css {role}", 0.9)
    links = [str(link.get("href", "")) for link in page.find_all("link")]
    for url in (*links, *(url for sheet in sheets for url in sheet.imports)):
        yield from _of_service(url)
    for family in (family for sheet in sheets for family in sheet.families):
        yield from _font(family, "", "css @font-face", 0.7)
    for name in (name for element in (page.html, page.body) if element is not None for name in names_of(element)):
        if _CLASS_OF_NEXT.fullmatch(name):
            yield from _font(name, "", "next/font", 0.7)
    for name in [name for name in styles.variables if "font" in name][:_MOST_VARIABLES]:
        value = styles.variable(name)
        if "famil" in name or "," in value or value.startswith(("'", '"')):
            yield from _font(value, "", f"css {name[:_LONGEST_FAMILY]}", 0.6)


def _font(families: str, role: str, source: str, confidence: float) -> Iterator[BrandFont]:
    """Yield the first family of a list, unless it is one of the system."""
    family = _plain(_SHORTHAND.sub("", families[:_LONGEST].replace("\n", " ")).partition(",")[0])
    if 0 < len(family) <= _LONGEST_FAMILY and family.casefold() not in _SYSTEM and not _NO_TEXT.search(family):
        yield BrandFont(family=family, role=role, source=source, confidence=confidence)


def _plain(family: str) -> str:
    """Return a family without quotes, and without what Next.js adds to its name."""
    family = family.strip(" \t'\"")
    of_next = _OF_NEXT.fullmatch(family)
    return of_next["name"].replace("_", " ") if of_next else family


def _of_service(url: str) -> Iterator[BrandFont]:
    """Yield the families that a URL of a font service names (https://developers.google.com/fonts/docs/css2)."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return
    source = _SERVICES.get(parts.hostname or "")
    if source:
        for value in parse_qs(parts.query).get("family", ()):
            for one in value.split("|"):
                yield from _font(_service_name(one, source), "", source, 0.8)


def _service_name(text: str, source: str) -> str:
    name = text.partition(":")[0].replace("+", " ")
    return name.replace("-", " ").title() if source == "bunny fonts" else name
