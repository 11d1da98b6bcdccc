"""Downloads: bodies that are written to a file while they are received."""

from collections.abc import Iterator
from pathlib import Path
from sys import maxsize

from msgspec import Struct

from wavecrawl.adapters.http.content_codings import codings_of
from wavecrawl.adapters.http.streamed_decoding import PIECE, TooLongError, decoded_pieces
from wavecrawl.adapters.http.transfer_errors import TransferError
from wavecrawl.adapters.http.transport import RawResponse

_UNSTORED = 65_536  # bytes read of a body that is not stored, so that its connection can be used again


class SavedBody(Struct, frozen=True, kw_only=True, gc=False):
    """What became of a body."""

    received: int = 0  # bytes, without transfer coding, with content coding
    written: int = 0  # bytes, without content coding
    truncated: bool = False  # cut at the limit
    fault: TransferError | None = None  # why the rest is missing


def saved_body(raw: RawResponse, path: Path, *, limit: int) -> SavedBody:
    """Write the body to a new file, at most `limit` bytes as received and as decoded.

    Only the body of a successful response is stored, and none whose Content-Length exceeds the limit.
    """
    if not 200 <= raw.head.status < 300:  # noqa: PLR2004 - the 2xx class
        body = raw.receive(_UNSTORED)
        return SavedBody(received=len(body.data), fault=body.fault)
    if limit < raw.longest_body < maxsize:
        return SavedBody(truncated=True)
    pieces, codings = _Pieces(raw, limit), codings_of(raw.headers.members("content-encoding"))
    written, truncated, fault = 0, False, None
    with path.open("xb") as file:
        try:
            for piece in decoded_pieces(pieces.read(), codings, limit=limit):
                written += file.write(piece)
        except TooLongError:
            truncated = True
        except TransferError as error:
            fault = error
    return SavedBody(received=pieces.received, written=written, truncated=truncated, fault=fault)


class _Pieces:
    """The pieces of a body as received, counted."""

    def __init__(self, raw: RawResponse, limit: int) -> None:
        self._raw = raw
        self._limit = limit
        self.received = 0

    def read(self) -> Iterator[bytes]:
        """Yield the pieces. Raise TransferError, and TooLongError at the limit."""
        while piece := self._raw.read(PIECE):
            left = self._limit - self.received
            self.received += min(len(piece), left)
            yield piece[:left]
            if len(piece) > left:
                raise TooLongError
