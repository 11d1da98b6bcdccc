"""Reading sitemaps in every form the field knows (spec [8]; sitemaps.org protocol 0.9, RSS 2.0, RFC 4287).

Whatever can be read is read: a file that breaks off, claims another encoding, or attacks the parser gives the entries
before the damage and a problem that names it; nothing raises. lxml parses with entities, network and DTDs off.
"""

import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

from wavecrawl.domain.crawl.settings import SitemapSettings
from wavecrawl.domain.urls.url import resolve

CHANGE_FREQUENCIES = frozenset(("always", "hourly", "daily", "weekly", "monthly", "yearly", "never"))

_CHUNK = 65_536
_GZIP_MAGIC = b"\x1f\x8b"
_MOST_PROBLEMS = 20
_MOST_MEMBERS = 1_000  # of a gzip file; what follows a member is copied for the next one
_MOST_PARTS = 50_000  # elements of one entry
_ROOTS = {"urlset": "urlset", "sitemapindex": "index", "rss": "rss", "rdf": "rss", "feed": "atom"}
_W3C_DATE = re.compile(
    r"\d{4}(-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?)?)?", re.IGNORECASE | re.ASCII
)

_LINE = re.compile("[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")  # as str.splitlines has it

_BARE_AMPERSAND = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)", re.DOTALL
)
"""An ampersand that is none of XML's references (XML 1.0, 4.6), or a whole CDATA section, where it needs no escape."""


class SitemapKind(StrEnum):
    """What form a file has."""

    URLSET = "urlset"
    INDEX = "index"
    RSS = "rss"
    ATOM = "atom"
    TEXT = "text"
    UNKNOWN = "unknown"


