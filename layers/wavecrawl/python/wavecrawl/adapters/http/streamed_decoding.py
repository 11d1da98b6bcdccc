"""Decoding of Content-Encoding piece by piece, for bodies that are not held in memory."""

from collections.abc import Iterable, Iterator, Sequence

from wavecrawl.adapters.http.content_codings import BROKEN, CODINGS, MAX_CODINGS, undone
from wavecrawl.adapters.http.transfer_errors import TransferError
from wavecrawl.domain.fetching.exchange import TransportFault

PIECE = 65_536
"""Bytes of input and output per step."""


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
        if coding not in CODINGS:
            raise _undecodable(f"unknown coding {coding[:40]!r}")
        pieces = _limited(_undone(coding, pieces), limit)
    return pieces


def _undone(coding: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from undone(coding, pieces, step=PIECE)
    except TransferError:  # an OSError, as BROKEN contains
        raise
    except EOFError as error:
        raise _undecodable(f"the {coding} body ends early") from error
    except BROKEN as error:
        raise _undecodable(f"not {coding}: {error}") from error
    for _ in pieces:
        pass


def _limited(pieces: Iterable[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limit:
            yield piece[: len(piece) - (size - limit)]
            raise TooLongError
        yield piece


def _undecodable(detail: str) -> TransferError:
    return TransferError(TransportFault.DECODING, detail)
