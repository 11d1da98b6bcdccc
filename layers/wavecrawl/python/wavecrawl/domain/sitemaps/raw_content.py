"""The raw content of a sitemap file: gzip decompressed, text before the XML left out, bare ampersands escaped."""

import re
import zlib

import msgspec
from msgspec.structs import replace

_GZIP_MAGIC = b"\x1f\x8b"
_MAX_LAYERS = 3  # of gzip inside gzip
_MAX_MEMBERS = 1_000  # of a gzip file; the data after each member is copied
_PROLOG = 65_536  # bytes
_UTF8_MARK = b"\xef\xbb\xbf"
_MARK_AND_SPACE = _UTF8_MARK + b" \t\r\n"
_BARE_AMPERSAND = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)", re.DOTALL
)
"""An ampersand that does not start a reference (XML 1.0, 4.6), or a CDATA section, which needs no escapes."""

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_ELEMENT = re.compile(rb"<[a-z_]", re.IGNORECASE)
_ROOT = re.compile(rb"<(?:[a-z_][\w.-]*:)?(?:urlset|sitemapindex|rss|rdf|feed)[\s/>]", re.IGNORECASE)
"""The start of the root element of a sitemap or feed."""


class RawContent(msgspec.Struct, frozen=True, kw_only=True):
    """The decompressed bytes of a file."""

    data: bytes
    problem: str = ""  # why the end is missing; "" = it is not
    nested: bool = False  # whether it was gzip inside gzip
    truncated: bool = False  # cut at a limit


def unzip(body: bytes, *, limit: int) -> RawContent:
    """Decompress a gzip file, recognised by its magic bytes, to at most `limit` bytes; leave other files as they are.

    A file may have several members, and may be compressed up to three times. An incomplete or broken file gives the
    data before the damage.
    """
    raw = _cut(body, limit)
    for layer in range(_MAX_LAYERS):
        if not body.startswith(_GZIP_MAGIC):
            break
        raw = _unzip_once(body, limit)
        raw = replace(raw, nested=layer > 0)
        body = raw.data
    return raw


def _unzip_once(body: bytes, limit: int) -> RawContent:
    out = bytearray()
    rest = body
    for _ in range(_MAX_MEMBERS):
        member = zlib.decompressobj(31)
        try:
            out += member.decompress(rest, limit + 1 - len(out))
        except zlib.error as error:
            return RawContent(data=bytes(out), problem=f"broken gzip: {error}")
        if len(out) > limit:
            return _cut(bytes(out), limit)
        if not member.eof:
            return RawContent(data=bytes(out), problem="the gzip data is incomplete")
        rest = member.unused_data
        if not rest.startswith(_GZIP_MAGIC):
            return RawContent(data=bytes(out))
    return RawContent(data=bytes(out), problem=f"cut after {_MAX_MEMBERS:,} gzip members", truncated=True)


def _cut(data: bytes, limit: int) -> RawContent:
    if len(data) <= limit:
        return RawContent(data=data)
    return RawContent(data=data[:limit], problem=f"cut after {limit:,} bytes", truncated=True)


def without_preamble(data: bytes) -> bytes:
    """Return a file without the text before its XML, such as a warning of PHP; return `data` itself if there is none.

    An XML declaration is only valid at the start of a file (XML 1.0, 2.8), so white space before it counts too.
    """
    head = _COMMENT.sub(lambda found: b" " * len(found[0]), data[:_PROLOG])
    root = _ROOT.search(head)
    if root is None:
        return data
    declaration = head.rfind(b"<?xml ", 0, root.start())
    start = declaration if declaration >= 0 else root.start()
    first = _ELEMENT.search(head)
    is_first = first is not None and first.start() == root.start() and head.lstrip(_MARK_AND_SPACE).startswith(b"<")
    if start == (len(_UTF8_MARK) if head.startswith(_UTF8_MARK) else 0) or (declaration < 0 and is_first):
        return data
    return data[start:]


def escape_ampersands(xml: bytes) -> bytes:
    """Return the XML with bare ampersands escaped, as in `?a=1&b=2`; return `xml` itself if there are none.

    An XML parser in recovery mode would drop parts of such URLs.
    """
    if b"\0" in xml[:_PROLOG] or b"<!ENTITY" in xml[:_PROLOG]:  # UTF-16, or entities of its own
        return xml
    escaped = bytearray()
    position = 0
    for found in _BARE_AMPERSAND.finditer(xml):
        if found[0] == b"&":
            escaped += xml[position : found.start()]
            escaped += b"&amp;"
            position = found.end()
    return bytes(escaped + xml[position:]) if position else xml
