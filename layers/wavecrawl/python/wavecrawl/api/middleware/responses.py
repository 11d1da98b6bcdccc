"""What every answer gets: problems instead of errors, an ETag, the headers that all share."""

import json
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError, ResponseValidationError

from wavecrawl.api.middleware.stack import Next, event_of, header, written
from wavecrawl.api.middleware.validation import validation_problem
from wavecrawl.api.problems import PROBLEM_JSON, problem_of
from wavecrawl.telemetry import count, logger

_COMMON = {"x-content-type-options": "nosniff", "vary": "Authorization"}


def answering(app: APIGatewayHttpResolver, next_middleware: Next) -> Response[Any]:
    """Answer whatever happens; the outermost step."""
    try:
        response = _with_etag(app, written(next_middleware(app)))
    except RequestValidationError as error:
        response = problem_response(validation_problem(error))
    except Exception as error:  # noqa: BLE001 - the edge: whoever asked is told a problem, the log the error
        response = problem_response(error)
    _finish_headers(app, response)
    return response


def problem_response(error: Exception) -> Response[Any]:
    """Return what is told of an error; what is our fault is logged and counted."""
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
    """Give a representation its tag, and leave it out where the client has it: RFC 9110 sections 8.8.3 and 13.1.2."""
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
