"""Errors of the client."""

from wavecrawl.api_models.types import Problem
from wavecrawl.errors import PermanentError, TransientError


class ApiError(PermanentError):
    """The API responded with an error. `problem` holds its problem details (RFC 9457)."""

    def __init__(self, status: int, problem: Problem) -> None:
        super().__init__(f"{status} {problem.title}: {problem.detail}")
        self.status = status
        self.problem = problem


class ApiUnreachableError(TransientError):
    """The API did not respond, retries included."""


class StillRunningError(TransientError):
    """A crawl did not end within the timeout."""
