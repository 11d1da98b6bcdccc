"""Framing of response bodies (RFC 9112 sections 6 and 7).

Why there is a parser of our own: docs/adr/0013-http-by-libraries.md.
"""

import re
from enum import Enum
from sys import maxsize

from msgspec import Struct

from wavecrawl.adapters.http.deadline_socket import DeadlineSocket
from wavecrawl.adapters.http.header_fields import HeaderFields
from wavecrawl.adapters.http.transfer_errors import TransferError, protocol_error
from wavecrawl.domain.fetching.exchange import TransportFault

_BODYLESS = frozenset((204, 304))
_MAX_CHUNK_LINE = 4_096  # bytes, with extensions
_MAX_TRAILERS = 64
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)
_LENGTH = re.compile(r"[0-9]{1,18}")


class End(Enum):
    """What marks the end of a body."""

    LENGTH = "length"
    CHUNKS = "chunks"
    CLOSE = "close"


class Framing(Struct, frozen=True, gc=False):
    """How a body is delimited, and whether the connection can be used again after it."""

    end: End
    length: int = 0  # bytes, for End.LENGTH
    keep: bool = False


def framing_of(version: str, status: int, headers: HeaderFields, method: str) -> Framing:
    """Return the framing of the body. Raise TransferError (PROTOCOL) if the headers leave it undefined."""
    options = headers.members("connection")
    keep = "close" not in options and (version != "HTTP/1.0" or "keep-alive" in options)
    if method == "HEAD" or status in _BODYLESS:
        return Framing(End.LENGTH, 0, keep)
    lengths = set(headers.members("content-length"))
    codings = [coding for coding in headers.members("transfer-encoding") if coding not in ("", "identity")]
    if codings:
        if codings != ["chunked"]:
            raise protocol_error(f"transfer coding {', '.join(codings)[:80]!r} was not requested")
        return Framing(End.CHUNKS, 0, keep and not lengths)  # both may be request smuggling: RFC 9112 section 6.1
    if not lengths:
        return Framing(End.CLOSE)
    if len(lengths) > 1:  # may be response splitting
        raise protocol_error(f"Content-Length {', '.join(sorted(lengths))[:80]!r}")
    length = lengths.pop()
    if not _LENGTH.fullmatch(length):  # browsers ignore it
        return Framing(End.CLOSE)
    return Framing(End.LENGTH, int(length), keep)


class BodyReader:
    """Reads a body without its transfer coding."""

    __slots__ = ("_end", "_in_chunk", "_keep", "_left", "_stream", "ended")

    def __init__(self, stream: DeadlineSocket, framing: Framing) -> None:
        self._stream = stream
        self._end = framing.end
        self._keep = framing.keep
        self._left = framing.length  # bytes of the body, or of the current chunk
        self._in_chunk = False
        self.ended = False

    @property
    def can_reuse_connection(self) -> bool:
        """Whether the whole body was read and nothing follows it."""
        return self.ended and self._keep and not self._stream.buffer

    @property
    def longest(self) -> int:
        """The most bytes that the body can have."""
        return self._left if self._end is End.LENGTH else maxsize

    def extend_deadline(self, seconds: float) -> None:
        """Give the server more time."""
        self._stream.extend_deadline(seconds)

    def end_within(self, seconds: float) -> None:
        """Give the server no more than this time."""
        self._stream.end_within(seconds)

    def more(self) -> bool:
        """Return whether the body goes on, waiting for the server if only it knows. Raise TransferError."""
        if self.ended or self._left:
            return not self.ended
        if self._end is End.CHUNKS:
            self.ended = not self._next_chunk()
        elif self._end is End.CLOSE:
            self.ended = not (self._stream.buffer or self._stream.receive())
        else:
            self.ended = True
        return not self.ended

    def read(self, count: int) -> bytes:
        """Return at least one and at most `count` bytes, or b"" at the end of the body. Raise TransferError."""
        if not self.more():
            return b""
        if self._end is End.CLOSE:
            return self._stream.take(count)
        if not self._stream.buffer and not self._stream.receive():
            raise TransferError(TransportFault.RESET, f"the server closed the connection {self._left} bytes early")
        piece = self._stream.take(min(count, self._left))
        self._left -= len(piece)
        return piece

    def _next_chunk(self) -> bool:
        """Read up to the data of the next chunk; return False after the last chunk."""
        if self._in_chunk and self._stream.take_line(_MAX_CHUNK_LINE, what="a chunk's end"):
            raise protocol_error("a chunk is longer than its size")
        line = self._stream.take_line(_MAX_CHUNK_LINE, what="a chunk's size")
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise protocol_error(f"not a chunk size: {line[:40]!r}")
        self._left = int(match[1], 16)
        self._in_chunk = True
        if not self._left:
            self._skip_trailers()
        return self._left > 0

    def _skip_trailers(self) -> None:
        """Skip the lines after the last chunk. If the server closes here, the body is complete all the same."""
        for _ in range(_MAX_TRAILERS):
            try:
                if not self._stream.take_line(_MAX_CHUNK_LINE, what="a trailer"):
                    return
            except TransferError as error:
                if error.fault is TransportFault.RESET:
                    return
                raise
        raise protocol_error(f"more than {_MAX_TRAILERS} trailers")
