"""Signals over every adapter: Step Functions in the emulator, and the process pool with its workers."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from botocore.stub import Stubber
from tests.support.emulator import emulated_clients, new_queue
from tests.support.patience import eventually

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.signals import StepFunctionsSignals, step_output
from wavecrawl.adapters.embedded.pool import WorkerPool
from wavecrawl.adapters.embedded.worker import Reporter
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.errors import PermanentError
from wavecrawl.ports.signals import ANOTHER_WAVE, Following, NextStep, Signals

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions.type_defs import DescribeExecutionOutputTypeDef

ROLE = "arn:aws:iam::000000000000:role/test"
FINISH = Following(next=NextStep.FINISH)
PAUSE = Following(next=NextStep.PAUSE, until=1795255200.0)
EVERY_STEP = [PAUSE, *(Following(next=step) for step in NextStep if step is not NextStep.PAUSE)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A waiting task."""

    signals: Signals
    token: str
    output: Callable[[], Following]  # returns when the task is completed
    end: Callable[[], object] = lambda: None  # waits until the execution has its first output


@pytest.fixture(name="clients")
def the_clients() -> AwsClients:
    return emulated_clients()


@pytest.fixture(name="execution")
def an_execution(clients: AwsClients) -> tuple[str, str]:
    """Return an execution whose task waits, and the task's token."""
    url = new_queue(clients)
    state: dict[str, Any] = {
        "Type": "Task",
        "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        "Parameters": {"QueueUrl": url, "MessageBody.$": "$$.Task.Token"},
        "End": True,
    }
    machine = clients.stepfunctions.create_state_machine(
        name=f"m{uuid4().hex}", roleArn=ROLE, definition=json.dumps({"StartAt": "Wave", "States": {"Wave": state}})
    )
    execution = clients.stepfunctions.start_execution(stateMachineArn=machine["stateMachineArn"])["executionArn"]
    (message,) = clients.sqs.receive_message(QueueUrl=url, WaitTimeSeconds=10)["Messages"]
    return execution, message["Body"]


def ended(clients: AwsClients, execution: str) -> "DescribeExecutionOutputTypeDef":
    def found() -> "DescribeExecutionOutputTypeDef":
        return clients.stepfunctions.describe_execution(executionArn=execution)

    assert eventually(lambda: found()["status"] != "RUNNING", poll=0.02), "the execution did not end"
    return found()


@pytest.fixture(name="pool")
def a_pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(
        1,
        completing_worker,
        (),
        name="w",
        lease_of=lambda _: 60.0,
        max_attempts=5,
        on_tally=lambda _: None,
        on_death=lambda _: None,
    )
    yield pool
    pool.close()


def completing_worker(reporter: Reporter, _owner: str) -> Callable[[BatchJob], object]:
    """Return a worker that completes a job's token twice, with different outputs, and then another token."""

    def work(_: BatchJob) -> None:
        reporter.succeed("twice", PAUSE)
        reporter.succeed("twice", FINISH)
        reporter.succeed("then")

    return work


@pytest.fixture(name="waiting", params=["aws-ministack", "embedded"])
def a_waiting_task(request: pytest.FixtureRequest) -> Waiting:
    if request.param == "embedded":
        pool = request.getfixturevalue("pool")
        return Waiting(signals=pool, token="t", output=lambda: pool.wait_for("t", poll=lambda: None))
    clients = request.getfixturevalue("clients")
    execution, token = request.getfixturevalue("execution")

    def output() -> Following:
        found = ended(clients, execution)
        assert found["status"] == "SUCCEEDED"
        output_ = json.loads(found["output"])
        (following,) = [step for step in EVERY_STEP if step_output(step) == output_]
        return following

    signals = StepFunctionsSignals(clients.stepfunctions)
    return Waiting(signals=signals, token=token, output=output, end=lambda: ended(clients, execution))


def test_a_wave_that_is_done_is_followed_by_another(waiting: Waiting) -> None:
    waiting.signals.succeed(waiting.token)
    assert waiting.output() == ANOTHER_WAVE


@pytest.mark.parametrize("following", EVERY_STEP, ids=lambda following: following.next.value)
def test_the_task_succeeds_with_what_follows(waiting: Waiting, following: Following) -> None:
    waiting.signals.succeed(waiting.token, following)
    assert waiting.output() == following


def test_a_used_token_is_no_error_and_changes_nothing(waiting: Waiting) -> None:
    waiting.signals.succeed(waiting.token, FINISH)
    waiting.end()  # until then, the emulator accepts another output
    waiting.signals.succeed(waiting.token)
    assert waiting.output() == FINISH


@pytest.mark.parametrize("token", ["unknown", "x" * 500])
def test_an_unknown_token_is_no_error_and_completes_nothing_else(waiting: Waiting, token: str) -> None:
    waiting.signals.succeed(token, FINISH)
    waiting.signals.succeed(waiting.token)
    assert waiting.output() == ANOTHER_WAVE


def test_the_emulator_itself_refuses_unknown_tokens(clients: AwsClients) -> None:
    with pytest.raises(clients.stepfunctions.exceptions.ClientError):
        clients.stepfunctions.send_task_success(taskToken="unknown", output="{}")


def test_a_token_of_an_execution_that_was_stopped_is_no_error(clients: AwsClients, execution: tuple[str, str]) -> None:
    arn, token = execution
    clients.stepfunctions.stop_execution(executionArn=arn)
    StepFunctionsSignals(clients.stepfunctions).succeed(token)
    assert ended(clients, arn)["status"] == "ABORTED"


@pytest.mark.parametrize("code", ["TaskTimedOut", "TaskDoesNotExist", "InvalidToken"])
def test_a_refused_token_is_a_warning_with_the_reason_and_without_the_token(
    clients: AwsClients, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    with refusing(clients, code):
        StepFunctionsSignals(clients.stepfunctions).succeed("secret-token", FINISH)
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage() == f"task token refused ({code}), output 'finish' not used"


def test_another_error_of_step_functions_is_raised(clients: AwsClients, caplog: pytest.LogCaptureFixture) -> None:
    with refusing(clients, "AccessDenied"), pytest.raises(PermanentError, match="AccessDenied"):
        StepFunctionsSignals(clients.stepfunctions).succeed("secret-token")
    assert caplog.records == []


def refusing(clients: AwsClients, code: str) -> Stubber:
    """Return a stub of the client of Step Functions, whose next request fails with an error code."""
    stub = Stubber(clients.stepfunctions)
    stub.add_client_error("send_task_success", service_error_code=code)
    return stub


def test_a_pause_ends_at_the_next_whole_second() -> None:
    following = Following(next=NextStep.PAUSE, until=1795255200.2)
    assert step_output(following) == {"next": "pause", "until": "2026-11-21T10:00:01Z"}


@pytest.mark.parametrize(("token", "output"), [("twice", PAUSE), ("then", ANOTHER_WAVE)])
def test_signals_of_workers_reach_the_pool(pool: WorkerPool, crawl: CrawlId, token: str, output: Following) -> None:
    id_ = BatchId(crawl=crawl, wave=1, batch=0)
    pace = Pace(interval=0.0, in_flight=1)
    pool.send([BatchJob(id=id_, kind=BatchKind.FETCH, host="example.com", items=(), starts_at=0.0, pace=pace)])
    assert pool.wait_for(token, poll=lambda: None) == output
