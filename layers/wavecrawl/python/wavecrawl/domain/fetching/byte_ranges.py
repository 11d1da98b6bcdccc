"""Byte ranges of responses (RFC 9110, section 14)."""

import re
from typing import Final

_RANGE: Final = re.compile(r"bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))")


class NoSuchRangeError(Exception):
    """A body has none of the bytes that a Range header asks for."""


def span_of(range_: str, size: int) -> tuple[int, int] | None:
    """Return the first and last byte of a body that a Range header asks for.

    None if the header is not a single range of bytes: it is ignored. Raise NoSuchRangeError if the body has none of
    these bytes.
    """
    match = _RANGE.fullmatch(range_.strip())
    if match is None:
        return None
    if match[3] is not None:
        first, last = max(0, size - int(match[3])), size - 1
    else:
        first, last = int(match[1]), min(int(match[2]) if match[2] else size - 1, size - 1)
        if match[2] and int(match[2]) < int(match[1]):
            return None
    if first >= size or last < first:
        raise NoSuchRangeError
    return first, last
