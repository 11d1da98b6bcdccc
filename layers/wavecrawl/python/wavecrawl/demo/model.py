"""A site as a pure value: what every page answers, where it points, what robots.txt and the sitemaps say.

A page has a *name*: its path and query as identity sees them. Links carry the name of their target beside
the href that is written into the page, so that nobody has to resolve anything to know where a link leads.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from urllib.parse import quote, urlsplit

from wavecrawl.domain.pages.page import LinkKind, Region

ORIGIN = "{origin}"
"""Stands for the server's own origin (scheme://host:port) in hrefs, redirects and sitemaps."""

_TRACKING = frozenset("fbclid gclid msclkid mc_cid mc_eid ref _ga _gl sessionid sid phpsessid jsessionid".split())
_RETRIED = (408, 421, 425, 429)  # and every 5xx
_PRINTABLE = "".join(chr(code) for code in range(0x21, 0x7F))


class Markup(StrEnum):
    """How well a page is written."""

    WHOLE = "whole"
    BROKEN = "broken"  # no quotes, nothing closed, links in comments and scripts that are none


class FailureKind(StrEnum):
    """How a flaky page fails."""

    STATUS = "status"
    RESET = "reset"  # the connection is reset before a byte is sent
    SHORT = "short"  # the connection ends in the middle of the body
    GARBAGE = "garbage"  # what is sent is not HTTP


