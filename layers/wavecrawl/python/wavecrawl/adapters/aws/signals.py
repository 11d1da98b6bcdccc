"""Signals to the state machine: task tokens of Step Functions."""

import logging
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING

import msgspec
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.ports.signals import ANOTHER_WAVE, Following

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

logger = logging.getLogger(__name__)

_REFUSED = frozenset(("TaskTimedOut", "TaskDoesNotExist", "InvalidToken"))
"""Error codes of a token that is used, expired or unknown.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_SendTaskSuccess.html
"""


class StepFunctionsSignals:
    """`ports.signals.Signals` over task tokens."""

    def __init__(self, sfn: "SFNClient") -> None:
        self._sfn = sfn

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Complete the task; `following` is its output. Log a warning if the token is refused."""
        output = msgspec.json.encode(step_output(following)).decode()
        with translated("completing the task of a wave"):
            try:
                self._sfn.send_task_success(taskToken=token, output=output)
            except ClientError as error:
                if code_of(error) not in _REFUSED:
                    raise
                # The token itself is not logged, as it is enough to complete the task.
                logger.warning("task token refused (%s), output %r not used", code_of(error), following.next.value)


def step_output(following: Following) -> dict[str, object]:
    """Return `following` as infra/state_machine/crawl.asl.json reads it. A pause ends at a whole second."""
    output: dict[str, object] = {"next": following.next.value}
    if following.until:
        output["until"] = f"{datetime.fromtimestamp(ceil(following.until), tz=UTC):%Y-%m-%dT%H:%M:%SZ}"
    if following.pages:
        output["pages"] = following.pages
    return output
