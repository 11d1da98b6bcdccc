"""Responses of HTTP functions: JSON and problem details (RFC 9457). They never contain a stack trace."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from math import ceil

from wavecrawl.errors import (
    ConflictError,
    CrawlRunningError,
    CrawlsStoppedError,
    ForbiddenError,
    InvalidInputError,
    InvalidSettingsError,
    MisconfiguredError,
    NotDeployedError,
    NotFoundError,
    OutdatedError,
    PlanLimitError,
    QuotaExceededError,
    RepeatedMessageError,
    ThrottledError,
    TooLargeError,
    TransientError,
)

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"  # RFC 9457 section 3
RETRY_AFTER = "5"  # seconds

Answer = dict[str, object]
"""The response of a function to an HTTP API (payload format 2.0)."""


class Problem(Exception):  # noqa: N818 - the term of RFC 9457; it is a response
    """An error response: problem details (RFC 9457)."""

    def __init__(
        self, status: HTTPStatus, detail: str, *, headers: Mapping[str, str] | None = None, **more: object
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        self.more = more

    def document(self) -> dict[str, object]:
        """Return the problem details object. Its type is `about:blank`, so its title is the name of the status."""
        return {
            "type": "about:blank",
            "title": self.status.phrase,
            "status": self.status.value,
            "detail": self.detail,
            **self.more,
        }

    def answer(self) -> Answer:
        """Return the problem as a response."""
        return {
            "statusCode": self.status.value,
            "headers": {"content-type": PROBLEM_JSON, **self.headers},
            "body": json.dumps(self.document()),
        }


def json_answer(status: HTTPStatus, body: Mapping[str, object], headers: Mapping[str, str] | None = None) -> Answer:
    """Return a response with a JSON body."""
    return {
        "statusCode": status.value,
        "headers": {"content-type": JSON, **(headers or {})},
        "body": json.dumps(body),
    }


def problem_of(error: Exception) -> Problem:
    """Return the problem of an error. That of an unexpected error contains no details."""
    if isinstance(error, Problem):
        return error
    problem = _with_members(error)
    if problem:
        return problem
    for kind, status in _STATUSES:
        if isinstance(error, kind) and not isinstance(error, NotDeployedError | MisconfiguredError):
            return Problem(status, str(error))
    return _unavailable(error)


def _with_members(error: Exception) -> Problem | None:
    """Return the problem of an error that has more members than its detail."""
    if isinstance(error, CrawlRunningError | RepeatedMessageError):
        return Problem(HTTPStatus.CONFLICT, str(error), crawl=error.crawl)
    if isinstance(error, InvalidSettingsError):
        return Problem(HTTPStatus.BAD_REQUEST, str(error), errors=list(error.problems))
    if isinstance(error, PlanLimitError):
        status = HTTPStatus.PAYMENT_REQUIRED
        return Problem(status, str(error), plan=error.plan, limit=error.limit, ceiling=error.ceiling)
    if isinstance(error, QuotaExceededError):
        wait = {"retry-after": str(ceil(error.wait))}
        until = f"{datetime.fromtimestamp(error.resets_at, tz=UTC):%Y-%m-%dT%H:%M:%SZ}"
        return Problem(HTTPStatus.TOO_MANY_REQUESTS, str(error), headers=wait, resets_at=until)
    return None


_STATUSES: tuple[tuple[type[Exception], HTTPStatus], ...] = (
    (InvalidInputError, HTTPStatus.BAD_REQUEST),
    (OutdatedError, HTTPStatus.PRECONDITION_FAILED),
    (ConflictError, HTTPStatus.CONFLICT),
    (ForbiddenError, HTTPStatus.FORBIDDEN),
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (CrawlsStoppedError, HTTPStatus.SERVICE_UNAVAILABLE),
    (TooLargeError, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
)


def _unavailable(error: Exception) -> Problem:
    again = {"retry-after": RETRY_AFTER}
    if isinstance(error, ThrottledError):
        return Problem(HTTPStatus.TOO_MANY_REQUESTS, "too many requests at once; retry in a few seconds", headers=again)
    if isinstance(error, TransientError):
        return Problem(HTTPStatus.SERVICE_UNAVAILABLE, "temporarily unavailable; retry in a few seconds", headers=again)
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error; see the service's logs for x-request-id")
