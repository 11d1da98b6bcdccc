"""Middleware for responses: problems for errors, ETags, common headers."""

import json
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError, ResponseValidationError

from wavecrawl.api.middleware.stack import Next, event_of, header, written
from wavecrawl.api.problems import PROBLEM_JSON, Problem, problem_of
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.telemetry import count, logger

_VALIDATION_MESSAGES = {"extra_forbidden": "unknown field", "missing": "required"}

_COMMON = {"x-content-type-options": "nosniff", "vary": "Authorization"}


def responses(app: APIGatewayHttpResolver, next_middleware: Next) -> Response[Any]:
    """Return a response, whatever happens. The outermost middleware."""
    try:
        response = _with_etag(app, written(next_middleware(app)))
    except RequestValidationError as error:
        response = problem_response(_validation_problem(error))
    except Exception as error:  # noqa: BLE001 - every error becomes a problem response
        response = problem_response(error)
    _finish_headers(app, response)
    return response


def problem_response(error: Exception) -> Response[Any]:
    """Return the response to an error. Internal errors are logged and counted."""
    problem = problem_of(error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        more = {"errors": error.errors()} if isinstance(error, ResponseValidationError) else {}
        logger.error("request failed", exc_info=error, extra=more)
        count("Failed")
    return Response(
        status_code=problem.status.value,
        content_type=PROBLEM_JSON,
        body=json.dumps(problem.document()),
        headers=dict(problem.headers),
    )


def _with_etag(app: APIGatewayHttpResolver, response: Response[Any]) -> Response[Any]:
    """Add an ETag; return 304 if the client has this version (RFC 9110 sections 8.8.3 and 13.1.2)."""
    if (
        app.request.method != "GET"
        or response.status_code != HTTPStatus.OK
        or not isinstance(response.body, str | bytes)
    ):
        return response
    if "etag" not in response.headers and response.headers.get("cache-control") != "no-store":
        body = response.body.encode() if isinstance(response.body, str) else response.body
        response.headers["etag"] = f'"{sha256(body).hexdigest()[:32]}"'
    tag = str(response.headers.get("etag", ""))
    known = {one.strip().removeprefix("W/") for one in header(app, "if-none-match").split(",")}
    if not tag or not known & {tag.removeprefix("W/"), "*"}:
        return response
    kept = {name: value for name, value in response.headers.items() if name.lower() != "content-type"}
    return Response(status_code=HTTPStatus.NOT_MODIFIED.value, content_type=None, body="", headers=kept)


def _finish_headers(app: APIGatewayHttpResolver, response: Response[Any]) -> None:
    shared = {
        **_COMMON,
        "cache-control": "no-cache" if "etag" in response.headers else "no-store",
        "x-request-id": event_of(app).request_context.request_id,
        **app.context.get("turn", {}),
    }
    for name, value in shared.items():
        response.headers.setdefault(name, value)


def _validation_problem(error: RequestValidationError) -> Problem:
    """Return the problem of an invalid request, with all invalid fields."""
    errors = [f"{_place(one['loc'])}: {_message(one['type'], one['loc'], one['msg'])}" for one in error.errors()]
    return Problem(HTTPStatus.BAD_REQUEST, "; ".join(errors), errors=errors)


def _message(kind: str, location: tuple[str | int, ...], otherwise: str) -> str:
    """Return what is wrong with a field. A crawl setting beside `settings` is an unknown field that has a place."""
    _, *names = location
    if kind == "extra_forbidden" and len(names) == 1 and names[0] in CrawlSettings.__struct_fields__:
        return f"unknown field; if it is the crawl setting, put it under settings (settings.{names[0]})"
    return _VALIDATION_MESSAGES.get(kind, otherwise)


def _place(location: tuple[str | int, ...]) -> str:
    """Return the path of a field, such as `settings.max_pages`."""
    _, *names = location
    return ".".join(map(str, names)) or "the body"
