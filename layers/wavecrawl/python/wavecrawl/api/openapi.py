"""The OpenAPI 3.1 document: that of Powertools, plus problems, shared headers and roles."""

import json
from http import HTTPStatus
from typing import Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer

from wavecrawl.api.middleware.idempotency import KEY, LONGEST_KEY
from wavecrawl.api.middleware.stack import Operations
from wavecrawl.api.problems import PROBLEM_JSON
from wavecrawl.api.routing import Operation
from wavecrawl.api_models.types import Problem
from wavecrawl.version import __version__

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
    "x-request-id": "ID of the request in the service's logs.",
    "ratelimit": "Number of requests left for the API key and for its tenant, and seconds until the limits reset.",
    "ratelimit-policy": "Request limits of the API key and of its tenant, and their period in seconds.",
}


def document_of(app: APIGatewayHttpResolver, operations: Operations) -> dict[str, Any]:
    """Return the OpenAPI document of all routes."""
    document: dict[str, Any] = json.loads(
        app.get_openapi_json_schema(
            title="wavecrawl",
            version=__version__,
            openapi_version="3.1.0",
            description=_DESCRIPTION,
            security_schemes={"key": HTTPBearer(description="API key: `Authorization: Bearer wck_...`")},
            security=[{"key": []}],
        )
    )
    document["tags"] = [{"name": name, "description": text} for name, text in _TAGS.items()]
    components = document["components"]
    components["schemas"] = {
        name: schema for name, schema in components.get("schemas", {}).items() if name not in _POWERTOOLS_OWN
    } | {_PROBLEM: Problem.model_json_schema()}
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
    for response in described["responses"].values():
        if "$ref" not in response:
            response.setdefault("headers", {}).update(headers)
    if operation.body_is_optional:
        described["requestBody"]["required"] = False
    if operation.needs is None:
        described["security"] = []
    elif operation.method == "POST":
        described.setdefault("parameters", []).append(_REPEAT_KEY)
    if operation.method == "GET" and "200" in described["responses"]:
        described.setdefault("parameters", []).append(_IF_NONE_MATCH)
        described["responses"]["200"]["headers"]["etag"] = _text("Entity tag of the response.")
        described["responses"]["304"] = {
            "description": HTTPStatus.NOT_MODIFIED.phrase,
            "headers": {**headers, "etag": _text("Entity tag of the response.")},
        }
    if operation.needs:
        described["x-role"] = operation.needs.value


def statuses_of(operation: Operation) -> list[HTTPStatus]:
    """Return the status codes of all problems of a route."""
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
    problem: dict[str, Any] = {
        "description": status.phrase,
        "content": {PROBLEM_JSON: {"schema": {"$ref": f"#/components/schemas/{_PROBLEM}"}}},
        "headers": {"x-request-id": _text(_HEADERS["x-request-id"])},
    }
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        problem["headers"]["retry-after"] = _text("Seconds to wait before a retry.")
    if status is HTTPStatus.UNAUTHORIZED:
        problem["headers"]["www-authenticate"] = _text("`Bearer`.")
    return problem


def _problems_used(document: dict[str, Any]) -> list[dict[str, str]]:
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    return [response for one in operations for response in one["responses"].values() if "$ref" in response]


def _text(description: str) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string"}}


_REPEAT_KEY: Final = {
    "name": KEY,
    "in": "header",
    "required": False,
    "description": (
        "A unique text, such as a UUID. If a successful request is sent again with the same key within 24 hours, it is "
        "not executed again."
    ),
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[ -~]+$"},
}
_IF_NONE_MATCH: Final = {
    "name": "if-none-match",
    "in": "header",
    "required": False,
    "description": "`etag` of an earlier response. The response is 304 if nothing has changed.",
    "schema": {"type": "string"},
}
_TAGS: Final = {
    "Crawls": (
        "A crawl fetches the pages of a site in waves: it fetches the pages of one wave, then plans the next wave from "
        "the links it found. The pages of a wave are divided into batches, which are processed in parallel."
    ),
    "Pages": (
        "A page is a URL that a crawl tried to fetch. Counters of pages count only the states `fetched` and "
        "`unchanged`. The key of a page is derived from its URL."
    ),
    "Analysis": (
        "Results derived from all pages of a crawl. While the crawl is running, they are derived from the pages of the "
        "waves up to `as_of_wave`; a part of the results is added after 2,500 URLs or two minutes. If a crawl is too "
        "large to be analyzed by a request, the response is 413; download its exports instead."
    ),
    "Media": (
        "Images, videos and documents that the pages of a crawl use, and the assets that are stored of them. Each "
        "content is stored once per tenant and is named by its SHA-256. Deleting a crawl keeps its assets."
    ),
    "Sites": "A site is a start URL that is saved with settings and a schedule, to be crawled repeatedly.",
    "Lists": (
        "A list of URLs that is too long for the body of a request. It is uploaded once as a file. Crawls and sites "
        "name it in their settings."
    ),
    "Knowledge": "The texts of a site's pages, indexed after each crawl: passages are found by words and by meaning.",
    "Webhooks": "A webhook sends the events of a tenant's crawls to a URL, as signed messages (Standard Webhooks).",
    "Settings": "The defaults of a tenant's sites and crawls, and the tenant's usage.",
    "API keys": "The API keys of the caller's tenant.",
    "Tenants": "Tenants, their settings and their API keys, for the operator of the service.",
    "Service": "Health check and documentation.",
}
"""Tags of operations in the order of the document, with their descriptions."""

_DESCRIPTION: Final = """Crawl websites and read the results.

**Authentication.** Send an API key as bearer token: `Authorization: Bearer <key>`. Keys that the API creates start with
`wck_`. Only `/health`, `/openapi.json` and `/docs` need no key. A key belongs to one tenant and has access to the data
of that tenant only. Each operation needs a role: `read`, `tenant` or `admin`. `tenant` includes `read`, and `admin`
includes both. The first start of `wavecrawl serve` prints the first key, of role `admin`. In AWS,
`wavecrawl admin init` prints it.

**Errors.** Errors are returned as problem details (RFC 9457, `application/problem+json`). Unknown parameters and fields
are errors.

**Lists.** Lists are paginated. To get the next page, send `next_cursor` of the response as `cursor`, with the same
filters. If no items follow, `next_cursor` is `null`. The list of a running crawl's web pages
always has one: send it again later to get newer pages.

**Retries.** To retry POST requests safely, send them with an `idempotency-key`. A successful response is stored for 24
hours and returned again, with the header `idempotency-replayed: true`. A response with a secret is not returned again:
the repeated request gets 409. The response is also 409 while the first request is being processed, and 422 if the
idempotency key was used for a different request.

**Rate limits.** The number of requests per minute is limited for each API key and for all keys of a tenant together.
The response headers `ratelimit-policy` and `ratelimit` contain the limits and the number of requests left. Above a
limit, the response is 429, and its header `retry-after` contains the number of seconds to wait.

**Times.** Times are in UTC, in the format of RFC 3339.
"""