class SitemapKind(StrEnum):
    """The forms of a sitemap."""

    URLSET = "urlset"
    INDEX = "index"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One link of a page."""

    to: str  # path and query of the target, or its absolute URL where it lies on another site
    href: str = ""  # as written; "" = the same as `to`
    text: str = ""
    kind: LinkKind = LinkKind.ANCHOR
    region: Region = Region.MAIN
    nofollow: bool = False
    hreflang: str = ""

    @property
    def target(self) -> str:
        """The name of the page it leads to."""
        return name_of(self.to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A page that fails the first `times` times it is requested with GET, and answers as it should from then on."""

    times: int
    kind: FailureKind = FailureKind.STATUS
    status: int = 503  # one that is retried
    retry_after: str = ""  # the header, where there is one

    def __post_init__(self) -> None:
        if self.kind is FailureKind.STATUS and self.status < 500 and self.status not in _RETRIED:  # noqa: PLR2004 - 5xx
            raise ValueError(f"a page that fails with {self.status} is not asked again; give it that status instead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What one address answers. A request for it with the other trailing slash is redirected here."""

    path: str  # with its query, as it is served
    title: str = ""
    description: str = ""
    text: tuple[str, ...] = ()  # paragraphs; those that begin with "## " are headings
    links: tuple[Link, ...] = ()
    mentions: tuple[str, ...] = ()  # hrefs that are no links of the site: mailto:, javascript:, "#top", ...
    language: str = "en"
    status: int = 200
    redirect: str = ""  # Location, with a 3xx status
    content_type: str = "text/html"
    body: bytes | None = None  # the whole body, instead of one made of the fields above
    encoding: str = "utf-8"  # what the body is written in
    header_charset: str = "utf-8"  # what Content-Type says; "" = nothing
    meta_charset: str = "utf-8"  # what <meta charset> says; "" = nothing
    coding: str = ""  # gzip or deflate: the Content-Encoding
    filler: int = 0  # bytes of text added behind everything else
    headers: tuple[tuple[str, str], ...] = ()
    etag: str = ""  # with its quotes
    last_modified: str = ""
    delay: float = 0.0  # seconds before the answer
    failure: Failure | None = None
    robots_meta: str = ""
    base: str = ""  # <base href>
    markup: Markup = Markup.WHOLE

    @property
    def name(self) -> str:
        """The page's identity."""
        return name_of(self.path)

    @property
    def is_html(self) -> bool:
        """Tell whether it answers with a page that can have links."""
        return self.content_type in ("text/html", "application/xhtml+xml")

    @property
    def asks_nofollow(self) -> bool:
        """Tell whether meta robots or X-Robots-Tag ask not to follow any of its links."""
        said = [self.robots_meta, *(value for name, value in self.headers if name.lower() == "x-robots-tag")]
        return any(word.strip().lower() in ("nofollow", "none") for value in said for word in value.split(","))


@dataclass(frozen=True, slots=True, kw_only=True)
class Robots:
    """robots.txt for everyone: plain path prefixes, without wildcards."""

    disallow: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    crawl_delay: str = ""
    extra: tuple[str, ...] = ()  # further lines: groups of other crawlers, comments, nonsense

    def denies(self, path: str) -> bool:
        """Tell whether the longest matching rule forbids the path; of two equals, allow wins (RFC 9309 2.2.2)."""
        denied = max((len(prefix) for prefix in self.disallow if path.startswith(prefix)), default=0)
        allowed = max((len(prefix) for prefix in self.allow if path.startswith(prefix)), default=0)
        return denied > allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapEntry:
    """One entry of a sitemap."""

    to: str  # path and query, or an absolute URL of another site
    lastmod: str = ""
    changefreq: str = ""
    priority: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapFile:
    """One sitemap. An index names other files by their paths."""

    path: str
    kind: SitemapKind = SitemapKind.URLSET
    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[str, ...] = ()
    gzip: bool = False  # the file itself is compressed, as in sitemap.xml.gz
    readable: int | None = None  # the XML breaks off behind this many entries
    in_robots: bool = False

    @property
    def read_entries(self) -> tuple[SitemapEntry, ...]:
        """The entries that can be read."""
        return self.entries if self.readable is None else self.entries[: self.readable]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A whole site on one origin."""

    pages: tuple[Page, ...]
    name: str = ""  # ends every title, behind " | "
    root: str = "/"
    robots: Robots | None = None  # None: no robots.txt, unless a sitemap has to be named there
    sitemaps: tuple[SitemapFile, ...] = ()
    stylesheet: str = ""  # path of a page that every HTML page names as its style sheet

    def by_name(self) -> dict[str, Page]:
        """Return the pages by name; raise ValueError where two have the same."""
        pages: dict[str, Page] = {}
        for page in self.pages:
            if page.name in pages:
                raise ValueError(f"two pages are called {page.name}: {pages[page.name].path} and {page.path}")
            pages[page.name] = page
        return pages

    def listed(self) -> tuple[str, ...]:
        """Return the targets that the sitemaps list, in reading order: each file in place, each target once.

        Files are found by robots.txt; where it names none, /sitemap.xml and /sitemap_index.xml are tried.
        """
        files = {file.path: file for file in self.sitemaps}
        starts = [file.path for file in self.sitemaps if file.in_robots] or ["/sitemap.xml", "/sitemap_index.xml"]
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
    """Return the name of a page: of a path with query, or of an absolute URL; `origin` is cut off.

    Fragment and tracking parameters dropped, the other parameters sorted, one trailing slash dropped.
    URLs of other origins keep theirs.
    """
    return _name_of(url.removeprefix(origin) or "/")


@lru_cache(maxsize=65_536)
def _name_of(url: str) -> str:
    parts = urlsplit(url)
    site = f"{parts.scheme}://{parts.netloc.lower()}" if parts.netloc else ""
    path = quote(parts.path, safe=_PRINTABLE).removesuffix("/") or "/"
    kept = [part for part in parts.query.split("&") if part and not _is_tracking(part)]
    query = "&".join(sorted(kept, key=lambda part: part.partition("=")[::2]))
    return f"{site}{path}?{query}" if query else site + path


def _is_tracking(part: str) -> bool:
    name = part.partition("=")[0].lower()
    return name in _TRACKING or name.startswith("utm_")


_ZONES = (Region.HEAD, Region.HEADER, Region.NAV, Region.MAIN, Region.BODY, Region.ASIDE, Region.FOOTER)
_HEAD_KINDS = (LinkKind.CANONICAL, LinkKind.ALTERNATE, LinkKind.NEXT, LinkKind.PREV, LinkKind.REFRESH)


def zone_of(link: Link) -> Region:
    """Return the part of the page the link is written into."""
    return Region.HEAD if link.kind in _HEAD_KINDS else link.region


def in_document_order(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Return the links as they stand in the document: head, header, navigation, main text, aside, footer."""
    return tuple(sorted(links, key=lambda link: _ZONES.index(zone_of(link))))
