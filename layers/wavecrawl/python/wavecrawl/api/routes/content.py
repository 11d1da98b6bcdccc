"""The content of a page as a response: whole or a byte range."""

import mimetypes
from base64 import b64encode
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from aws_lambda_powertools.event_handler import Response

from wavecrawl.api.byte_range import requested_span
from wavecrawl.api.problems import Problem
from wavecrawl.application.pages import PageContent

OCTETS: Final = "application/octet-stream"

LARGEST: Final = 64 * 1024 * 1024
"""Maximum size of a decoded page in bytes, more than a crawl reads."""

MOST: Final = 4 * 1024 * 1024
"""Maximum size of a body in bytes. Lambda responses are limited to 6 MB, and base64 adds a third.

https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""


def content_response(found: PageContent, range_: str) -> Response[str]:
    """Return the content, or the requested range of it (RFC 9110 section 14). Raise Problem 413 or 416."""
    body, headers = found.response.body, _headers(found)
    span = requested_span(range_, len(body), what="the page")
    if span is None:
        if len(body) > MOST:
            detail = f"the page has {len(body):,} bytes; request ranges of at most {MOST:,}: Range: bytes=0-{MOST - 1}"
            raise Problem(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, headers={"accept-ranges": "bytes"}, bytes=len(body)
            )
        return _octets(HTTPStatus.OK, body, headers)
    first, last = span[0], min(span[1], span[0] + MOST - 1)
    headers["content-range"] = f"bytes {first}-{last}/{len(body)}"
    return _octets(HTTPStatus.PARTIAL_CONTENT, body[first : last + 1], headers)


def _octets(status: HTTPStatus, body: bytes, headers: dict[str, str]) -> Response[str]:
    """Return a response of bytes, as base64: the response validation of Powertools would decode bytes as text."""
    text = b64encode(body).decode()
    response = Response(status_code=status.value, content_type=OCTETS, body=text, headers=headers)
    response.base64_encoded = True
    return response


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
