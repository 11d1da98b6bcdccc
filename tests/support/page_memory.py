"""The memory that the record of one hostile page takes: `python -m tests.support.page_memory NAME` prints it in MB."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from wavecrawl.application.read_page import PageReader
from wavecrawl.domain.crawl.job import JobItem
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.domain.urls.link_filter import LinkFilter
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.url import Identity
from wavecrawl.ports.page_parser import UnlimitedParser, never

URL: Final = "https://site.example/"
_BASE: Final = f"<base href=/{'x' * 1_990}/>"
_MANY: Final = range(100_000)
_MIB: Final = 2**20
PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "links": lambda: _BASE + "".join(f"<p><a href={n}>a link</a>" for n in _MANY),
    "links in one paragraph": lambda: f"{_BASE}<main><p>" + "".join(f"<a href={n}>a link</a> " for n in _MANY),
    "other languages": lambda: _BASE + "".join(f"<link rel=alternate hreflang=l{n} href={n}>" for n in _MANY),
    "images": lambda: _BASE + "".join(f"<img src={n}.png alt=x srcset='{n}a 1x, {n}b 2x'>" for n in _MANY),
    "cells": lambda: "<table>" + "<tr><td>a b c<td>d" * 58_000,
    "a row of cells above short rows": lambda: "<main><table><tr>" + "<td>a" * 70_000 + "<tr><td>x" * 70_000,
    "paragraphs inside 400 lists": lambda: "<main>" + "<ul><li>x" * 400 + "y<p>" * 250_000,
}


def peak_of(name: str) -> int:
    """Read a page as a worker does, and encode its record; return the most memory that this process has had, in MB."""
    settings = CrawlSettings()
    identity = Identity.of(settings)
    root = identity.page_url(URL)
    scope = Scope(root, settings.scope)
    chosen = MediaSettings(include=(MediaGroup.IMAGES,))
    reader = PageReader(
        links=LinkFilter(scope, identity, max_length=settings.max_url_length),
        media=MediaRules(scope, identity, chosen, max_length=settings.max_url_length, resources=True),
        known=None,  # type: ignore[arg-type]  # the page is no document
        settings=settings,
        root=root.key,
        parser=UnlimitedParser(),
    )
    body = PAGES[name]().encode()
    exchange = Exchange(url=URL, status=200, headers=(("Content-Type", "text/html"),), raw_body=body, body=body)
    record = PageRecord(key=root.key, url=URL, depth=0, state=UrlState.FETCHED, status=200, content_type="text/html")
    found = reader.read(JobItem(url=URL, key=root.key, depth=0, tries=1), record, exchange, "", never)
    assert found.facts is not None
    assert msgspec.json.encode(found)
    return _peak()


def _peak() -> int:
    """Return the peak in MB. It begins at zero with a program; that of `getrusage` has the memory of its parent too."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(kilobytes) * 1_024 // _MIB


if __name__ == "__main__":
    print(peak_of(sys.argv[1]))
