"""The API as a WSGI application (PEP 3333). Each request becomes an event of an API Gateway HTTP API.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

import base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from threading import local
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl
from uuid import uuid4

from wavecrawl.api.app import Api
from wavecrawl.api.backend import Backend
from wavecrawl.telemetry import about_nothing

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_PLAIN: Final = {"CONTENT_TYPE": "content-type", "CONTENT_LENGTH": "content-length"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """The part of a Lambda context that the API needs."""

    aws_request_id: str
    function_name: str = "serve"


def wsgi_app(backend: Backend) -> "WSGIApplication":
    """Return the API as a WSGI application. Each thread has its own resolver, which handles one request at a time."""
    own = local()

    def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if not hasattr(own, "api"):
            own.api = Api(backend)
        about_nothing()
        request = event_of(environ, request_id=uuid4().hex, max_body=backend.settings.max_body_bytes)
        answer = own.api.resolve(request, _Context(aws_request_id=request["requestContext"]["requestId"]))
        return _answered(answer, start_response)

    return application


def event_of(environ: "WSGIEnvironment", *, request_id: str, max_body: int) -> dict[str, Any]:
    """Return a request as an event of payload format 2.0. At most `max_body` + 1 bytes of the body are read."""
    method, path = environ["REQUEST_METHOD"], _text(environ.get("PATH_INFO", "")) or "/"
    query = environ.get("QUERY_STRING", "")
    headers = _headers(environ)
    body = environ["wsgi.input"].read(max_body + 1) if environ.get("CONTENT_LENGTH") else b""
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "queryStringParameters": _joined(parse_qsl(query, keep_blank_values=True, errors="replace")),
        "headers": headers,
        "requestContext": {
            "http": {
                "method": method,
                "path": path,
                "protocol": environ.get("SERVER_PROTOCOL", "HTTP/1.1"),
                "sourceIp": environ.get("REMOTE_ADDR", ""),
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": request_id,
            "stage": "$default",
        },
        "isBase64Encoded": True,
        "body": base64.b64encode(body).decode(),
    }


def _headers(environ: "WSGIEnvironment") -> dict[str, str]:
    found = {
        name.removeprefix("HTTP_").lower().replace("_", "-"): value
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    return found | {ours: environ[name] for name, ours in _PLAIN.items() if environ.get(name)}


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return each parameter once. Several values are joined by commas, as an HTTP API does."""
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: ",".join(values) for name, values in found.items()}


def _text(raw: str) -> str:
    """Return text that WSGI passes as Latin-1."""
    return raw.encode("latin-1").decode("utf-8", "replace")


def _answered(answer: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    status = HTTPStatus(answer["statusCode"])
    body: str = answer.get("body") or ""
    content = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
    headers = [(name, str(value)) for name, value in answer.get("headers", {}).items()]
    headers += [("set-cookie", cookie) for cookie in answer.get("cookies", ())]
    if status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
        headers.append(("content-length", str(len(content))))
    start_response(f"{status.value} {status.phrase}", headers)
    return [content]
