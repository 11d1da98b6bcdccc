"""The brand of a home page, from its HTML, its stylesheets and its computed styles."""

import re
from collections.abc import Iterable
from typing import Final, TypeVar
from urllib.parse import urlsplit

from bs4 import BeautifulSoup

from wavecrawl.domain.brand.brand import Brand, BrandColour, BrandLogo
from wavecrawl.domain.brand.colour import colour_of, contrast
from wavecrawl.domain.brand.colours import with_colours
from wavecrawl.domain.brand.computed import ComputedStyles
from wavecrawl.domain.brand.fonts import MOST_FONTS, fonts_of
from wavecrawl.domain.brand.logo import logo_of
from wavecrawl.domain.brand.page_styles import PageStyles
from wavecrawl.domain.brand.stylesheet import read_stylesheet
from wavecrawl.domain.urls.url import resolve

LONGEST_PAGE: Final = 500_000
"""Characters of the page that are read."""

LONGEST: Final = 1_000_000
"""Characters of all its stylesheets together that are read."""

_ORDER: Final = ("body", "heading", "")  # of fonts, by their role
_Value = TypeVar("_Value", BrandColour, BrandLogo)
_XML: Final = re.compile(r"^\s*<\?xml[^>]*>")


def stylesheets_of(html: str, *, url: str) -> tuple[str, ...]:
    """Return the URLs of the stylesheets for screens that a page at `url` links to, of its host or a subdomain."""
    page = _parsed(html)
    base = page.find("base", href=True)
    start = (resolve(str(base["href"]), url) if base else None) or url
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    found: dict[str, None] = {}
    for link in page.find_all("link", href=True):
        rel = {str(name).lower() for name in link.get_attribute_list("rel")}
        target = resolve(str(link["href"]).strip(), start)
        if "stylesheet" not in rel or "alternate" in rel or "print" in str(link.get("media", "")) or target is None:
            continue
        parts = urlsplit(target)
        if parts.scheme in ("http", "https") and f".{parts.hostname}".endswith(f".{host}"):
            found[target.partition("#")[0]] = None
    return tuple(found)


def brand_of(
    html: str, *, url: str, stylesheets: Iterable[str] = (), computed: ComputedStyles | None = None
) -> Brand | None:
    """Return the brand of a home page; None if nothing of it was found.

    `stylesheets` are those that the page links to, in its order; those inside the page are read too. `computed` is None
    if the page was not rendered.
    """
    page = _parsed(html)
    css, left = [], LONGEST
    for sheet in (*stylesheets, *(style.get_text() for style in page.find_all("style"))):
        css.append(sheet[:left])
        left -= len(css[-1])
    if computed is not None:
        css.append(":root{" + "".join(f"{name}:{value};" for name, value in computed.variables.items()) + "}")
    sheets = [read_stylesheet(one) for one in css]
    styles = PageStyles(page, sheets)
    brand = with_colours(
        Brand(fonts=fonts_of(page, styles, sheets, computed), logo=logo_of(page, url)), page, styles, computed
    )
    return brand if brand.confidence else None


def merged(one: Brand | None, two: Brand | None) -> Brand | None:
    """Return a brand with the more certain values of two."""
    if one is None or two is None:
        return one or two
    names = ("primary", "secondary", "accent", "background", "text", "logo")
    values = {name: _surer(getattr(one, name), getattr(two, name)) for name in names}
    colours = {name: value and colour_of(value.hex) for name, value in values.items() if name != "logo"}
    text, background = colours["text"], colours["background"]
    same_primary = next((brand for brand in (one, two) if brand.primary == values["primary"]), one)
    families = {
        font.family.casefold(): font for font in sorted((*one.fonts, *two.fonts), key=lambda font: font.confidence)
    }
    return Brand(
        **values,
        text_contrast=contrast(text, background) if text and background else None,
        button_contrast=same_primary.button_contrast,
        fonts=tuple(sorted(families.values(), key=lambda font: (_ORDER.index(font.role), -font.confidence)))[
            :MOST_FONTS
        ],
    )


def _surer(one: _Value | None, two: _Value | None) -> _Value | None:
    if one is None or two is None:
        return one or two
    return two if two.confidence > one.confidence else one


def _parsed(html: str) -> BeautifulSoup:
    text = _XML.sub("", html[:LONGEST_PAGE]).encode("utf-8", "replace").decode()  # a DOM can have halves of pairs
    page = BeautifulSoup(text, "lxml")
    if page.html is not None and page.body is None:  # HTML may leave it out; this parser does not add it
        page.html.append(page.new_tag("body"))
    return page
