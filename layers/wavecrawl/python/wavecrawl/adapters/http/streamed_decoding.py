"""Decoding of Content-Encoding piece by piece, for bodies that are not held in memory."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

import brotli
import zstandard
from isal import isal_zlib

from wavecrawl.adapters.gzip_members import BROKEN
from wavecrawl.adapters.http.decoding import MAX_CODINGS
from wavecrawl.adapters.http.transfer_errors import TransferError
from wavecrawl.domain.fetching.exchange import TransportFault

PIECE = 65_536
"""Bytes of input and output per step; zstd returns up to 8 MiB, the largest window of a content coding (RFC 9659)."""

_MAX_MEMBERS = 1_000  # of a gzip body
_GZIP_MAGIC = b"\x1f\x8b"
_DEFLATE_METHOD = 8  # the only method in zlib headers, RFC 1950 section 2.2
_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15  # window bits
_ZSTD_WINDOW = 8 * 1024 * 1024
_ZSTD_SLICE = 256  # bytes of input: 4 bytes can become 128 KiB


class TooLongError(Exception):
    """A body, or what one of its codings contains, is longer than the limit."""


def decoded_pieces(pieces: Iterator[bytes], codings: Sequence[str], *, limit: int) -> Iterator[bytes]:
    """Yield the pieces of a body without its content codings, the last coding undone first.

    All input is read, also what follows the end of a coded stream, which is ignored. Raise TransferError (DECODING) if
    the body does not match its codings or ends early, and TooLongError if any step has more than `limit` bytes.
    """
    if len(codings) > MAX_CODINGS:
        raise _undecodable(f"{len(codings)} content codings, at most {MAX_CODINGS} are decoded")
    for coding in reversed(codings):
        if coding not in _STREAMS:
            raise _undecodable(f"unknown coding {coding[:40]!r}")
        pieces = _limited(_undone(coding, pieces), limit)
    return pieces


def _undone(coding: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    first = _first(pieces)
    if not first:
        return
    try:
        yield from _STREAMS[coding](first, pieces)
    except TransferError:  # an OSError, as BROKEN contains
        raise
    except EOFError as error:
        raise _undecodable(f"the {coding} body ends early") from error
    except (*BROKEN, brotli.error, zstandard.ZstdError) as error:
        raise _undecodable(f"not {coding}: {error}") from error
    for _ in pieces:
        pass


def _first(pieces: Iterator[bytes]) -> bytes:
    """Return the first bytes: at least two, which tell formats apart, unless the body is shorter."""
    first = b""
    for piece in pieces:
        first += piece
        if len(first) >= len(_GZIP_MAGIC):
            break
    return first


def _limited(pieces: Iterable[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limit:
            yield piece[: len(piece) - (size - limit)]
            raise TooLongError
        yield piece


def _gzip(first: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the content of every member; a body without the magic is text labelled gzip, as in `decoding`."""
    if not first.startswith(_GZIP_MAGIC[: len(first)]):
        yield first
        yield from pieces
        return
    for _ in range(_MAX_MEMBERS):
        first = yield from _inflated(first, pieces, _GZIP)
        if not first.startswith(_GZIP_MAGIC[: len(first)]) or not first:
            return
    raise OSError(f"more than {_MAX_MEMBERS:,} members")


def _deflate(first: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the content of a zlib stream or a raw deflate stream. Servers send both (RFC 9110 section 8.4.1.2)."""
    is_zlib = first[0] & 0x0F == _DEFLATE_METHOD and int.from_bytes(first[:2], "big") % 31 == 0
    yield from _inflated(first, pieces, _ZLIB if is_zlib else _RAW_DEFLATE)


def _inflated(first: bytes, pieces: Iterator[bytes], window: int) -> Generator[bytes, None, bytes]:
    """Yield the content of one stream and return the bytes after it, or the piece that follows them."""
    stream = isal_zlib.decompressobj(window)
    piece: bytes | None = first
    while piece is not None:
        yield stream.decompress(piece, PIECE)
        while stream.unconsumed_tail:
            yield stream.decompress(stream.unconsumed_tail, PIECE)
        while not stream.eof and (more := stream.decompress(b"", PIECE)):
            yield more
        if stream.eof:
            return bytes(stream.unused_data) or next(pieces, b"")
        piece = next(pieces, None)
    raise EOFError


def _brotli(first: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    piece: bytes | None = first
    while piece is not None:
        yield stream.process(piece, output_buffer_limit=PIECE)
        while not stream.is_finished() and (more := stream.process(b"", output_buffer_limit=PIECE)):
            yield more
        if stream.is_finished():
            return
        piece = next(pieces, None)
    raise EOFError


def _zstd(first: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the content of every frame."""
    context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    stream = context.decompressobj()
    piece: bytes | None = first
    while piece is not None:
        for start in range(0, len(piece), _ZSTD_SLICE):
            rest = piece[start : start + _ZSTD_SLICE]
            while rest:
                if stream.eof:
                    stream = context.decompressobj()
                yield stream.decompress(rest)
                rest = stream.unused_data
        piece = next(pieces, None)
    if not stream.eof:
        raise EOFError


def _undecodable(detail: str) -> TransferError:
    return TransferError(TransportFault.DECODING, detail)


_STREAMS: dict[str, Callable[[bytes, Iterator[bytes]], Iterator[bytes]]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
