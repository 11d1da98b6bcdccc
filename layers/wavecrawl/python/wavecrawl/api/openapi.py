"""The OpenAPI 3.1 document: Powertools describes parameters, bodies and successes; here the rest is added to it."""

import json
from http import HTTPStatus
from typing import Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer

from wavecrawl import __version__
from wavecrawl.api.middleware.idempotency import KEY, LONGEST_KEY
from wavecrawl.api.middleware.stack import Operations
from wavecrawl.api.problems import PROBLEM_JSON
from wavecrawl.api.routing import Operation
from wavecrawl.api_models.types import ProblemModel

_ALWAYS: Final = (HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.SERVICE_UNAVAILABLE)
_WITH_KEY: Final = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.TOO_MANY_REQUESTS,
)
_REPEATABLE: Final = (HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY)
_WITH_BODY: Final = (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
_POWERTOOLS_OWN: Final = ("HTTPValidationError", "ValidationError", "ResponseValidationError")
_PROBLEM: Final = "Problem"

_HEADERS: Final = {
    "x-request-id": "names the request in our logs",
    "ratelimit": "requests left to the key and to its tenant, and the seconds until they have all of them again",
    "ratelimit-policy": "requests the key and its tenant have, and in how many seconds",
}


def document_of(app: APIGatewayHttpResolver, operations: Operations) -> dict[str, Any]:
    """Return the description of every route."""
    document: dict[str, Any] = json.loads(
        app.get_openapi_json_schema(
            title="wavecrawl",
            version=__version__,
            openapi_version="3.1.0",
            description=_DESCRIPTION,
            security_schemes={"key": HTTPBearer(description="an API key: Authorization: Bearer wck_...")},
            security=[{"key": []}],
        )
    )
    components = document["components"]
    components["schemas"] = {
        name: schema for name, schema in components.get("schemas", {}).items() if name not in _POWERTOOLS_OWN
    } | {_PROBLEM: ProblemModel.model_json_schema()}
    components["responses"] = {f"Problem{status.value}": _problem(status) for status in HTTPStatus if status >= 400}  # noqa: PLR2004
    for (method, path), operation in operations.items():
        _complete(document["paths"][path][method.lower()], operation)
    used = {one["$ref"].rpartition("/")[2] for one in _problems_used(document)}
    components["responses"] = {name: one for name, one in components["responses"].items() if name in used}
    return document


def _complete(described: dict[str, Any], operation: Operation) -> None:
    for status in statuses_of(operation):
        described["responses"][str(status.value)] = {"$ref": f"#/components/responses/Problem{status.value}"}
    headers = {name: _text(said) for name, said in _HEADERS.items() if operation.needs or name == "x-request-id"}
    for answer in described["responses"].values():
        if "$ref" not in answer:
            answer.setdefault("headers", {}).update(headers)
    if operation.needs is None:
        described["security"] = []
    elif operation.method == "POST":
        described.setdefault("parameters", []).append(_REPEAT_KEY)
    if operation.method == "GET" and "200" in described["responses"]:
        described.setdefault("parameters", []).append(_IF_NONE_MATCH)
        described["responses"]["200"]["headers"]["etag"] = _text("names this very representation")
        described["responses"]["304"] = {
            "description": "It is what you have.",
            "headers": {**headers, "etag": _text("its tag")},
        }
    if operation.needs:
        described["x-role"] = operation.needs.value


def statuses_of(operation: Operation) -> list[HTTPStatus]:
    """Return every problem a route may answer with."""
    found = {*_ALWAYS, *operation.problems}
    found |= {*_WITH_KEY} if operation.needs else {HTTPStatus.BAD_REQUEST}
    if operation.method == "POST" and operation.needs:
        found |= {*_REPEATABLE}
    if operation.has_body:
        found |= {*_WITH_BODY}
    elif operation.method != "GET":
        found |= {HTTPStatus.REQUEST_ENTITY_TOO_LARGE}
    return sorted(found)


def _problem(status: HTTPStatus) -> dict[str, Any]:
    told: dict[str, Any] = {
        "description": status.phrase,
        "content": {PROBLEM_JSON: {"schema": {"$ref": f"#/components/schemas/{_PROBLEM}"}}},
        "headers": {"x-request-id": _text(_HEADERS["x-request-id"])},
    }
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        told["headers"]["retry-after"] = _text("seconds to wait before it is tried again")
    if status is HTTPStatus.UNAUTHORIZED:
        told["headers"]["www-authenticate"] = _text("Bearer")
    return told


def _problems_used(document: dict[str, Any]) -> list[dict[str, str]]:
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    return [answer for one in operations for answer in one["responses"].values() if "$ref" in answer]


def _text(description: str) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string"}}


_REPEAT_KEY: Final = {
    "name": KEY,
    "in": "header",
    "required": False,
    "description": "a text of your own for this request: sent again with it, it is done once and answered as before",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[ -~]+$"},
}
_IF_NONE_MATCH: Final = {
    "name": "if-none-match",
    "in": "header",
    "required": False,
    "description": "the `etag` you have: 304 where nothing changed",
    "schema": {"type": "string"},
}
_DESCRIPTION: Final = """Crawl whole websites, and look at what was found.

Every request but those to /health, /openapi.json and /docs shows an API key as a bearer token. A key acts for one
tenant, and sees nothing of any other. Its role says how far it goes: `read` looks, `tenant` does everything of its
tenant, `admin` looks after tenants too.

Every answer that is no success is a problem (RFC 9457, `application/problem+json`). Lists come in pages:
`next_cursor` of one asks for the next as `cursor`. Times are UTC (RFC 3339). A parameter or a field that a request
does not know is refused, as a filter with a slip in its name would let everything through.
"""
