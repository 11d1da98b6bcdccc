"""The raw content of a sitemap file: gzip decompressed, bare ampersands escaped."""

import re
import zlib
from dataclasses import dataclass

_GZIP_MAGIC = b"\x1f\x8b"
_MAX_MEMBERS = 1_000  # of a gzip file; the data after each member is copied
_PROLOG = 65_536  # bytes
_BARE_AMPERSAND = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)", re.DOTALL
)
"""An ampersand that does not start a reference (XML 1.0, 4.6), or a CDATA section, which needs no escapes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawContent:
    """The decompressed bytes of a file."""

    data: bytes
    problem: str = ""
    truncated: bool = False  # cut at a limit


def unzip(body: bytes, *, limit: int) -> RawContent:
    """Decompress a gzip file, recognised by its magic bytes, to at most `limit` bytes; leave other files as they are.

    A file may have several members. An incomplete or broken file gives the data before the damage.
    """
    if not body.startswith(_GZIP_MAGIC):
        return _cut(body, limit)
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
