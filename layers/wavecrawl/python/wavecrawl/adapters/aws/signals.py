"""Signals to the state machine: task tokens of Step Functions."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

NO_WAVE = "NextIsNoWave"
"""The error that tells a waiting task that something else follows than the next wave. The state machine knows it."""

_OVER = frozenset(("TaskTimedOut", "TaskDoesNotExist", "InvalidToken"))


class StepFunctionsSignals:
    """`ports.signals.Signals`, and what the planner itself has to say to a waiting task."""

    def __init__(self, sfn: "SFNClient") -> None:
        self._sfn = sfn

    def succeed(self, token: str) -> None:
        """Wake the task: its wave is over, the next one can be planned."""
        with _first_come():
            self._sfn.send_task_success(taskToken=token, output=_json({"next": "wave"}))

    def lead_elsewhere(self, token: str, following: Mapping[str, object]) -> None:
        """Wake the task: there is no next wave, but what `following` says. As an error, which alone leads elsewhere."""
        with _first_come():
            self._sfn.send_task_failure(taskToken=token, error=NO_WAVE, cause=_json(following))


@contextmanager
def _first_come() -> Iterator[None]:
    """A token that is used or expired is not an error: somebody was quicker."""
    with translated("telling a task that its wave is over"):
        try:
            yield
        except ClientError as error:
            if code_of(error) not in _OVER:
                raise


def _json(told: Mapping[str, object]) -> str:
    return msgspec.json.encode(told).decode()
