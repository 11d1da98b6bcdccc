"""Decoding of bodies in memory, as far as they match their content codings."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

from wavecrawl.adapters.http.body_buffer import BodyBuffer
from wavecrawl.adapters.http.content_codings import BROKEN, CODINGS, MAX_CODINGS, undone

_SLICE = 4_096  # bytes of input per step when decoding up to an error


class Decoded(Struct, frozen=True, kw_only=True, gc=False):
    """A body without its content codings, as far as it could be decoded."""

    body: bytes
    truncated: bool = False  # cut at the limit
    problem: str = ""  # one line: why the body does not match its Content-Encoding


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
        if coding not in CODINGS:
            return Decoded(body=body[:limit], truncated=len(body) > limit, problem=f"unknown coding {coding[:40]!r}")
        body, truncated, problem = _undone(coding, body, limit=limit, whole=whole)
        whole = whole and not truncated and not problem
        if problem and not body:
            break
    return Decoded(body=body[:limit], truncated=truncated or len(body) > limit, problem=problem)


def _undone(coding: str, data: bytes, *, limit: int, whole: bool) -> tuple[bytes, bool, str]:
    """Undo one coding. Return the body, whether it was cut at the limit, and the problem or ""."""
    body, error = _content(coding, iter((data,)), limit)
    if error is not None and not isinstance(error, EOFError):
        body, again = _content(coding, _pieces_to_error(coding, data, limit), limit)
        error = again if coding == "br" else error  # in small pieces, bytes after a brotli stream are no error
    if body.size > limit:
        return body.content(limit), True, ""
    problem = "" if error is None else f"not {coding}: {error}"
    if isinstance(error, EOFError):
        problem = f"the {coding} body ends early" if whole else ""
    return body.content(limit), False, problem


def _content(coding: str, pieces: Iterator[bytes], limit: int) -> tuple[BodyBuffer, Exception | None]:
    """Return the content of a body, or a little more than `limit` bytes of it, and the error that ended it."""
    body = BodyBuffer()
    try:
        for piece in undone(coding, pieces, step=limit + 1):
            body.add(piece)
            if body.size > limit:
                break
    except BROKEN as error:
        return body, error
    return body, None


def _pieces_to_error(coding: str, data: bytes, limit: int) -> Iterator[bytes]:
    """Yield a body in slices up to the one with an error, and the rest byte by byte.

    An error loses the output of its step and breaks the stream, so the slices before it are decoded twice. Bytes after
    a brotli stream are an error only if they are in a piece with its end.
    """
    last = 0  # where the slice with the error begins

    def slices() -> Iterator[bytes]:
        nonlocal last
        for last in range(0, len(data), _SLICE):
            yield data[last : last + _SLICE]

    with suppress(*BROKEN):
        deque(undone(coding, slices(), step=limit + 1), maxlen=0)
    yield from (data[start : start + _SLICE] for start in range(0, last, _SLICE))
    yield from (data[at : at + 1] for at in range(last, len(data)))
