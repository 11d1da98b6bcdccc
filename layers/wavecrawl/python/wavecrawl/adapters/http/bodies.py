"""Where a body ends, and what of it arrived (RFC 9112 6 and 7)."""

import re
from enum import Enum

from msgspec import Struct

from wavecrawl.adapters.http.faults import TransferError
from wavecrawl.adapters.http.heads import Head
from wavecrawl.adapters.http.inbox import Inbox
from wavecrawl.domain.fetching.exchange import TransportFault

_BODYLESS = frozenset((204, 304))
_LONGEST_CHUNK_LINE = 4_096  # bytes, with extensions
_MOST_TRAILERS = 64
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)
_LENGTH = re.compile(r"[0-9]{1,18}")


class End(Enum):
    """What marks the end of a body."""

    LENGTH = "length"
    CHUNKS = "chunks"
    CLOSE = "close"


class Framing(Struct, frozen=True, gc=False):
    """How the body is cut out of the stream, and whether the connection is good for more."""

    end: End
    length: int = 0
    keep: bool = False


class Body(Struct, frozen=True, gc=False):
    """What arrived of a body, without transfer coding."""

    data: bytes
    truncated: bool = False  # cut at the limit
    fault: TransferError | None = None  # why it is not whole


def framing_of(head: Head, method: str) -> Framing:
    """Tell how the body is framed; raise TransferError (PROTOCOL) where that cannot be told."""
    lengths, codings, options = _framing_headers(head)
    keep = "close" not in options and (head.version != "HTTP/1.0" or "keep-alive" in options)
    if method == "HEAD" or head.status in _BODYLESS:
        return Framing(End.LENGTH, 0, keep)
    if codings:
        if codings != ["chunked"]:
            raise _protocol(f"transfer coding {', '.join(codings)[:80]!r} was not asked for")
        return Framing(End.CHUNKS, 0, keep and not lengths)  # both at once smell of smuggling: RFC 9112 6.1
    if not lengths:
        return Framing(End.CLOSE)
    if len(lengths) > 1 or not _LENGTH.fullmatch(next(iter(lengths))):
        raise _protocol(f"Content-Length {', '.join(sorted(lengths))[:80]!r}")
    return Framing(End.LENGTH, int(next(iter(lengths))), keep)


def _framing_headers(head: Head) -> tuple[set[str], list[str], set[str]]:
    lengths: set[str] = set()
    codings: list[str] = []
    options: set[str] = set()
    for name, value in head.headers:
        match name.lower():
            case "content-length":
                lengths.update(part.strip() for part in value.split(","))
            case "transfer-encoding":
                codings.extend(c for part in value.lower().split(",") if (c := part.strip()) not in ("", "identity"))
            case "connection":
                options.update(part.strip() for part in value.lower().split(","))
            case _:
                pass
    return lengths, codings, options


def read_body(inbox: Inbox, framing: Framing, *, limit: int) -> Body:
    """Read the body up to `limit` bytes. Never raises: what arrived before a fault is kept beside it."""
    bucket = _Bucket(limit)
    try:
        match framing.end:
            case End.LENGTH:
                truncated = not _read_counted(inbox, framing.length, bucket)
            case End.CHUNKS:
                truncated = not _read_chunks(inbox, bucket)
            case End.CLOSE:
                truncated = not _read_to_close(inbox, bucket)
    except TransferError as fault:
        return Body(bucket.data(), fault=fault)
    return Body(bucket.data(), truncated=truncated)


class _Bucket:
    """Collects the pieces of a body up to a limit."""

    __slots__ = ("_pieces", "room")

    def __init__(self, limit: int) -> None:
        self._pieces: list[bytes] = []
        self.room = limit

    def add(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self.room -= len(piece)

    def data(self) -> bytes:
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)


def _read_counted(inbox: Inbox, count: int, bucket: _Bucket) -> bool:
    """Read `count` bytes; return False where the limit cut them."""
    left = min(count, bucket.room)
    fits = left == count
    while left:
        if not inbox.data and not inbox.more():
            raise TransferError(TransportFault.RESET, f"the server closed the connection {left} bytes early")
        piece = inbox.take(left)
        bucket.add(piece)
        left -= len(piece)
    return fits


def _read_to_close(inbox: Inbox, bucket: _Bucket) -> bool:
    while inbox.data or inbox.more():
        if len(inbox.data) > bucket.room:
            bucket.add(inbox.take(bucket.room))
            return False
        bucket.add(inbox.take(len(inbox.data)))
    return True


def _read_chunks(inbox: Inbox, bucket: _Bucket) -> bool:
    while True:
        line = inbox.line(_LONGEST_CHUNK_LINE, what="a chunk's size")
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise _protocol(f"not a chunk size: {line[:40]!r}")
        size = int(match[1], 16)
        if not size:
            _skip_trailers(inbox)
            return True
        if not _read_counted(inbox, size, bucket):
            return False
        if inbox.line(_LONGEST_CHUNK_LINE, what="a chunk's end"):
            raise _protocol("a chunk is longer than its size")


def _skip_trailers(inbox: Inbox) -> None:
    """Skip what follows the last chunk. A server that closes here has sent the whole body."""
    for _ in range(_MOST_TRAILERS):
        try:
            if not inbox.line(_LONGEST_CHUNK_LINE, what="a trailer"):
                return
        except TransferError as error:
            if error.fault is TransportFault.RESET:
                return
            raise
    raise _protocol(f"more than {_MOST_TRAILERS} trailers")


def _protocol(detail: str) -> TransferError:
    return TransferError(TransportFault.PROTOCOL, detail)
