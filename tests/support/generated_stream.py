"""A file of any size that exists nowhere: its bytes are made when they are read."""

import hashlib
from collections.abc import Iterator
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedIOBase
from typing import IO, cast

_BLOCK = 1024 * 1024


class GeneratedStream(BufferedIOBase):
    """`size` bytes that differ from one megabyte to the next. With `pieces`, these are read instead."""

    def __init__(self, size: int, pieces: Iterator[bytes] | None = None) -> None:
        super().__init__()
        self.size = size
        self._pieces = pieces
        self._position = 0

    @property
    def file(self) -> IO[bytes]:
        """Itself, as the type that writers take."""
        return cast("IO[bytes]", self)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return how many bytes were read."""
        return self._position

    def seek(self, offset: int, whence: int = SEEK_SET, /) -> int:
        """Change the position."""
        self._position = {SEEK_SET: 0, SEEK_CUR: self._position, SEEK_END: self.size}[whence] + offset
        return self._position

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next `size` bytes, fewer at the end."""
        if self._pieces is not None:
            return next(self._pieces, b"")
        end = self.size if size is None or size < 0 else min(self.size, self._position + size)
        found = b"".join(_bytes(start, min(end, start + _BLOCK)) for start in range(self._position, end, _BLOCK))
        self._position = end
        return found

    def digest(self, part: int) -> str:
        """Return the digests of parts of this size, as `StrictS3` does."""
        starts = range(0, self.size, part)
        pieces = (GeneratedStream(self.size) for _ in starts)
        found = []
        for start, stream in zip(starts, pieces, strict=True):
            stream.seek(start)
            found.append(hashlib.sha256(stream.read(part)).hexdigest())
        return "+".join(found)


def _bytes(start: int, end: int) -> bytes:
    """Return the bytes from `start` to `end`, at most a block: each is decided by its place."""
    size = end - start
    return (start.to_bytes(16, "big") * (size // 16 + 1))[:size]
