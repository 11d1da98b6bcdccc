"""The launcher: one execution of the state machine for each crawl."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.domain.crawl.job import CrawlId

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient


PER_RESUME = 1_000_000
"""Numbers of executions between two resumes of a crawl."""


class StepFunctionsLauncher:
    """`application.admission.Executions`. The name of an execution makes a second start of the same one harmless.

    The first execution of a crawl is named after it. Later ones have a number too: executions that continue another
    one count up by one, those of a resumed crawl begin at the next million.
    Names stay taken for 90 days after an execution has ended:
    https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
    """

    def __init__(self, sfn: "SFNClient", state_machine_arn: str) -> None:
        self._sfn = sfn
        self._state_machine_arn = state_machine_arn

    def launch(self, crawl: CrawlId, *, resumes: int = 0) -> None:
        """Start the state machine of a crawl that was resumed `resumes` times, unless that was done before."""
        continued = resumes * PER_RESUME
        name = f"{crawl.crawl}-{continued}" if resumes else crawl.crawl
        self._start(crawl, name, {"crawl": crawl, "continued": continued, "done": 0, "resumes": 0})

    def make_results(self, crawl: CrawlId, *, now: float) -> None:
        """Start an execution that makes the results of an ended crawl again; at most one a minute."""
        last = {"crawl": crawl, "continued": 1, "next": "finish", "phase": "bfs", "wave": 1, "done": 0, "resumes": 0}
        self._start(crawl, f"{crawl.crawl}-results-{int(now // 60)}", last)

    def _start(self, crawl: CrawlId, name: str, given: Mapping[str, object]) -> None:
        with translated(f"starting the state machine for crawl {crawl}"):
            try:
                self._sfn.start_execution(
                    stateMachineArn=self._state_machine_arn, name=name, input=msgspec.json.encode(given).decode()
                )
            except ClientError as error:
                if code_of(error) != "ExecutionAlreadyExists":
                    raise
