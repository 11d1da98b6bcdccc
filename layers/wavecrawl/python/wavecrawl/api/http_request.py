"""An HTTP request as a function sees it: the event of an HTTP API, payload format 2.0.

Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

import base64
import binascii
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from wavecrawl.api.problems import Problem

Event = Mapping[str, Any]


class HttpRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request. Header names are lower case, as the API gives them."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


def http_request(event: Event, *, max_body: int) -> HttpRequest:
    """Return the request of an event; raise Problem where its body is larger than `max_body` bytes or no base64."""
    http = event["requestContext"]["http"]
    return HttpRequest(
        method=http["method"],
        path=event["rawPath"],
        headers={name.lower(): value for name, value in event.get("headers", {}).items()},
        body=_body(event, max_body),
    )


def _body(event: Event, max_body: int) -> bytes:
    text: str = event.get("body") or ""
    encoded = bool(event.get("isBase64Encoded"))
    if (len(text) * 3 // 4 - 2 if encoded else len(text)) > max_body:  # before anything is decoded
        raise too_large(max_body)
    try:
        body = base64.b64decode(text, validate=True) if encoded else text.encode()
    except (binascii.Error, ValueError) as error:
        raise Problem(HTTPStatus.BAD_REQUEST, "the body is not the base64 it is said to be") from error
    if len(body) > max_body:
        raise too_large(max_body)
    return body


def too_large(max_body: int) -> Problem:
    """Return the problem of a body that is larger than `max_body` bytes."""
    return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body may have at most {max_body} bytes")
