"""The sitemap parser (sitemaps.org protocol 0.9, RSS 2.0, Atom (RFC 4287), text files).

The parser never raises. A damaged or hostile file gives the entries before the damage and a problem that describes it.
lxml parses without entities, network and DTDs.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from itertools import islice
from typing import Any

import msgspec

from wavecrawl.domain.counts import counted
from wavecrawl.domain.sitemaps.dates import w3c_date
from wavecrawl.domain.sitemaps.encoding import as_utf8
from wavecrawl.domain.sitemaps.raw_content import escape_ampersands, unzip, without_preamble
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.domain.urls.url import resolve

CHANGE_FREQUENCIES = frozenset(("always", "hourly", "daily", "weekly", "monthly", "yearly", "never"))

_CHUNK = 65_536
_MAX_PROBLEMS = 20
_MAX_ELEMENTS = 50_000  # per entry
_BARE = "an entry without <loc>; its text was read as the URL"
_ROOTS = {"urlset": "urlset", "sitemapindex": "index", "rss": "rss", "rdf": "rss", "feed": "atom"}

_TAIL = 1_000  # bytes
_ROOT_END = re.compile(rb"</(?:[a-z_][\w.-]*:)?(?:urlset|sitemapindex|rss|rdf|feed)\s*>", re.IGNORECASE)
"""The end of the root element, after which a broken file has no further entries."""

_LINE = re.compile("[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")  # the line boundaries of str.splitlines


class SitemapKind(StrEnum):
    """The format of a file."""

    URLSET = "urlset"
    INDEX = "index"
    RSS = "rss"
    ATOM = "atom"
    TEXT = "text"
    UNKNOWN = "unknown"


_FEEDS = frozenset((SitemapKind.RSS, SitemapKind.ATOM))
"""Formats whose references are relative to `xml:base` (RFC 4287, section 2). Those of sitemaps are absolute."""

_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_MOST_AROUND = 8  # elements around an entry whose base is read; a valid feed has one or two
_LONGEST_BASE = 2_000  # characters; it is resolved for each entry

_SITEMAP_ENTRIES = frozenset(("url", "sitemap"))
_ENTRIES_OF = {
    SitemapKind.URLSET: _SITEMAP_ENTRIES,
    SitemapKind.INDEX: _SITEMAP_ENTRIES,
    SitemapKind.RSS: frozenset(("item",)),  # not the <url> of a channel's <image>
    SitemapKind.ATOM: frozenset(("entry",)),
}


class SitemapEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One URL of a sitemap."""

    loc: str  # absolute, serialised
    lastmod: str = ""  # W3C date or date and time; "" if missing or invalid
    changefreq: str = ""
    priority: float | None = None  # 0..1
    alternates: tuple[tuple[str, str], ...] = ()  # (hreflang, absolute URL)
    images: tuple[str, ...] = ()


class SitemapContent(msgspec.Struct, frozen=True, kw_only=True):
    """The content of one file."""

    kind: SitemapKind
    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[SitemapEntry, ...] = ()  # the files in an index
    problems: tuple[str, ...] = ()
    truncated: bool = False  # cut at a limit
    damaged: bool = False  # whether its end is missing


class _Parsed(msgspec.Struct):
    """The state of the parser."""

    url: str
    limit: int
    entries: list[SitemapEntry] = msgspec.field(default_factory=list)
    problems: list[str] = msgspec.field(default_factory=list)
    truncated: bool = False
    damaged: bool = False
    full: bool = False  # no more entries are accepted
    open_entries: int = 0  # number of nested open entries
    elements: int = 0  # number of elements in the open entries

    def problem(self, text: str) -> None:
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(text)

    def add(self, entry: SitemapEntry) -> bool:
        """Add an entry; return False if the limit is reached."""
        if len(self.entries) >= self.limit:
            self.problem(f"cut after {self.limit:,} URLs")
            self.full = self.truncated = True
            return False
        self.entries.append(entry)
        return True

    def content(self, kind: SitemapKind) -> SitemapContent:
        entries = tuple(self.entries)
        index = kind is SitemapKind.INDEX
        return SitemapContent(
            kind=kind,
            entries=() if index else entries,
            children=entries if index else (),
            problems=tuple(self.problems),
            truncated=self.truncated,
            damaged=self.damaged,
        )


