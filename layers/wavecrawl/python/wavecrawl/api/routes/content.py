"""The content of a page as a response: whole or a byte range."""

import mimetypes
import re
from base64 import b64encode
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from aws_lambda_powertools.event_handler import Response

from wavecrawl.api.problems import Problem
from wavecrawl.application.pages import PageContent
from wavecrawl.domain.counts import counted

OCTETS: Final = "application/octet-stream"

LARGEST: Final = 64 * 1024 * 1024
"""Maximum size of a decoded page in bytes, more than a crawl reads."""

MOST: Final = 4 * 1024 * 1024
"""Maximum size of a body in bytes. Lambda responses are limited to 6 MB, and base64 adds a third.

https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""

_RANGE: Final = re.compile(r"bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))")


def content_response(found: PageContent, range_: str) -> Response[str]:
    """Return the content, or the requested range of it (RFC 9110 section 14). Raise Problem 413 or 416."""
    body, headers = found.response.body, _headers(found)
    span = _span(range_, len(body))
    if span is None:
        if len(body) > MOST:
            detail = f"the page has {len(body):,} bytes; request ranges of at most {MOST:,}: Range: bytes=0-{MOST - 1}"
            raise Problem(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, headers={"accept-ranges": "bytes"}, bytes=len(body)
            )
        return _octets(HTTPStatus.OK, body, headers)
    first, last = span
    headers["content-range"] = f"bytes {first}-{last}/{len(body)}"
    return _octets(HTTPStatus.PARTIAL_CONTENT, body[first : last + 1], headers)


def _octets(status: HTTPStatus, body: bytes, headers: dict[str, str]) -> Response[str]:
    """Return a response of bytes, as base64: the response validation of Powertools would decode bytes as text."""
    text = b64encode(body).decode()
    response = Response(status_code=status.value, content_type=OCTETS, body=text, headers=headers)
    response.base64_encoded = True
    return response


def _span(range_: str, size: int) -> tuple[int, int] | None:
    """Return the first and last byte; None if the header is not a single byte range (RFC 9110: ignored)."""
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
        detail = f"the page has {counted(size, 'byte')}"
        raise Problem(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, detail, headers={"content-range": f"bytes */{size}"})
    return first, min(last, first + MOST - 1)


def _headers(found: PageContent) -> dict[str, str]:
    record, response = found.record, found.response
    ending = mimetypes.guess_extension(record.content_type) or ""
    return {
        "content-disposition": f'attachment; filename="page-{record.key}{ending}"',
        "content-security-policy": "sandbox; default-src 'none'",
        "content-location": f"/v1/crawls/{response.crawl.crawl}/pages/{record.key}/content",
        "accept-ranges": "bytes",
        "x-page-content-type": _plain(record.content_type),
        "x-page-charset": _plain(record.charset),
        "x-page-status": str(response.status),
        "x-page-url": quote(response.url, safe="%/:?#[]@!$&'()*+,;=~"),
        "x-page-truncated": "true" if response.truncated else "false",
    }


def _plain(text: str) -> str:
    """Return the printable ASCII characters of a text, for a header."""
    return "".join(character for character in text if " " <= character <= "~")
