"""Gzip by ISA-L: one member a piece, so that a file can grow piece by piece and be read from any of them."""

from collections.abc import Iterable, Iterator

from isal import igzip, isal_zlib

_GZIP = 31  # window bits of a gzip member
_LEVEL = 1  # as small as zlib's levels 1 to 3 on HTML, at a quarter of the time
_SMALL = 3  # some 10 % smaller than that, hardly slower

_ISAL_ERROR: type[Exception] = isal_zlib.IsalError  # type: ignore[assignment]  # its stub forgets the base class

BROKEN: tuple[type[Exception], ...] = (EOFError, OSError, _ISAL_ERROR)
"""What reading broken members raises."""


def compressed(data: bytes) -> bytes:
    """Return data as one member without a time, so that the same data always gives the same bytes."""
    return isal_zlib.compress(data, _LEVEL, _GZIP)


def compressed_in_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield data as one member while it comes."""
    compressor = isal_zlib.compressobj(_SMALL, isal_zlib.DEFLATED, _GZIP)
    for piece in pieces:
        yield bytes(compressor.compress(piece))
    yield bytes(compressor.flush())


def decompressed(data: bytes) -> bytes:
    """Return the content of all members; raise one of BROKEN where anything is missing."""
    return bytes(igzip.decompress(data))  # type: ignore[no-untyped-call]  # isal types its C part only


def whole_members(data: bytes) -> Iterator[bytes]:
    """Yield the content of each member, up to the first that is torn."""
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
