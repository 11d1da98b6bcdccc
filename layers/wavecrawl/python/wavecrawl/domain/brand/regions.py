"""The regions of a home page that show its brand."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from bs4 import BeautifulSoup, Tag

from wavecrawl.domain.brand.page_styles import names_of

_MOST_HEADERS: Final = 4
_MOST_BUTTONS: Final = 40
_MOST_HEROES: Final = 3
_HEADER_NAME: Final = re.compile(
    r"^(site-|main-|page-|global-|top-)?(header|navbar|nav|topbar|masthead)\b", re.IGNORECASE
)
_HERO_NAME: Final = re.compile(r"(^|[-_])(hero|jumbotron|banner|masthead|cover)([-_]|$)", re.IGNORECASE)
_BUTTON_NAME: Final = re.compile(r"(^|[-_])(btn|button|cta)([-_]|$)", re.IGNORECASE)


def headers_of(page: BeautifulSoup) -> list[Tag]:
    """Return the header and the navigation of a page."""
    found = (element for element in page.find_all(_is_header) if not element.find_parent(["main", "article", "footer"]))
    return list(islice(found, _MOST_HEADERS))


def heroes_of(page: BeautifulSoup) -> list[Tag]:
    """Return the large pictures or texts at the top of a page."""
    return list(islice(page.find_all(_is_hero), _MOST_HEROES))


def buttons_of(areas: Iterable[Tag], *, links: bool) -> Iterator[Tag]:
    """Yield the buttons in areas; with `links`, all links too."""
    for area in areas:
        found = (element for element in area.find_all(["a", "button", "input"]) if links or _is_button(element))
        yield from islice(found, _MOST_BUTTONS)


def _is_header(element: Tag) -> bool:
    if element.name in ("header", "nav") or element.get("role") in ("banner", "navigation"):
        return True
    return any(_HEADER_NAME.search(name) for name in _all_names(element))


def _is_hero(element: Tag) -> bool:
    return element.name not in ("img", "a") and any(_HERO_NAME.search(name) for name in _all_names(element))


def _is_button(element: Tag) -> bool:
    if element.name == "a":
        return element.get("role") == "button" or any(_BUTTON_NAME.search(name) for name in _all_names(element))
    return element.name == "button" or element.get("type") in ("submit", "button")


def _all_names(element: Tag) -> list[str]:
    return [str(element.get("id", "")), *names_of(element)]
