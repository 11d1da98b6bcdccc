"""Signals and launcher, on state machines of the emulator."""

import json
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from tests.support.emulator import emulated_clients, new_queue

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.signals import NO_WAVE, StepFunctionsSignals

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions.type_defs import DescribeExecutionOutputTypeDef

ROLE = "arn:aws:iam::000000000000:role/test"


@pytest.fixture(name="clients")
def the_clients() -> AwsClients:
    return emulated_clients()


@pytest.fixture(name="waiting")
def a_waiting_task(clients: AwsClients) -> tuple[str, str]:
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
    until = time.monotonic() + 10.0
    while time.monotonic() < until:
        found = clients.stepfunctions.describe_execution(executionArn=execution)
        if found["status"] != "RUNNING":
            return found
        time.sleep(0.02)
    pytest.fail("the execution did not end")


def test_the_waiting_task_goes_on_with_the_next_wave(clients: AwsClients, waiting: tuple[str, str]) -> None:
    execution, token = waiting
    StepFunctionsSignals(clients.stepfunctions).succeed(token)
    found = ended(clients, execution)
    assert (found["status"], json.loads(found["output"])) == ("SUCCEEDED", {"next": "wave"})


def test_the_planner_leads_elsewhere_by_an_error(clients: AwsClients, waiting: tuple[str, str]) -> None:
    execution, token = waiting
    following = {"next": "pause", "until": "2026-11-21T10:00:00Z"}
    StepFunctionsSignals(clients.stepfunctions).lead_elsewhere(token, following)
    found = ended(clients, execution)
    assert (found["status"], found["error"], json.loads(found["cause"])) == ("FAILED", NO_WAVE, following)


def test_a_used_token_is_no_error_and_changes_nothing(clients: AwsClients, waiting: tuple[str, str]) -> None:
    execution, token = waiting
    signals = StepFunctionsSignals(clients.stepfunctions)
    signals.succeed(token)
    signals.lead_elsewhere(token, {"next": "finish"})
    assert json.loads(ended(clients, execution)["output"]) == {"next": "wave"}


def test_a_token_of_an_execution_that_was_stopped_is_no_error(clients: AwsClients, waiting: tuple[str, str]) -> None:
    execution, token = waiting
    clients.stepfunctions.stop_execution(executionArn=execution)
    StepFunctionsSignals(clients.stepfunctions).succeed(token)
    assert ended(clients, execution)["status"] == "ABORTED"


@pytest.mark.parametrize("token", ["nobody-waits-with-this", "x" * 500])
def test_a_token_that_never_was_is_no_error(clients: AwsClients, token: str) -> None:
    StepFunctionsSignals(clients.stepfunctions).succeed(token)
    with pytest.raises(clients.stepfunctions.exceptions.ClientError):  # the service itself does complain
        clients.stepfunctions.send_task_success(taskToken=token, output="{}")
