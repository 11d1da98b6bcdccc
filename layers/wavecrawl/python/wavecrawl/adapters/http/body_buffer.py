"""A buffer that joins the pieces of a body."""

from io import BytesIO


class BodyBuffer:
    """Joins pieces, however small, in little more memory than the body takes. A single piece is not copied."""

    __slots__ = ("_first", "_joined", "size")

    def __init__(self) -> None:
        self._first = b""
        self._joined: BytesIO | None = None
        self.size = 0  # bytes

    def add(self, piece: bytes) -> None:
        """Append a piece."""
        if not self.size:
            self._first = piece
        else:
            if self._joined is None:
                self._joined = BytesIO()
                self._joined.write(self._first)
                self._first = b""
            self._joined.write(piece)
        self.size += len(piece)

    def content(self, limit: int) -> bytes:
        """Return the first `limit` bytes."""
        if self._joined is None:
            return self._first[:limit]
        self._joined.truncate(min(limit, self.size))
        return self._joined.getvalue()
