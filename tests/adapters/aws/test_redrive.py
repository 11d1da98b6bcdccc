import json
from typing import cast
from uuid import uuid4

import boto3
import pytest
from tests.support.campaign import slow
from tests.support.emulator import CREDENTIALS, emulated_clients, new_table, running_emulator
from tests.support.functions import event
from typer.testing import CliRunner

from wavecrawl.adapters.aws.batches import DynamoBatches
from wavecrawl.adapters.aws.queue import job_from
from wavecrawl.adapters.aws.redrive import redrive
from wavecrawl.adapters.aws.table import Table
from wavecrawl.cli.main import app
from wavecrawl.ports.batches import Batches

NO_BATCHES = cast("Batches", None)  # for messages without a batch


@pytest.fixture(name="_account", autouse=True)
def an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", running_emulator().url)


def queues() -> tuple[str, str]:
    sqs = boto3.client("sqs")
    return sqs.create_queue(QueueName=f"dead-{uuid4().hex}")["QueueUrl"], sqs.create_queue(
        QueueName=f"fetch-{uuid4().hex}"
    )["QueueUrl"]


def waiting(queue: str) -> list[str]:
    sqs = boto3.client("sqs")
    bodies: list[str] = []
    while messages := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages"):
        bodies += [message["Body"] for message in messages]
    return sorted(bodies)


def test_every_message_comes_back_once() -> None:
    dead, fetch = queues()
    sqs = boto3.client("sqs")
    for number in range(23):
        sqs.send_message(QueueUrl=dead, MessageBody=f"{number:02d}")
    assert redrive(sqs, NO_BATCHES, dead=dead, queue=fetch, most=100) == 23
    assert waiting(fetch) == [f"{number:02d}" for number in range(23)]
    assert waiting(dead) == []


def test_no_more_than_asked_for_are_moved() -> None:
    dead, fetch = queues()
    sqs = boto3.client("sqs")
    for number in range(12):
        sqs.send_message(QueueUrl=dead, MessageBody=str(number))
    assert redrive(sqs, NO_BATCHES, dead=dead, queue=fetch, most=11) == 11
    assert (len(waiting(dead)), len(waiting(fetch))) == (1, 11)


def test_a_batch_that_comes_back_has_all_its_attempts_again() -> None:
    dead, fetch = queues()
    sqs = boto3.client("sqs")
    clients = emulated_clients()
    batches = DynamoBatches(Table(clients.dynamodb, new_table(clients)))
    body = event("fetch_batch")["Records"][0]["body"]
    id_ = job_from(body).id
    attempts = [batches.lease(id_, owner="w", now=100.0 * n, seconds=60.0) for n in range(5)]
    assert [lease and lease.deliveries for lease in attempts] == [1, 2, 3, 4, 5]
    sqs.send_message(QueueUrl=dead, MessageBody=body)

    assert redrive(sqs, batches, dead=dead, queue=fetch, most=1) == 1
    assert waiting(fetch) == [body]
    again = batches.lease(id_, owner="w", now=900.0, seconds=60.0)
    assert again is not None
    assert (again.attempt, again.deliveries) == (6, 1)


@slow
def test_the_command_finds_the_queues_by_the_stack() -> None:
    template = {
        "Resources": {name: {"Type": "AWS::SQS::Queue"} for name in ("Dead", "Fetch", "RenderDead", "Render")},
        "Outputs": {
            "FetchDlqUrl": {"Value": {"Ref": "Dead"}},
            "FetchQueueUrl": {"Value": {"Ref": "Fetch"}},
            "RenderDlqUrl": {"Value": {"Ref": "RenderDead"}},
            "RenderQueueUrl": {"Value": {"Ref": "Render"}},
            "TableName": {"Value": "no table is needed for a message without a batch"},
        },
    }
    cloud = boto3.client("cloudformation")
    cloud.create_stack(StackName="mine", TemplateBody=json.dumps(template))
    cloud.get_waiter("stack_create_complete").wait(StackName="mine", WaiterConfig={"Delay": 1})
    described = cloud.describe_stacks(StackName="mine")["Stacks"][0]
    outputs = {one["OutputKey"]: one["OutputValue"] for one in described["Outputs"]}
    boto3.client("sqs").send_message(QueueUrl=outputs["FetchDlqUrl"], MessageBody="a batch")
    boto3.client("sqs").send_message(QueueUrl=outputs["RenderDlqUrl"], MessageBody="a batch to render")

    done = CliRunner().invoke(app, ["redrive", "--stack", "mine"])
    assert (done.exit_code, done.stdout) == (0, "2 messages moved back\n")
    assert waiting(outputs["FetchQueueUrl"]) == ["a batch"]
    assert waiting(outputs["RenderQueueUrl"]) == ["a batch to render"]
    assert CliRunner().invoke(app, ["redrive", "--stack", "mine"]).stdout == "the dead-letter queues are empty\n"


def test_a_stack_that_does_not_exist_is_named() -> None:
    done = CliRunner().invoke(app, ["redrive", "--stack", "nothing"])
    assert done.exit_code == 4
    assert "Stack with id nothing does not exist" in done.stderr
