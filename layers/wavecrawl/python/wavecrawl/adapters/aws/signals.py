"""Signals to the state machine: task tokens of Step Functions."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

_OVER = frozenset(("TaskTimedOut", "TaskDoesNotExist", "InvalidToken"))


class StepFunctionsSignals:
    """`ports.signals.Signals`, and what the planner itself has to say to a waiting task."""

    def __init__(self, sfn: "SFNClient") -> None:
        self._sfn = sfn

    def succeed(self, token: str) -> None:
        """Wake the task: its wave is over, the next one can be planned."""
        self.tell(token, {"next": "wave"})

    def tell(self, token: str, output: Mapping[str, object]) -> None:
        """Wake the task with an output. A token that is used or expired is not an error: somebody was quicker."""
        with translated("telling a task that its wave is over"):
            try:
                self._sfn.send_task_success(taskToken=token, output=msgspec.json.encode(output).decode())
            except ClientError as error:
                if code_of(error) not in _OVER:
                    raise
