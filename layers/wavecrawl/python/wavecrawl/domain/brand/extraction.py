"""The brand of a home page, from its HTML, its stylesheets and its computed styles."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from bs4 import BeautifulSoup

from wavecrawl.domain.brand.base_url import base_url
from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.brand.colours import with_colours
from wavecrawl.domain.brand.computed import ComputedStyles
from wavecrawl.domain.brand.fonts import fonts_of
from wavecrawl.domain.brand.logo import logo_of
from wavecrawl.domain.brand.page_styles import PageStyles
from wavecrawl.domain.brand.stylesheet import read_stylesheet
from wavecrawl.domain.urls.url import resolve

LONGEST_PAGE: Final = 500_000
"""Characters of the page that are read."""

LONGEST: Final = 1_000_000
"""Characters of all its stylesheets together that are read."""

_XML: Final = re.compile(r"^\s*<\?xml[^>]*>")


def stylesheets_of(html: str, *, url: str) -> tuple[str, ...]:
    """Return the URLs of the stylesheets for screens that a page at `url` links to, of its host or a subdomain."""
    page = _parsed(html)
    start = base_url(page, url)
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


def _parsed(html: str) -> BeautifulSoup:
    text = _XML.sub("", html[:LONGEST_PAGE]).encode("utf-8", "replace").decode()  # a DOM can have halves of pairs
    if "<" not in text:
        text += "<!---->"  # BeautifulSoup warns if the whole text looks like a URL or a file name
    page = BeautifulSoup(text, "lxml")
    if page.html is not None and page.body is None:  # HTML may leave it out; this parser does not add it
        page.html.append(page.new_tag("body"))
    return page
