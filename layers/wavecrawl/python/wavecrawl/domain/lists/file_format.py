"""The file of a list of URLs: UTF-8 text with one URL per line, perhaps compressed with gzip (RFC 1952)."""

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from wavecrawl.domain.urls.url import require_crawlable
from wavecrawl.errors import InvalidInputError, InvalidUrlError

LONGEST_LINE: Final = 65_536
"""Bytes of a line. `max_url_length` is at most as many characters."""

_GZIP: Final = 31  # window bits of a gzip member
_MAGIC: Final = b"\x1f\x8b"  # the first bytes of a gzip file (RFC 1952 section 2.3.1)
_PADDING: Final = b"\0"  # some programs append it to a file
_PIECE: Final = 1024 * 1024  # decompressed bytes that are in memory at a time
_BYTE_ORDER_MARK: Final = "\ufeff"


def urls_in(pieces: Iterable[bytes], *, most_bytes: int) -> Iterator[str]:
    """Yield the URLs of a file, which is read in pieces. Memory is bounded by the size of the pieces.

    Empty lines and lines that start with `#` are ignored. `most_bytes` is the maximum size of the decompressed file.

    Raise InvalidInputError, with the number of the line if one is at fault, if the file is too large, no text, or
    contains a line that is no URL that can be crawled.
    """
    for number, line in enumerate(_lines(_bounded(_decompressed(pieces), most_bytes)), start=1):
        try:
            url = line.decode().strip()
        except UnicodeDecodeError as error:
            raise InvalidInputError(f"line {number:,} is not UTF-8 text; save the file as UTF-8") from error
        if number == 1:
            url = url.removeprefix(_BYTE_ORDER_MARK)
        if not url or url.startswith("#"):
            continue
        try:
            require_crawlable(url)
        except InvalidUrlError as error:
            raise InvalidUrlError(f"line {number:,}: {error}") from error
        yield url


def _decompressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    pieces = iter(pieces)
    start = b""
    for piece in pieces:
        start += piece
        if len(start) >= len(_MAGIC):
            break
    whole = chain((start,), pieces)
    return _gunzipped(whole) if start.startswith(_MAGIC) else whole


def _gunzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the content of all members, in pieces of at most `_PIECE` bytes, however well they are compressed."""
    member = None
    try:
        for piece in pieces:
            rest = piece if member else piece.lstrip(_PADDING)
            while rest:
                member = member or zlib.decompressobj(_GZIP)
                yield member.decompress(rest, _PIECE)
                rest = member.unconsumed_tail
                if member.eof:
                    rest, member = member.unused_data.lstrip(_PADDING), None
    except zlib.error as error:
        raise InvalidInputError(f"the file is compressed with gzip and cannot be read: {error}") from error
    if member is not None:
        raise InvalidInputError("the file is compressed with gzip and ends too early; compress and upload it again")


def _bounded(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > most:
            raise InvalidInputError(
                f"the list has more than {most:,} bytes of text; divide it into several lists, or ask the operator to "
                "raise max_list_mb"
            )
        yield piece


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a text, each ending in LF, CR LF or CR."""
    number, rest = 0, b""
    for piece in pieces:
        lines = (rest + piece).splitlines(keepends=True)
        rest = b"" if not lines or lines[-1].endswith(b"\n") else lines.pop()  # a final \r may be half of \r\n
        for line in lines:
            number += 1
            yield _checked_line(line, number)
        _checked_line(rest, number + 1)
    yield from (_checked_line(line, number + 1) for line in rest.splitlines())


def _checked_line(line: bytes, number: int) -> bytes:
    if len(line) > LONGEST_LINE:
        raise InvalidInputError(f"line {number:,} has more than {LONGEST_LINE:,} bytes; a line holds one URL")
    return line
