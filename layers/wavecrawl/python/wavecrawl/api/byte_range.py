"""Byte ranges of responses of the API."""

from http import HTTPStatus

from wavecrawl.api.problems import Problem
from wavecrawl.domain.counts import counted
from wavecrawl.domain.fetching.byte_ranges import NoSuchRangeError, span_of


def requested_span(range_: str, size: int, *, what: str) -> tuple[int, int] | None:
    """Return the first and last byte of a body; None if the header is not a single byte range, which is ignored.

    Raise Problem 416 if the body has none of these bytes. `what` names the body: "the page".
    """
    try:
        return span_of(range_, size)
    except NoSuchRangeError as error:
        detail = f"{what} has {counted(size, 'byte')}"
        headers = {"content-range": f"bytes */{size}"}
        raise Problem(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, detail, headers=headers) from error
