"""Decoding of Content-Encoding in bounded memory (RFC 9110 section 8.4)."""

from collections.abc import Callable, Generator, Iterator, Sequence

import brotli
import zstandard
from isal import isal_zlib
from msgspec import Struct

from wavecrawl.adapters.gzip_members import BROKEN
from wavecrawl.adapters.http.body_buffer import BodyBuffer

ACCEPTED = "gzip, deflate, br, zstd"  # the Accept-Encoding of requests

MAX_CODINGS = 3  # applied one after another; a longer chain is an attack or a mistake
_MAX_MEMBERS = 1_000  # of a gzip body; the rest of the body is copied for each member
_GZIP_MAGIC = b"\x1f\x8b"
_DEFLATE_METHOD = 8  # the only method in zlib headers
_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15  # window bits
_ZSTD_WINDOW = 8 * 1024 * 1024  # bytes; the maximum for a content coding, RFC 9659 section 3
_ZSTD_SLICE = 256  # bytes of input per step: 4 bytes can become 128 KiB, so a slice stays below 8 MiB
_BROTLI_SLICE = 4_096  # bytes of input per step when decoding up to an error
_SALVAGE_SLICE = 64  # bytes of input per step when decoding up to an error
_BROKEN: tuple[type[Exception], ...] = (*BROKEN, brotli.error, zstandard.ZstdError)


class Decoded(Struct, frozen=True, kw_only=True, gc=False):
    """A body without its content codings, as far as it could be decoded."""

    body: bytes
    truncated: bool = False  # cut at the limit
    problem: str = ""  # one line: why the body does not match its Content-Encoding


def codings_of(values: Sequence[str]) -> tuple[str, ...]:
    """Return the codings in Content-Encoding headers, in the order they were applied, without `identity`."""
    names = (name.strip().lower() for value in values for name in value.split(","))
    return tuple(name.removeprefix("x-") for name in names if name and name != "identity")


def decode(raw: bytes, codings: Sequence[str], *, limit: int, whole: bool = True) -> Decoded:
    """Undo `codings`, the last one first. Never raises; bytes decoded before a problem are kept.

    `limit` is the maximum of the result and of every intermediate result, in bytes. Reaching it is not a problem. If
    the body is not `whole`, an early end is not a problem either. An unknown coding is a problem and leaves the body as
    it is, as in browsers.
    """
    if len(codings) > MAX_CODINGS:
        return Decoded(body=b"", problem=f"{len(codings)} content codings, at most {MAX_CODINGS} are decoded")
    body, truncated, problem = raw, False, ""
    for coding in reversed(codings):
        if not body:
            break
        if coding not in _STREAMS:
            return Decoded(body=body[:limit], truncated=len(body) > limit, problem=f"unknown coding {coding[:40]!r}")
        body, truncated, problem = _undone(coding, body, limit=limit, whole=whole)
        whole = whole and not truncated and not problem
        if problem and not body:
            break
    return Decoded(body=body[:limit], truncated=truncated or len(body) > limit, problem=problem)


def _undone(coding: str, data: bytes, *, limit: int, whole: bool) -> tuple[bytes, bool, str]:
    """Undo one coding. Return the body, whether it was cut at the limit, and the problem or ""."""
    if coding == "gzip" and not data.startswith(_GZIP_MAGIC[: len(data)]):
        return data[:limit], len(data) > limit, ""  # plain text labelled gzip: common, and browsers show it
    body = BodyBuffer()
    problem = ""
    try:
        for piece in _STREAMS[coding](data, limit + 1):
            body.add(piece)
            if body.size > limit:
                return body.content(limit), True, ""
    except EOFError:
        problem = "" if not whole else f"the {coding} body ends early"
    except _BROKEN as error:
        problem = f"not {coding}: {error}"
    return body.content(limit), False, problem


