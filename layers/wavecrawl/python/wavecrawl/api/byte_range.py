"""Byte ranges of responses (RFC 9110, section 14)."""

import re
from http import HTTPStatus
from typing import Final

from wavecrawl.api.problems import Problem
from wavecrawl.domain.counts import counted

_RANGE: Final = re.compile(r"bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))")


def span_of(range_: str, size: int, *, what: str) -> tuple[int, int] | None:
    """Return the first and last byte of a body; None if the header is not a single byte range, which is ignored.

    Raise Problem 416 if the body has none of these bytes. `what` names the body: "the page".
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
        detail = f"{what} has {counted(size, 'byte')}"
        raise Problem(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, detail, headers={"content-range": f"bytes */{size}"})
    return first, last
