"""The logo of a brand: of the candidates in a page the one with the highest confidence."""

import re
from base64 import b64encode
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from bs4 import BeautifulSoup, Tag

from wavecrawl.domain.brand.base_url import base_url
from wavecrawl.domain.brand.brand import BrandLogo
from wavecrawl.domain.brand.page_styles import names_of
from wavecrawl.domain.brand.regions import headers_of
from wavecrawl.domain.pages.script_json import script_json
from wavecrawl.domain.urls.limits import MAX_URL_LENGTH
from wavecrawl.domain.urls.url import resolve

LARGEST_SVG: Final = 16_384
"""Characters of an SVG image inside the page that are kept."""

_DATA: Final = "data:image/svg+xml"
_LONGEST_DATA: Final = 2 * LARGEST_SVG  # characters, as base64 takes 4 for 3 bytes
_MOST_NODES: Final = 10_000  # of JSON-LD
_MOST_IMAGES: Final = 50  # of a header
_MOST_PARTS: Final = 2_000  # elements and texts of an SVG image
_LOGO: Final = re.compile(r"logo|brand", re.IGNORECASE)
_SIZE: Final = re.compile(r"(?<!\d)(\d{1,6})x\d", re.IGNORECASE)
_ORGANISATION: Final = re.compile(
    r"Organi[sz]ation|Corporation|Business|Brand|Store|NGO|Restaurant|Hotel|Hospital|School"
)
_ICONS: Final = {"apple-touch-icon": 0.6, "apple-touch-icon-precomposed": 0.6, "mask-icon": 0.55, "icon": 0.5}
_SVG_NAMESPACE: Final = 'xmlns="http://www.w3.org/2000/svg"'


def logo_of(page: BeautifulSoup, url: str) -> BrandLogo | None:
    """Return the logo of a page at `url`; None if there is none."""
    start = base_url(page, url)
    best: BrandLogo | None = None
    for href, source, confidence in _candidates(page):
        if best is not None and best.confidence >= confidence:
            continue
        if href.startswith(_DATA):
            target, most = href, _LONGEST_DATA
        else:
            target, most = resolve(href.strip(), start) or "", MAX_URL_LENGTH
        if target.startswith(("http://", "https://", _DATA)) and len(target) <= most:
            best = BrandLogo(url=target, source=source, confidence=confidence)
    return best


def _candidates(page: BeautifulSoup) -> Iterator[tuple[str, str, float]]:
    for script in page.find_all("script", type=re.compile("ld\\+json", re.IGNORECASE)):
        for href, is_organisation in _of_json_ld(script.get_text()):
            yield href, "json-ld", 0.95 if is_organisation else 0.75
    for header in headers_of(page):
        yield from _of_header(header)
    for link in page.find_all("link", href=True):
        for rel in map(str.lower, map(str, link.get_attribute_list("rel"))):
            if rel in _ICONS:
                yield str(link["href"]), f"link {rel}", _ICONS[rel] + _by_size(link)
    image = page.find("meta", property="og:image", content=True)
    if image is not None:
        yield str(image["content"]), "og:image", 0.3


def _of_header(header: Tag) -> Iterator[tuple[str, str, float]]:
    for image in islice(header.find_all("img"), _MOST_IMAGES):
        href = next((str(image[name]) for name in ("src", "data-src") if _is_file(image.get(name))), "")
        if href and _is_logo(image, href):
            yield href, "header img", 0.85
    for image in islice(header.find_all("svg"), _MOST_IMAGES):
        if not _is_logo(image, "") or any(islice(image.descendants, _MOST_PARTS, None)):
            continue
        markup = str(image)
        if len(markup) <= LARGEST_SVG:
            if _SVG_NAMESPACE not in markup:
                markup = markup.replace("<svg", f"<svg {_SVG_NAMESPACE}", 1)
            data = b64encode(markup.encode("utf-8", "replace")).decode()
            yield f"data:image/svg+xml;base64,{data}", "header svg", 0.8


def _is_file(src: object) -> bool:
    return bool(src) and not str(src).startswith("data:")


def _is_logo(image: Tag, src: str) -> bool:
    """Return whether an image, or one of the two elements around it, is named as a logo."""
    around = [image, *list(image.parents)[:2]]
    names = [str(image.get("alt", "")), src]
    for element in around:
        names += [str(element.get("id", "")), str(element.get("aria-label", "")), *names_of(element)]
    return any(_LOGO.search(name) for name in names)


def _by_size(link: Tag) -> float:
    """Return up to 0.04: more for larger icons, and most for those of any size."""
    if "svg" in str(link.get("type", "")):
        return 0.04
    size = _SIZE.search(str(link.get("sizes", "")))
    return min(int(size[1]), 512) / 512 * 0.03 if size else 0.0


def _of_json_ld(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the logos in JSON-LD, and whether they are those of an organisation."""
    try:
        waiting: list[Any] = [script_json(text)]
    except (ValueError, RecursionError):
        return
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        node = waiting.pop()
        if isinstance(node, list):
            waiting += reversed(node)
        elif isinstance(node, dict):
            logo = node.get("logo")
            logo = logo[0] if isinstance(logo, list) and logo else logo
            href = logo.get("url", logo.get("contentUrl")) if isinstance(logo, dict) else logo
            if isinstance(href, str):
                yield href, bool(_ORGANISATION.search(str(node.get("@type", ""))))
            waiting += reversed(node.values())