_SITEMAP_ENTRIES = frozenset(("url", "sitemap"))
_ENTRIES_OF = {
    SitemapKind.URLSET: _SITEMAP_ENTRIES,
    SitemapKind.INDEX: _SITEMAP_ENTRIES,
    SitemapKind.RSS: frozenset(("item",)),  # the <url> of a channel's <image> is none
    SitemapKind.ATOM: frozenset(("entry",)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapEntry:
    """One URL of a sitemap."""

    loc: str  # absolute, serialised
    lastmod: str = ""  # W3C date or date and time; "" where none or none that holds
    changefreq: str = ""
    priority: float | None = None  # 0..1
    alternates: tuple[tuple[str, str], ...] = ()  # (hreflang, absolute URL)
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapContent:
    """What one file holds."""

    kind: SitemapKind
    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[SitemapEntry, ...] = ()  # the files an index names
    problems: tuple[str, ...] = ()
    truncated: bool = False  # a limit cut it


@dataclass(slots=True)
class _Reading:
    url: str
    limit: int
    entries: list[SitemapEntry] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    truncated: bool = False
    full: bool = False  # the limit of entries is reached; those of a file cut by its bytes still count
    inside: int = 0  # entries that are open
    parts: int = 0  # elements of the open ones so far

    def problem(self, text: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(text)

    def add(self, entry: SitemapEntry) -> bool:
        """Keep an entry; return False where the file has had its limit."""
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
        )


def parse_sitemap(body: bytes, *, url: str, limits: SitemapSettings) -> SitemapContent:
    """Return what the file at `url` holds; at most `limits.max_urls` entries of at most `limits.max_bytes` bytes."""
    reading = _Reading(url, limits.max_urls)
    plain = _unzipped(body, limits.max_bytes, reading)
    head = plain[:1024].lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")
    if not head:
        reading.problem("the file is empty")
        return reading.content(SitemapKind.UNKNOWN)
    if head.startswith(b"<"):
        return reading.content(_read_xml(plain, reading))
    return reading.content(_read_text(plain, reading))


def _unzipped(body: bytes, limit: int, reading: _Reading) -> bytes:
    """Undo gzip, told by its magic bytes; several members, a torn end and a bomb give what fits."""
    out = bytearray()
    rest = body
    members = 0
    while rest.startswith(_GZIP_MAGIC) and len(out) <= limit:
        if members == _MOST_MEMBERS:
            reading.problem(f"cut after {_MOST_MEMBERS:,} gzip members")
            reading.truncated = True
            break
        members += 1
        unzip = zlib.decompressobj(31)
        try:
            out += unzip.decompress(rest, limit + 1 - len(out))
        except zlib.error as error:
            reading.problem(f"broken gzip: {error}")
            return bytes(out)
        if not unzip.eof:
            if len(out) <= limit:
                reading.problem("the gzip data breaks off")
            break
        rest = unzip.unused_data
    plain = bytes(out) if out or body.startswith(_GZIP_MAGIC) else body
    if len(plain) > limit:
        reading.problem(f"cut after {limit:,} bytes")
        reading.truncated = True
    return plain[:limit]


def _read_xml(plain: bytes, reading: _Reading) -> SitemapKind:
    from lxml import etree  # noqa: PLC0415 - slow to load, and many sites have no sitemap

    plain = _escaped(plain, reading)
    parser = etree.XMLPullParser(
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    kind = SitemapKind.UNKNOWN
    with suppress(etree.XMLSyntaxError):  # its log tells
        for start in range(0, len(plain), _CHUNK):
            parser.feed(plain[start : start + _CHUNK])
            kind = _take(parser.read_events(), kind, reading)
            if reading.full or kind is SitemapKind.UNKNOWN:
                break
        else:
            parser.close()  # for its errors alone: the entries that end only here were torn
    errors = parser.feed_error_log.filter_from_errors()
    if kind is SitemapKind.UNKNOWN:
        reading.problem("neither a sitemap nor a feed")
    elif len(errors):
        reading.problem(f"broken XML: {errors[0].message.strip()}")
    return kind


def _escaped(plain: bytes, reading: _Reading) -> bytes:
    """Return the file with every ampersand escaped that begins no reference XML knows: `?a=1&b=2` is so common.

    A parser that recovers would drop parts of the address, and then references that are right as well.
    """
    if b"\0" in plain[:_CHUNK] or b"<!ENTITY" in plain[:_CHUNK]:  # UTF-16; entities of its own, which stay unread
        return plain
    escaped = bytearray()
    position = 0
    for found in _BARE_AMPERSAND.finditer(plain):
        if found[0] == b"&":
            escaped += plain[position : found.start()]
            escaped += b"&amp;"
            position = found.end()
    if not position:
        return plain
    reading.problem("an ampersand is not escaped; read as it stands")
    return bytes(escaped + plain[position:])


def _take(events: Iterator[Any], kind: SitemapKind, reading: _Reading) -> SitemapKind:
    for event, element in events:
        name = _local(element)
        if event == "end":
            _close(element, name in _ENTRIES_OF.get(kind, ()), reading)
        elif kind is SitemapKind.UNKNOWN and element.getparent() is None:
            kind = SitemapKind(_ROOTS.get(name, "unknown"))
        elif not _open(name in _ENTRIES_OF.get(kind, ()), reading):
            break
    return kind


def _open(is_entry: bool, reading: _Reading) -> bool:  # noqa: FBT001 - private, and nothing else to say
    """Count an element that begins; return False where an entry has too many to be read."""
    reading.inside += is_entry
    reading.parts += bool(reading.inside)
    if reading.parts <= _MOST_PARTS:
        return True
    reading.problem(f"cut at an entry of more than {_MOST_PARTS:,} elements")
    reading.full = reading.truncated = True
    return False


def _close(element: Any, is_entry: bool, reading: _Reading) -> None:  # noqa: FBT001 - as above
    if is_entry:
        _take_entry(element, reading)
        reading.inside -= 1
        element.clear()
    if reading.inside:
        return
    reading.parts = 0
    element.clear()
    while element.getprevious() is not None:  # what was read, or is of no use, must not pile up
        del element.getparent()[0]


def _take_entry(element: Any, reading: _Reading) -> None:
    if reading.full:
        return
    facts = _facts(element)
    loc = _loc(facts, reading)
    if loc is None:
        return
    lastmod = facts.get("lastmod") or facts.get("updated") or facts.get("pubdate") or facts.get("date") or ""
    date = w3c_date(lastmod)
    if lastmod and not date:
        reading.problem(f"lastmod is no date: {lastmod[:40]!r}")
    frequency = str(facts.get("changefreq", "")).lower()
    entry = SitemapEntry(
        loc=loc,
        lastmod=date,
        changefreq=frequency if frequency in CHANGE_FREQUENCIES else "",
        priority=_priority(str(facts.get("priority", ""))),
        alternates=tuple(
            (language, url) for language, href in facts["alternates"] if (url := resolve(href, reading.url))
        ),
        images=tuple(facts["images"]),
    )
    reading.add(entry)


def _facts(element: Any) -> dict[str, Any]:
    """Collect what an entry says, whatever its namespaces: the first of each name counts."""
    found: dict[str, Any] = {"alternates": [], "images": []}
    for child in element:
        if not isinstance(child.tag, str):
            continue
        name = _local(child)
        if name == "link" and child.get("href") is not None:
            if child.get("hreflang"):
                found["alternates"].append((child.get("hreflang"), child.get("href")))
            elif child.get("rel", "alternate") == "alternate":
                found.setdefault("link", child.get("href"))
        elif name == "image":
            found["images"] += [_text(part) for part in child if _local(part) == "loc" and _text(part)]
        elif name != "guid" or child.get("isPermaLink", "true").lower() == "true":
            found.setdefault(name, _text(child))
    return found


def _loc(facts: dict[str, Any], reading: _Reading) -> str | None:
    written = facts.get("loc") or facts.get("link") or facts.get("guid") or ""
    if not written:
        reading.problem("an entry without a URL")
        return None
    absolute = resolve(written, reading.url)
    if absolute is None or not absolute.startswith(("http://", "https://")):
        reading.problem(f"not a URL: {written[:80]!r}")
        return None
    return absolute


def _read_text(plain: bytes, reading: _Reading) -> SitemapKind:
    utf16 = plain.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = plain.decode("utf-16" if utf16 else "utf-8-sig", errors="replace")
    torn = bool(reading.problems)
    bad = 0
    for line in _LINE.finditer(text):
        if torn and line.end() == len(text):
            break  # half a line is no URL
        written = line[0].strip()
        if not written or written.startswith("#"):
            continue
        if (
            not written.lower().startswith(("http://", "https://"))
            or (absolute := resolve(written, reading.url)) is None
        ):
            bad += 1
        elif not reading.add(SitemapEntry(loc=absolute)):
            break
    if bad:
        reading.problem(f"{bad:,} lines are no URLs")
    return SitemapKind.TEXT if reading.entries else SitemapKind.UNKNOWN


def w3c_date(written: str) -> str:
    """Return a date as W3C datetime (the form sitemaps ask for), also from RFC 822; "" where it is none."""
    value = written.strip()
    if _W3C_DATE.fullmatch(value):
        value = value.replace(" ", "T", 1) if value[10:11] == " " else value
        value = value.replace(" ", "")
        try:
            if len(value) >= len("2026-01-01"):
                datetime.fromisoformat(value)
            elif not "01" <= (value[5:7] or "01") <= "12":
                return ""
        except ValueError:
            return ""
        return value
    try:
        date = parsedate_to_datetime(value)  # without an offset: UTC (RFC 5322 3.3), not the time of this machine
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, IndexError):
        return ""


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