def parse_sitemap(body: bytes, *, url: str, limits: SitemapSettings) -> SitemapContent:
    """Return the content of the file at `url`: at most `limits.max_urls` entries in `limits.max_bytes` bytes."""
    raw = unzip(body, limit=limits.max_bytes)
    parsed = _Parsed(url, limits.max_urls, truncated=raw.truncated, damaged=bool(raw.problem) and not raw.truncated)
    for problem in (raw.problem, "gzip inside gzip; decompressed" if raw.nested else ""):
        if problem:
            parsed.problem(problem)
    data = without_preamble(raw.data)
    if data is not raw.data:
        parsed.problem("text before the XML; left out")
    data, problem = as_utf8(data)
    if problem:
        parsed.problem(problem)
    head = data[:1024].lstrip(b"\xef\xbb\xbf\x00 \t\r\n")
    if not head:
        parsed.problem("the file is empty")
        return parsed.content(SitemapKind.UNKNOWN)
    if head.startswith(b"<"):
        return parsed.content(_read_xml(data, parsed))
    return parsed.content(_read_text(data, parsed, incomplete=bool(raw.problem)))


def _read_xml(data: bytes, parsed: _Parsed) -> SitemapKind:
    from lxml import etree  # noqa: PLC0415 - slow to load, and many sites have no sitemap

    escaped = escape_ampersands(data)
    if escaped is not data:
        parsed.problem("unescaped '&'; read as '&amp;'")
    parser = etree.XMLPullParser(
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    kind = SitemapKind.UNKNOWN
    with suppress(etree.XMLSyntaxError):  # it is in the error log
        for start in range(0, len(escaped), _CHUNK):
            parser.feed(escaped[start : start + _CHUNK])
            kind = _handle_events(parser.read_events(), kind, parsed)
            if parsed.full or kind is SitemapKind.UNKNOWN:
                break
        else:
            parser.close()  # only for its errors; entries that end here are incomplete
    errors = parser.feed_error_log.filter_from_errors()
    if kind is SitemapKind.UNKNOWN:
        parsed.problem("neither a sitemap nor a feed")
    elif len(errors):
        parsed.problem(f"broken XML: {errors[0].message.strip()}")
        parsed.damaged = parsed.damaged or not (parsed.truncated or _ROOT_END.search(escaped[-_TAIL:]))
    return kind


def _handle_events(events: Iterator[Any], kind: SitemapKind, parsed: _Parsed) -> SitemapKind:
    for event, element in events:
        name = _local(element)
        if event == "end":
            _close(element, kind if name in _ENTRIES_OF.get(kind, ()) else None, parsed)
        elif kind is SitemapKind.UNKNOWN and element.getparent() is None:
            kind = SitemapKind(_ROOTS.get(name, "unknown"))
        elif not _open(name in _ENTRIES_OF.get(kind, ()), parsed):
            break
    return kind


def _open(is_entry: bool, parsed: _Parsed) -> bool:  # noqa: FBT001 - private
    """Count a start tag; return False if an entry has too many elements."""
    parsed.open_entries += is_entry
    parsed.elements += bool(parsed.open_entries)
    if parsed.elements <= _MAX_ELEMENTS:
        return True
    parsed.problem(f"cut at an entry of more than {_MAX_ELEMENTS:,} elements")
    parsed.full = parsed.truncated = True
    return False


def _close(element: Any, kind: SitemapKind | None, parsed: _Parsed) -> None:
    """Read an element whose end was found. `kind`: of the file, if the element is one of its entries."""
    if kind is not None:
        _add_entry(element, kind, parsed)
        parsed.open_entries -= 1
        element.clear()
    if parsed.open_entries:
        return
    parsed.elements = 0
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:  # free the memory of elements already read
        del parent[0]


def _add_entry(element: Any, kind: SitemapKind, parsed: _Parsed) -> None:
    if parsed.full:
        return
    base = _base(element, parsed.url) if kind in _FEEDS else parsed.url
    facts = _facts(element, kind, base)
    loc = _loc(facts, element, parsed, base)
    if loc is None:
        return
    lastmod = facts.get("lastmod") or facts.get("updated") or facts.get("pubdate") or facts.get("date") or ""
    date = w3c_date(lastmod)
    if lastmod and not date:
        parsed.problem(f"lastmod is not a date: {lastmod[:40]!r}")
    frequency = str(facts.get("changefreq", "")).lower()
    entry = SitemapEntry(
        loc=loc,
        lastmod=date,
        changefreq=frequency if frequency in CHANGE_FREQUENCIES else "",
        priority=_priority(str(facts.get("priority", ""))),
        alternates=tuple((language, url) for language, href in facts["alternates"] if (url := resolve(href, base))),
        images=tuple(url for written in facts["images"] if (url := resolve(written, base))),
    )
    parsed.add(entry)


def _base(element: Any, url: str) -> str:
    """Return the base URL of an element in the file at `url` (XML Base, https://www.w3.org/TR/xmlbase/).

    Each `xml:base` of it and of the elements around it is relative to the one further out. An invalid one is ignored.
    """
    near = (element, *islice(element.iterancestors(), _MOST_AROUND))
    for one in reversed(near):
        url = _own_base(one, url)
    return url


def _own_base(element: Any, base: str) -> str:
    """Return the base URL of an element, given the one around it."""
    own = element.get(_XML_BASE)
    return (resolve(own, base) or base) if own and len(own) <= _LONGEST_BASE else base


def _facts(element: Any, kind: SitemapKind, base: str) -> dict[str, Any]:
    """Return the values of an entry by local name, in any namespace; the first of equal names counts.

    The first alternate link of an Atom entry is its URL, whatever its language (RFC 4287, section 4.2.7.4). In other
    files, a link with a language leads to another version of the page.
    """
    found: dict[str, Any] = {"alternates": [], "images": []}
    for child in element:
        if not isinstance(child.tag, str):
            continue
        name = _local(child)
        if name == "link" and (written := child.get("href")) is not None:
            href = _with_own_base(written, child, base)
            is_alternate = child.get("rel", "alternate") == "alternate"
            if kind is SitemapKind.ATOM and is_alternate and "link" not in found:
                found["link"] = href
            elif child.get("hreflang"):
                found["alternates"].append((child.get("hreflang"), href))
            elif is_alternate:
                found.setdefault("link", href)
        elif name == "image":
            found["images"] += [_text(part) for part in child if _local(part) == "loc" and _text(part)]
        elif name != "guid" or child.get("isPermaLink", "true").lower() == "true":
            found.setdefault(name, _with_own_base(_text(child), child, base) if name == "link" else _text(child))
    return found


def _with_own_base(written: str, element: Any, base: str) -> str:
    """Return a reference as written, or its URL if its element has a base of its own within that of the entry."""
    own = _own_base(element, base)
    return (resolve(written, own) or written) if own is not base and written else written


def _loc(facts: dict[str, Any], element: Any, parsed: _Parsed, base: str) -> str | None:
    written = facts.get("loc") or facts.get("link") or facts.get("guid") or ""
    if not written and not len(element) and _text(element):
        written = _text(element)
        if _BARE not in parsed.problems:
            parsed.problem(_BARE)
    if not written:
        parsed.problem("an entry without a URL")
        return None
    absolute = resolve(written, base)
    if absolute is None or not absolute.startswith(("http://", "https://")):
        parsed.problem(f"not a URL: {written[:80]!r}")
        return None
    return absolute


def _read_text(data: bytes, parsed: _Parsed, *, incomplete: bool) -> SitemapKind:
    text = data.decode("utf-8-sig", errors="replace")
    bad = 0
    for line in _LINE.finditer(text):
        if incomplete and line.end() == len(text):
            break  # the last line may be cut
        written = line[0].strip()
        if not written or written.startswith("#"):
            continue
        if (
            not written.lower().startswith(("http://", "https://"))
            or (absolute := resolve(written, parsed.url)) is None
        ):
            bad += 1
        elif not parsed.add(SitemapEntry(loc=absolute)):
            break
    if bad:
        parsed.problem(counted(bad, "line is not a URL", "lines are not URLs"))
    return SitemapKind.TEXT if parsed.entries else SitemapKind.UNKNOWN


def _priority(written: str) -> float | None:
    try:
        value = float(written)
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None


def _local(element: Any) -> str:
    tag = element.tag if isinstance(element.tag, str) else ""
    return str(tag).rpartition("}")[2].rpartition(":")[2].lower()


def _text(element: Any) -> str:
    return "".join(element.itertext()).strip()