def _gzip(data: bytes, limit: int) -> Iterator[bytes]:
    """Yield the content of every member. Bytes after the last one are ignored, as the gzip program does."""
    if len(data) < len(_GZIP_MAGIC):
        raise EOFError
    for _ in range(_MAX_MEMBERS):
        data = yield from _inflated(data, _GZIP, limit)
        if not data.startswith(_GZIP_MAGIC):
            return
    raise OSError(f"more than {_MAX_MEMBERS:,} members")


def _deflate(data: bytes, limit: int) -> Iterator[bytes]:
    """Yield the content of a zlib stream or a raw deflate stream. Servers send both (RFC 9110 section 8.4.1.2)."""
    zlib_header = data[0] & 0x0F == _DEFLATE_METHOD and int.from_bytes(data[:2], "big") % 31 == 0  # RFC 1950, 2.2
    yield from _inflated(data, _ZLIB if zlib_header else _RAW_DEFLATE, limit)


def _inflated(data: bytes, window: int, limit: int) -> Generator[bytes, None, bytes]:
    """Yield the content of one stream and return the bytes after it. Raise EOFError if the stream ends early."""
    stream = isal_zlib.decompressobj(window)
    try:
        first = stream.decompress(data, limit)
    except _BROKEN:
        yield from _salvaged(data, window, limit)
        raise
    yield first
    while not stream.eof:
        piece = stream.decompress(stream.unconsumed_tail, limit)
        if not piece and not stream.eof:
            raise EOFError
        yield piece
    return bytes(stream.unused_data)


def _salvaged(data: bytes, window: int, limit: int) -> Iterator[bytes]:
    """Yield the content before the error, slice by slice."""
    stream = isal_zlib.decompressobj(window)
    for start in range(0, len(data), _SALVAGE_SLICE):
        try:
            piece = stream.decompress(data[start : start + _SALVAGE_SLICE], limit)
            yield piece
            while stream.unconsumed_tail:
                yield stream.decompress(stream.unconsumed_tail, limit)
        except _BROKEN:
            return


def _brotli(data: bytes, limit: int) -> Iterator[bytes]:
    """Yield the content of a brotli stream. Bytes after it are ignored."""
    stream = brotli.Decompressor()
    try:
        whole = stream.process(data, output_buffer_limit=limit)
    except brotli.error:  # invalid, or valid with bytes after it: decode as far as possible
        yield from _salvaged_brotli(data, limit)
        return
    yield whole
    if not stream.is_finished():
        raise EOFError


def _salvaged_brotli(data: bytes, limit: int) -> Iterator[bytes]:
    """Yield the content up to the end or the error: slice by slice, then the slice with it byte by byte.

    An error loses the output of its step and breaks the stream, so the slices before are decoded again.
    """
    stream = brotli.Decompressor()
    for good in range(0, len(data), _BROTLI_SLICE):  # bytes before the slice with the end or the error
        try:
            piece = stream.process(data[good : good + _BROTLI_SLICE], output_buffer_limit=limit)
        except brotli.error:
            break
        yield piece
        if stream.is_finished():
            return
    else:
        raise EOFError
    stream = brotli.Decompressor()
    for start in range(0, good, _BROTLI_SLICE):
        stream.process(data[start : start + _BROTLI_SLICE], output_buffer_limit=limit)
    for at in range(good, len(data)):
        yield stream.process(data[at : at + 1], output_buffer_limit=limit)
        if stream.is_finished():
            return


def _zstd(data: bytes, limit: int) -> Iterator[bytes]:
    """Yield the content of every frame."""
    del limit  # slices bound the output of each step
    context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    stream = context.decompressobj()
    for start in range(0, len(data), _ZSTD_SLICE):
        rest = data[start : start + _ZSTD_SLICE]
        while rest:
            if stream.eof:
                stream = context.decompressobj()
            yield stream.decompress(rest)
            rest = stream.unused_data
    if not stream.eof:
        raise EOFError


_STREAMS: dict[str, Callable[[bytes, int], Iterator[bytes]]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
