"""What is told where parameters or a body do not hold: every problem at once, with the field it is in."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from wavecrawl.api.problems import Problem

_SAID_PLAINLY = {"extra_forbidden": "unknown field", "missing": "must be given"}


def validation_problem(error: RequestValidationError) -> Problem:
    """Return the problem of a request that does not hold."""
    errors = [f"{_place(one['loc'])}: {_SAID_PLAINLY.get(one['type'], one['msg'])}" for one in error.errors()]
    return Problem(HTTPStatus.BAD_REQUEST, "; ".join(errors), errors=errors)


def _place(location: tuple[str | int, ...]) -> str:
    """Return the name of a field as the request has it, such as `settings.max_pages`."""
    _, *names = location
    return ".".join(map(str, names)) or "the body"
