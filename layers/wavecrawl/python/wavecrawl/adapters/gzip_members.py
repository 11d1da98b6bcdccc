"""Gzip files of independent members, by ISA-L: a file can grow, and be read from the start of any member."""

from collections.abc import Iterable, Iterator

from isal import igzip, isal_zlib

_GZIP = 31  # window bits of a gzip member
_LEVEL = 1  # on HTML as small as zlib's levels 1 to 3, in a quarter of the time
_SMALL = 3  # about 10 % smaller than level 1, hardly slower

_ISAL_ERROR: type[Exception] = isal_zlib.IsalError  # type: ignore[assignment]  # the stub lacks the base class

BROKEN: tuple[type[Exception], ...] = (EOFError, OSError, _ISAL_ERROR)
"""The exceptions raised when reading broken members."""


def compressed(data: bytes) -> bytes:
    """Return data as one member without a timestamp; the same data always gives the same bytes."""
    return isal_zlib.compress(data, _LEVEL, _GZIP)


def whole_lines(data: bytes) -> Iterator[bytes]:
    """Yield the lines of each member up to the first incomplete one."""
    for member in whole_members(data):
        yield from member.splitlines(keepends=True)


def compressed_in_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of data compressed as one member."""
    compressor = isal_zlib.compressobj(_SMALL, isal_zlib.DEFLATED, _GZIP)
    for piece in pieces:
        yield bytes(compressor.compress(piece))
    yield bytes(compressor.flush())


def decompressed(data: bytes) -> bytes:
    """Return the content of all members; raise one of BROKEN if data is missing."""
    return bytes(igzip.decompress(data))  # type: ignore[no-untyped-call]  # isal types only its C part


def whole_members(data: bytes) -> Iterator[bytes]:
    """Yield the content of each member up to the first incomplete one."""
    rest = data
    while rest:
        unzip = isal_zlib.decompressobj(_GZIP)
        try:
            content = unzip.decompress(rest)
        except _ISAL_ERROR:
            return
        if not unzip.eof:
            return
        yield content
        rest = unzip.unused_data
