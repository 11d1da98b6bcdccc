"""A site as a value: the response of every page, its links, robots.txt and the sitemaps.

A page has a *name*: its path and query after normalisation (see `name_of`). A link holds the name of its target beside
the href that is written into the page, so its target is known without resolving the href.
"""

from enum import StrEnum
from functools import lru_cache
from urllib.parse import quote, urlsplit

import msgspec

from wavecrawl.domain.pages.page import LinkKind, Region

ORIGIN = "{origin}"
"""A placeholder for the server's origin (scheme://host:port) in hrefs, redirects and sitemaps."""

_TRACKING = frozenset("fbclid gclid msclkid mc_cid mc_eid _ga _gl".split())
_RETRIED = (408, 421, 425, 429)  # the crawler retries these and every 5xx
_PRINTABLE = "".join(chr(code) for code in range(0x21, 0x7F))


class Markup(StrEnum):
    """How well a page is written."""

    WHOLE = "whole"
    BROKEN = "broken"  # unquoted attributes, unclosed elements, false links in comments and scripts


class OtherSpelling(StrEnum):
    """The response at a page's path with the other trailing slash: with one, or without."""

    REDIRECT = "redirect"  # to the page
    SAME = "same"  # the page
    MISSING = "missing"  # 404


class FailureKind(StrEnum):
    """How a flaky page fails."""

    STATUS = "status"
    RESET = "reset"  # the connection is reset before the first byte
    SHORT = "short"  # the connection ends just before the end of the body
    GARBAGE = "garbage"  # the bytes sent are not HTTP


class SitemapKind(StrEnum):
    """The forms of a sitemap (https://www.sitemaps.org/protocol.html)."""

    URLSET = "urlset"
    INDEX = "index"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """One link of a page."""

    to: str  # path and query of the target, or its absolute URL if it is on another site
    href: str = ""  # as written; "" = the same as `to`
    text: str = ""
    kind: LinkKind = LinkKind.ANCHOR
    region: Region = Region.MAIN
    nofollow: bool = False
    hreflang: str = ""

    @property
    def target(self) -> str:
        """The name of the target page."""
        return name_of(self.to)


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A page that fails the first `times` GET requests, and works from then on."""

    times: int
    kind: FailureKind = FailureKind.STATUS
    status: int = 503  # must be a status that the crawler retries
    retry_after: str = ""  # the header's value; "" = no header

    def __post_init__(self) -> None:
        if self.kind is FailureKind.STATUS and self.status < 500 and self.status not in _RETRIED:  # noqa: PLR2004 - 5xx
            raise ValueError(f"status {self.status} is not retried; set it as the status of the page itself")


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """The response of one URL. `other` is that of the same path with the other trailing slash, if it has no page."""

    path: str  # including the query, as it is served
    title: str = ""
    description: str = ""
    text: tuple[str, ...] = ()  # paragraphs; those that begin with "## " are headings
    links: tuple[Link, ...] = ()
    mentions: tuple[str, ...] = ()  # hrefs that are not links of the site: mailto:, javascript:, "#top", ...
    language: str = "en"
    status: int = 200
    redirect: str = ""  # Location, with a 3xx status
    content_type: str = "text/html"
    body: bytes | None = None  # the whole body; None = built from the fields above
    encoding: str = "utf-8"  # the encoding of the body
    header_charset: str = "utf-8"  # the charset in Content-Type; "" = none
    meta_charset: str = "utf-8"  # the charset in <meta charset>; "" = none
    coding: str = ""  # the Content-Encoding: gzip, deflate or ""
    filler: int = 0  # bytes of text appended to the page
    headers: tuple[tuple[str, str], ...] = ()
    etag: str = ""  # including its quotes
    last_modified: str = ""
    delay: float = 0.0  # seconds before the response
    failure: Failure | None = None
    robots_meta: str = ""
    base: str = ""  # <base href>
    markup: Markup = Markup.WHOLE
    other: OtherSpelling = OtherSpelling.REDIRECT

    @property
    def name(self) -> str:
        """The page's name."""
        return name_of(self.path)

    @property
    def is_html(self) -> bool:
        """Return whether the response is a page that can have links."""
        return self.content_type in ("text/html", "application/xhtml+xml")


class Robots(msgspec.Struct, frozen=True, kw_only=True):
    """robots.txt for everyone: plain path prefixes, without wildcards."""

    disallow: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    crawl_delay: str = ""
    extra: tuple[str, ...] = ()  # further lines: groups for other crawlers, comments, invalid lines


class SitemapEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a sitemap."""

    to: str  # path and query, or an absolute URL of another site
    lastmod: str = ""
    changefreq: str = ""
    priority: str = ""


class SitemapFile(msgspec.Struct, frozen=True, kw_only=True):
    """One sitemap. An index names other files by their paths."""

    path: str
    kind: SitemapKind = SitemapKind.URLSET
    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[str, ...] = ()
    gzip: bool = False  # whether the file itself is compressed, as in sitemap.xml.gz
    readable: int | None = None  # entries before the XML breaks off; None = all
    in_robots: bool = False

    @property
    def read_entries(self) -> tuple[SitemapEntry, ...]:
        """The entries that can be read."""
        return self.entries if self.readable is None else self.entries[: self.readable]


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """A whole site on one origin."""

    pages: tuple[Page, ...]
    name: str = ""  # appended to every title after " | "
    root: str = "/"
    robots: Robots | None = None  # None: no robots.txt, unless it has to name a sitemap
    sitemaps: tuple[SitemapFile, ...] = ()
    stylesheet: str = ""  # path of the style sheet of every HTML page

    def by_name(self) -> dict[str, Page]:
        """Return the pages by name. Raise ValueError if two pages have the same name."""
        pages: dict[str, Page] = {}
        for page in self.pages:
            if page.name in pages:
                raise ValueError(f"two pages are named {page.name}: {pages[page.name].path} and {page.path}")
            pages[page.name] = page
        return pages

    def listed(self) -> tuple[str, ...]:
        """Return the targets that the sitemaps list, in reading order and each once. An index is expanded in place.

        Sitemaps are found by robots.txt. If it names none, /sitemap.xml is read, or else /sitemap_index.xml.
        """
        files = {file.path: file for file in self.sitemaps}
        usual = "/sitemap.xml" if "/sitemap.xml" in files else "/sitemap_index.xml"
        starts = [file.path for file in self.sitemaps if file.in_robots] or [usual]
        found: dict[str, None] = {}
        waiting = list(reversed(starts))
        seen: set[str] = set()
        while waiting:
            path = waiting.pop()
            if path in seen or path not in files:
                continue
            seen.add(path)
            found.update(dict.fromkeys(entry.to for entry in files[path].read_entries))
            waiting.extend(reversed(files[path].children))
        return tuple(found)


def name_of(url: str, origin: str = ORIGIN) -> str:
    """Return the name of a page, given its path with query or an absolute URL.

    The fragment and tracking parameters are removed, and the other parameters are sorted.
    `origin` is removed; URLs of other origins stay absolute.
    """
    return _name_of(url.removeprefix(origin) or "/")


@lru_cache(maxsize=65_536)
def _name_of(url: str) -> str:
    parts = urlsplit(url)
    site = f"{parts.scheme}://{parts.netloc.lower()}" if parts.netloc else ""
    path = quote(parts.path, safe=_PRINTABLE) or "/"
    kept = [part for part in parts.query.split("&") if part and not _is_tracking(part)]
    query = "&".join(sorted(kept, key=lambda part: part.partition("=")[::2]))
    return f"{site}{path}?{query}" if query else site + path


def respelled(path: str) -> str:
    """Return a path with its query and the other trailing slash; that of a root stays as it is."""
    before, mark, query = path.partition("?")
    other = before.removesuffix("/") if before.endswith("/") else f"{before}/"
    return f"{other or '/'}{mark}{query}"


def _is_tracking(part: str) -> bool:
    name = part.partition("=")[0].lower()
    return name in _TRACKING or name.startswith("utm_")


_ZONES = (Region.HEAD, Region.HEADER, Region.NAV, Region.MAIN, Region.BODY, Region.ASIDE, Region.FOOTER)
_HEAD_KINDS = (LinkKind.CANONICAL, LinkKind.ALTERNATE, LinkKind.NEXT, LinkKind.PREV, LinkKind.REFRESH)


def zone_of(link: Link) -> Region:
    """Return the part of the page that contains the link."""
    return Region.HEAD if link.kind in _HEAD_KINDS else link.region


def in_document_order(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Return the links in document order: head, header, navigation, main text, aside, footer."""
    return tuple(sorted(links, key=lambda link: _ZONES.index(zone_of(link))))
