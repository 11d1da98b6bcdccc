"""Requests of ASGI as events of an API Gateway HTTP API (payload format 2.0).

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

from collections.abc import Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

Scope = MutableMapping[str, Any]


def event_of(scope: Scope, *, request_id: str) -> dict[str, Any]:
    """Return a request as an event of payload format 2.0, without its body."""
    method, path = scope["method"], scope["path"] or "/"
    query = scope.get("query_string", b"").decode("latin-1")
    headers = _headers(scope["headers"])
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
                "protocol": f"HTTP/{scope.get('http_version', '1.1')}",
                "sourceIp": (scope.get("client") or ("",))[0],
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": request_id,
            "stage": "$default",
        },
        "isBase64Encoded": True,
        "body": "",
    }


def body_length(headers: Iterable[tuple[bytes, bytes]]) -> int | None:
    """Return the bytes of the body of a request, None if its chunks give the length."""
    named = {name.lower(): value for name, value in headers}
    return None if b"transfer-encoding" in named else int(named.get(b"content-length", b"0"))


def _headers(received: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return each header once, with its name in lower case. Several values are joined by commas (RFC 9110 5.3)."""
    return _joined((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in received)


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return each name once. Several values are joined by commas, as an HTTP API does."""
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: ",".join(values) for name, values in found.items()}
