"""The path of a URL: its place on the site and its date."""

import re
from datetime import date

from msgspec import Struct

_LANGUAGE = re.compile(r"/[a-z]{2}(?:[-_][a-zA-Z]{2,4})?(?=/|$)")
_INDEX = re.compile(r"/(?:index|default)\.[a-z]{2,5}$")
_EXTENSION = re.compile(r"\.(?:html?|xhtml|php|aspx?|jsp|md)$")
_DATA = (".json", ".xml", ".rss", ".atom", ".csv", ".yaml", ".yml", ".ics")
_DATED = re.compile(r"[/-]((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])(?:[/-](0?[1-9]|[12]\d|3[01]))?(?![\d])")


class Place(Struct, frozen=True, kw_only=True, gc=False):
    """The place of a URL on its site."""

    url: str
    path: str
    query: str
    plain: str  # the path without language, final slash, index file and extension; "" for a root
    is_index: bool  # whether the URL is that of a folder

    @property
    def is_data(self) -> bool:
        """Whether the file extension is that of data, which is made for programs."""
        return self.path.endswith(_DATA)

    @property
    def segments(self) -> int:
        """The number of segments of the plain path."""
        return self.plain.count("/")

    @property
    def parameters(self) -> int:
        """The number of query parameters."""
        return self.query.count("&") + 1 if self.query else 0


def place_of(url: str) -> Place:
    """Return the place of a fetch URL."""
    address, _, query = url.partition("?")
    start = address.find("/", address.find("//") + 2)
    path = address[start:] if start >= 0 else "/"
    language = _LANGUAGE.match(path)
    page = path[language.end() :] if language else path
    folder = _INDEX.sub("", page)
    plain = _EXTENSION.sub("", folder.rstrip("/"))
    return Place(url=url, path=path, query=query, plain=plain, is_index=path.endswith("/") or folder != page)


def date_in(path: str) -> date | None:
    """Return the date that a path names by a year and a month, and maybe a day; None if there is none."""
    found = _DATED.search(path)
    if found is None:
        return None
    try:
        return date(int(found[1]), int(found[2]), int(found[3] or 1))
    except ValueError:  # such as 31 February
        return None
