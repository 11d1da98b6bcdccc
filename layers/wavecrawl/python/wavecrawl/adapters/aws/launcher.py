"""The launcher: one execution of the state machine for each crawl."""

from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.errors import ConflictError, StoreBusyError

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient


PER_RESUME = 1_000_000
"""Numbers of executions between two resumes of a crawl."""

_TRIES = 10  # a day, of executions that make the same files
_DAY = 86_400  # seconds


class _Given(msgspec.Struct, frozen=True, kw_only=True):
    """What the launcher reads of the input of an execution."""

    crawl: CrawlId | None = None


def execution_name(crawl: CrawlId) -> str:
    """Return the name of a crawl's first execution: the crawl's id and 128 bits of a hash of tenant, site and id.

    A name is unique in its state machine for 90 days after the execution has ended. With a number or the minute of new
    results it has at most 80 characters, all of them letters, digits and "-":
    https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
    """
    return f"{crawl.crawl}-{blake2b(str(crawl).encode(), digest_size=16).hexdigest()}"


class StepFunctionsLauncher:
    """`application.admission.Executions`. The name of an execution makes a second start of the same one harmless.

    Later executions of a crawl have a number too: executions that continue another one count up by one, those of a
    resumed crawl begin at the next million. The state machine continues the name in its input.
    """

    def __init__(self, sfn: "SFNClient", state_machine_arn: str) -> None:
        self._sfn = sfn
        self._state_machine_arn = state_machine_arn

    def launch(self, crawl: CrawlId, *, resumes: int = 0) -> None:
        """Start the state machine of a crawl that was resumed `resumes` times, unless that was done before."""
        continued = resumes * PER_RESUME
        name = execution_name(crawl)
        given = {"crawl": crawl, "name": name, "continued": continued, "done": 0, "resumes": 0}
        self._start(crawl, f"{name}-{continued}" if resumes else name, given)

    def make_results(self, crawl: CrawlId, *, now: float) -> None:
        """Start an execution that makes the results of an ended crawl again; at most one a minute.

        Its first step chooses the function or the task that builds them.
        """
        name = f"{execution_name(crawl)}-results-{int(now // 60)}"
        again = {"crawl": crawl, "name": name, "continued": 1, "results": True, "done": 0, "resumes": 0}
        self._start(crawl, name, again)

    def make_files(self, crawl: CrawlId, files: Collection[ResultFile], *, now: float) -> None:
        """Start an execution that makes result files of an ended crawl, unless one of the same day is making these.

        Raise ConflictError if `_TRIES` executions of the day have ended and the files are still asked for.
        """
        names = sorted(files)
        which = blake2b(",".join(names).encode(), digest_size=3).hexdigest()
        given = {"crawl": crawl, "continued": 1, "results": True, "files": names, "done": 0, "resumes": 0}
        for number in range(_TRIES):
            name = f"{execution_name(crawl)}-{which}-{int(now // _DAY)}-{number}"
            if self._start(crawl, name, {**given, "name": name}) or self._is_running(name):
                return
        raise ConflictError(f"{', '.join(names)} cannot be created, after {_TRIES} attempts today. Try again tomorrow")

    def _start(self, crawl: CrawlId, name: str, given: Mapping[str, object]) -> bool:
        """Start an execution; return False if there is one of the crawl with this name."""
        with translated(f"starting the state machine for crawl {crawl}"):
            try:
                self._sfn.start_execution(
                    stateMachineArn=self._state_machine_arn, name=name, input=msgspec.json.encode(given).decode()
                )
            except ClientError as error:
                if code_of(error) != "ExecutionAlreadyExists":
                    raise
                self._check_owner(crawl, name)
                return False
        return True

    def _is_running(self, name: str) -> bool:
        with translated(f"reading execution {name}"):
            return self._sfn.describe_execution(executionArn=self._arn_of(name))["status"] == "RUNNING"

    def _arn_of(self, name: str) -> str:
        return f"{self._state_machine_arn.replace(':stateMachine:', ':execution:', 1)}:{name}"

    def _check_owner(self, crawl: CrawlId, name: str) -> None:
        """Raise ConflictError if the execution `name` is not one of the crawl."""
        try:
            found = self._sfn.describe_execution(executionArn=self._arn_of(name))
        except ClientError as error:
            if code_of(error) != "ExecutionDoesNotExist":
                raise
            message = f"execution {name} exists, but cannot be read yet. Try again"  # reads are eventually consistent
            raise StoreBusyError(message) from error
        try:
            owner = msgspec.json.decode(found.get("input", ""), type=_Given).crawl
        except msgspec.DecodeError:
            owner = None
        if owner != crawl:
            whose = f"crawl {owner}" if owner else "no crawl"
            message = (
                f"crawl {crawl} cannot start: execution {name} exists already, and is of {whose}. Start a new crawl"
            )
            raise ConflictError(message)
