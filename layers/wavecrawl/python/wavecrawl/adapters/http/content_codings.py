"""Content codings (RFC 9110 section 8.4), undone piece by piece in bounded memory."""

from collections.abc import Callable, Generator, Iterator, Sequence

import brotli
import zstandard
from isal import isal_zlib

from wavecrawl.adapters.gzip_members import BROKEN as BROKEN_GZIP

ACCEPTED = "gzip, deflate, br, zstd"  # the Accept-Encoding of requests

MAX_CODINGS = 3  # applied one after another; a longer chain is an attack or a mistake

BROKEN: tuple[type[Exception], ...] = (*BROKEN_GZIP, brotli.error, zstandard.ZstdError)
"""The exceptions raised for a body that does not match its coding; EOFError if it ends early."""

_MAX_MEMBERS = 1_000  # of a gzip body; the rest of the body is copied for each member
_GZIP_MAGIC = b"\x1f\x8b"
_DEFLATE_METHOD = 8  # the only method in zlib headers
_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15  # window bits
_ZSTD_WINDOW = 8 * 1024 * 1024  # bytes; the maximum for a content coding, RFC 9659 section 3
_ZSTD_SLICE = 256  # bytes of input per step: 4 bytes can become 128 KiB, so a slice stays below 8 MiB


def codings_of(values: Sequence[str]) -> tuple[str, ...]:
    """Return the codings in Content-Encoding headers, in the order they were applied, without `identity`."""
    names = (name.strip().lower() for value in values for name in value.split(","))
    return tuple(name.removeprefix("x-") for name in names if name and name != "identity")


def undone(coding: str, pieces: Iterator[bytes], *, step: int) -> Iterator[bytes]:
    """Yield the content of a body with one of `CODINGS`, in pieces of at most `step` bytes; 8 MiB with zstd.

    Bytes after the end of the stream are ignored. For zstd they are an error, and for brotli if they are in the piece
    with the end.
    Raise one of BROKEN.
    """
    first = next(filter(None, pieces), b"")  # other codings may yield empty pieces
    return _STREAMS[coding](first, pieces, step) if first else iter(())


def _at_least_two(first: bytes, pieces: Iterator[bytes]) -> bytes:
    """Append pieces to `first` until it has the two bytes that tell formats apart, or no piece is left."""
    while len(first) < len(_GZIP_MAGIC) and (piece := next(pieces, None)) is not None:
        first += piece
    return first


def _gzip(first: bytes, pieces: Iterator[bytes], step: int) -> Iterator[bytes]:
    """Yield the content of every member. Bytes after the last one are ignored, as the gzip program does."""
    first = _at_least_two(first, pieces)
    if not first.startswith(_GZIP_MAGIC[: len(first)]):  # plain text labelled gzip: common, and browsers show it
        yield first
        yield from pieces
        return
    for _ in range(_MAX_MEMBERS):
        first = _at_least_two((yield from _inflated(first, pieces, _GZIP, step)), pieces)
        if not first.startswith(_GZIP_MAGIC):
            return
    raise OSError(f"more than {_MAX_MEMBERS:,} members")


def _deflate(first: bytes, pieces: Iterator[bytes], step: int) -> Iterator[bytes]:
    """Yield the content of a zlib stream or a raw deflate stream. Servers send both (RFC 9110 section 8.4.1.2)."""
    first = _at_least_two(first, pieces)
    is_zlib = first[0] & 0x0F == _DEFLATE_METHOD and int.from_bytes(first[:2], "big") % 31 == 0  # RFC 1950, 2.2
    yield from _inflated(first, pieces, _ZLIB if is_zlib else _RAW_DEFLATE, step)


def _inflated(first: bytes, pieces: Iterator[bytes], window: int, step: int) -> Generator[bytes, None, bytes]:
    """Yield the content of one stream and return the bytes after it in its last piece."""
    stream = isal_zlib.decompressobj(window)
    piece: bytes | None = first
    while piece is not None:
        yield stream.decompress(piece, step)
        while stream.unconsumed_tail:
            yield stream.decompress(stream.unconsumed_tail, step)
        while not stream.eof and (more := stream.decompress(b"", step)):
            yield more
        if stream.eof:
            return bytes(stream.unused_data)
        piece = next(pieces, None)
    raise EOFError


def _brotli(first: bytes, pieces: Iterator[bytes], step: int) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    piece: bytes | None = first
    while piece is not None:
        yield stream.process(piece, output_buffer_limit=step)
        while not stream.is_finished() and (more := stream.process(b"", output_buffer_limit=step)):
            yield more
        if stream.is_finished():
            return
        piece = next(pieces, None)
    raise EOFError


def _zstd(first: bytes, pieces: Iterator[bytes], step: int) -> Iterator[bytes]:
    """Yield the content of every frame."""
    del step  # slices bound the output of each step
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


_STREAMS: dict[str, Callable[[bytes, Iterator[bytes], int], Iterator[bytes]]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}

CODINGS = frozenset(_STREAMS)
