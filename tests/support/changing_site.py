"""A small site with everything at once, in three versions: lanes, traps, duplicates, and pages that change.

It is a part of the generated site of 5,000 pages (`focus_site`). Half of its pages have an ETag.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final
from zlib import crc32

from msgspec.structs import replace
from tests.support.focus_site import focus_site

from wavecrawl.demo.model import Link, Page, Site, SitemapEntry, SitemapFile

_PART = re.compile(
    r"/|/(pricing|contact|about|support)|/shop/gauges(/.*)?|/docs(/install(/topic-\d+)?)?|/blog(/2019/.*-\d)?"
    r"|/(print|v1)/docs/install/topic-\d|/forum(\?start=20)?|/forum/thread-[12]?\d|/api/threads/[12]?\d\.json"
    r"|/shop/gauges\?(color=(red|blue))?&?(size=(small|large))?&?(sort=(price|name|newest|rating))?"
    r"|/events\?month=202[45]-\d\d|/news\?page=[12]?\d|/(gallery|museum)/([a-z]+/){0,7}|/docs/install/.*\?visit=.*"
)
_MOVED = ("/docs/install/topic-9", "/docs/install/first-steps")
_GONE = ("/docs/install/topic-20", "/print/docs/install/topic-2", "/support")
_NEW = Page(path="/docs/install/new", title="What is new", text=("This page is new.",), links=(Link(to="/docs"),))
_ORPHAN = Page(path="/docs/orphan", title="An orphan", text=("No page leads here.",), links=(Link(to="/"),))

_QUICK: Final = {"retry_base": 0.0, "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 8}}
_BEST: Final = {**_QUICK, "strategy": "best_first", "focus": {"terms": ["gauge", "install manual"]}}

SETTINGS: Final[tuple[Mapping[str, Any], ...]] = tuple(
    MappingProxyType({**_BEST, "objectives": {"density": 0.01, "coverage": 0.999, "discard_rate": 0.99}, **more})
    for more in ({"max_pages": 150}, {}, {"mode": "changed_only"})
)
"""The settings of three crawls: some pages by lane and score; all pages; those that may have changed."""


@cache
def _part() -> Mapping[str, Page]:
    return {page.path: page for page in focus_site().site.pages if _PART.fullmatch(page.path)}


def changing_site(version: int) -> Site:
    """Return the site as the first, second or third crawl finds it (`version` 0, 1 or 2)."""
    pages = dict(_part())
    pages[_ORPHAN.path] = _ORPHAN
    topics = [path for path in pages if re.fullmatch(r"/docs/install/topic-\d+", path)]
    dates = dict.fromkeys([*topics, _ORPHAN.path], "2020-01-01")
    pages = {
        path: replace(page, links=tuple(one for one in page.links if one.to in pages)) for path, page in pages.items()
    }
    if version:
        for path in topics[10:15]:
            pages[path] = _longer(pages[path], "Another paragraph, of the second version.")
        pages["/docs"] = replace(pages["/docs"], links=(*pages["/docs"].links, Link(to=_NEW.path, text="What is new")))
        pages = _moved({path: page for path, page in pages.items() if path not in _GONE} | {_NEW.path: _NEW})
    if version > 1:
        for path in topics[12:15]:
            pages[path] = _longer(pages[path], "Another paragraph, of the third version.")
        dates |= dict.fromkeys(topics[11:14], "2999-01-01")  # the first is wrong
    entries = tuple(SitemapEntry(to=path, lastmod=date) for path, date in dates.items())
    return Site(
        pages=tuple(_with_etag(page) if number % 2 else page for number, page in enumerate(pages.values())),
        name="Pegel",
        sitemaps=(SitemapFile(path="/sitemap.xml", entries=entries),),
    )


def _longer(page: Page, text: str) -> Page:
    return replace(page, text=(*page.text, text))


def _moved(pages: dict[str, Page]) -> dict[str, Page]:
    """Give one page another path, in links too."""
    old, new = _MOVED
    return {
        page.path if page.path != old else new: replace(
            page,
            path=page.path if page.path != old else new,
            links=tuple(replace(one, to=new) if one.to == old else one for one in page.links),
        )
        for page in pages.values()
    }


def _with_etag(page: Page) -> Page:
    return replace(page, etag=f'"{crc32(repr(page).encode()):08x}"')
