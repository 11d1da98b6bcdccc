"""The launcher: one execution of the state machine for each crawl."""

from typing import TYPE_CHECKING

import msgspec
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.domain.crawl.job import CrawlId

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient


class StepFunctionsLauncher:
    """`ports.launcher.Launcher`. The execution bears the crawl's id, so Step Functions itself refuses a second one.

    Names stay taken for 90 days after an execution has ended:
    https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
    """

    def __init__(self, sfn: "SFNClient", state_machine_arn: str) -> None:
        self._sfn = sfn
        self._state_machine_arn = state_machine_arn

    def launch(self, crawl: CrawlId) -> None:
        """Start the crawl's state machine; for a crawl that was started before, nothing happens."""
        first = {"crawl": crawl, "continued": 0, "phase": "bfs", "wave": 1, "done": 0, "resumes": 0}
        with translated(f"starting the state machine for crawl {crawl}"):
            try:
                self._sfn.start_execution(
                    stateMachineArn=self._state_machine_arn,
                    name=crawl.crawl,
                    input=msgspec.json.encode(first).decode(),
                )
            except ClientError as error:
                if code_of(error) != "ExecutionAlreadyExists":
                    raise
