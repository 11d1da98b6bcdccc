"""Requests to the API, sent to the real handler or to another resolver."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.support.functions import API_KEY, Context, event

Resolve = Callable[[dict[str, Any], Any], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response. Header names are in lower case."""

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def body(self) -> Any:
        """The JSON of the body."""
        return json.loads(self.text)


def request(
    method: str,
    path: str,
    body: Any = None,
    *,
    query: Mapping[str, str] | None = None,
    key: str = API_KEY,
    headers: Mapping[str, str] | None = None,
    source: str = "",
) -> dict[str, Any]:
    """Return the event of a request. A body that is not a string is sent as JSON."""
    made = event("api")
    made["requestContext"]["http"] |= {"method": method, "path": path}
    if source:
        made["requestContext"]["http"]["sourceIp"] = source
    made |= {"rawPath": path, "routeKey": f"{method} {path}"}
    made["headers"] |= {"authorization": f"Bearer {key}"} | {name.lower(): one for name, one in (headers or {}).items()}
    made.pop("body")
    if body is not None:
        made["body"] = body if isinstance(body, str) else json.dumps(body)
    if query:
        made |= {"queryStringParameters": dict(query), "rawQueryString": urlencode(query)}
    return made


def ask(resolve: Resolve, method: str, path: str, body: Any = None, **more: Any) -> Response:
    """Send a request and return the response; `more` are the other arguments of `request`."""
    answer = resolve(request(method, path, body, **more), Context())
    headers = {name.lower(): value for name, value in answer.get("headers", {}).items()}
    return Response(status=answer["statusCode"], text=answer["body"], headers=headers)
