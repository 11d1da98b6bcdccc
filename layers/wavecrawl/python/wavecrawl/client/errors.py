"""What goes wrong between a client and the API."""

from wavecrawl.client.models import Problem
from wavecrawl.errors import PermanentError, TransientError


class ApiError(PermanentError):
    """The API answered, but with no success: `problem` says what is wrong and what to do (RFC 9457)."""

    def __init__(self, status: int, problem: Problem) -> None:
        super().__init__(f"{status} {problem.title}: {problem.detail}")
        self.status = status
        self.problem = problem


class ApiUnreachableError(TransientError):
    """The API gave no answer, however often it was asked."""


class StillRunningError(TransientError):
    """A crawl did not end in the time that was waited for it."""
