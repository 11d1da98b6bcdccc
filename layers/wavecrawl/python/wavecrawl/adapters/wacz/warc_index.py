"""A CDXJ index of WARC files, built while they are read in pieces."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from isal import isal_zlib

from wavecrawl.adapters.gzip_members import BROKEN
from wavecrawl.adapters.wacz.surt import surt
from wavecrawl.errors import CorruptDataError

_GZIP = 31  # window bits of a gzip member
_HEAD = 256 * 1024  # bytes kept of a record: its WARC and HTTP heads (the page client accepts no longer ones)
_STEP = 256 * 1024  # maximum decompressed bytes per step
_INDEXED = ("response", "revisit", "resource")
_NOT_MODIFIED = "304"
_EMPTY = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"  # of an empty body; for revisit records without a digest


@dataclass(slots=True)
class _Member:
    """A gzip member being read."""

    offset: int
    unzip: "isal_zlib.Decompress" = field(default_factory=lambda: isal_zlib.decompressobj(_GZIP))
    head: bytearray = field(default_factory=bytearray)
    taken: int = 0  # compressed bytes

    def feed(self, data: bytes) -> bytes:
        """Decompress more data; return the bytes after the member's end."""
        rest = data
        while True:
            out = self.unzip.decompress(rest, _STEP)
            self.head += out[: max(0, _HEAD - len(self.head))]
            if self.unzip.eof:
                self.taken += len(data) - len(self.unzip.unused_data)
                return bytes(self.unzip.unused_data)
            rest = self.unzip.unconsumed_tail
            if not rest and len(out) < _STEP:
                self.taken += len(data)
                return b""


def index_lines(pieces: Iterable[bytes], *, filename: str) -> Iterator[str]:
    """Yield a line for each response, revisit and resource; raise CorruptDataError if the WARC file is damaged.

    A 304 response has no line: pywb would replay it as it is, without content. So it shows the page as of its closest
    other capture.
    """
    for head, offset, length in record_heads(pieces, filename=filename):
        try:
            yield from _line(head, offset, length, filename)
        except (LookupError, ValueError) as error:  # a field or the status is missing
            raise CorruptDataError(f"{filename} has a record at {offset} that is not valid: {error!r}") from error


def record_heads(pieces: Iterable[bytes], *, filename: str) -> Iterator[tuple[bytes, int, int]]:
    """Yield the beginning of each record with its heads, its offset and its length in compressed bytes.

    Raise CorruptDataError if the WARC file is damaged.
    """
    offset = 0
    member: _Member | None = None
    try:
        for piece in pieces:
            rest = piece
            while rest:
                member = member or _Member(offset)
                rest = member.feed(rest)
                if member.unzip.eof:
                    yield bytes(member.head), member.offset, member.taken
                    offset += member.taken
                    member = None
    except BROKEN as error:
        raise CorruptDataError(f"{filename} cannot be read at {offset}: {error}") from error
    if member is not None:
        raise CorruptDataError(f"{filename} ends in the middle of a record at {offset}")


def _line(head: bytes, offset: int, length: int, filename: str) -> Iterator[str]:
    warc, _, block = head.partition(b"\r\n\r\n")
    fields = header_fields(warc)
    kind, url = fields.get("warc-type", ""), fields.get("warc-target-uri", "")
    if kind not in _INDEXED:
        return
    facts = _resource_facts(fields, url) if kind == "resource" else _http_facts(kind, block)
    if facts.get("status") == _NOT_MODIFIED:
        return
    entry = {
        "url": url,
        **facts,
        "digest": fields.get("warc-payload-digest", _EMPTY),
        "length": str(length),
        "offset": str(offset),
        "filename": filename,
    }
    yield f"{surt(url)} {timestamp(fields['warc-date'])} {json.dumps(entry)}\n"


def _resource_facts(fields: dict[str, str], url: str) -> dict[str, str]:
    """Return media type and status of a file. At a web address, replay shows it like a response with status 200."""
    mime = {"mime": fields["content-type"]}
    return {**mime, "status": "200"} if url.startswith(("http://", "https://")) else mime


def _http_facts(kind: str, block: bytes) -> dict[str, str]:
    """Return media type and status of an HTTP response."""
    http = block.partition(b"\r\n\r\n")[0]
    status = http.split(None, 2)[1].decode("ascii", "replace")
    mime = header_fields(http).get("content-type", "").replace(";", " ").split(" ", 1)[0]
    known = "warc/revisit" if kind == "revisit" else mime
    return {**({"mime": known} if known else {}), "status": status}


def timestamp(date: str) -> str:
    """Return a WARC date as the 14 digits of CDX, without fractions of a second."""
    return "".join(character for character in date if character.isdigit())[:14]


def header_fields(head: bytes) -> dict[str, str]:
    """Return the fields after the first line by lower-case name; the first of equal names counts."""
    found: dict[str, str] = {}
    for line in head.decode("iso-8859-1").split("\r\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            found.setdefault(name.lower(), value.strip())
    return found
