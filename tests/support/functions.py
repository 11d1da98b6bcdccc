"""The functions as Lambda runs them: the real handlers, loaded by path, each with its own environment."""

import importlib.util
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

from tests.support.emulator import CREDENTIALS, new_bucket, new_database, new_queue, new_table

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.bootstrap.cloud_settings import environment

ROOT = Path(__file__).parents[2]
API_KEY = "test-key"
WEBHOOK_SECRET = "whsec_dGVzdC1zZWNyZXQtb2YtdGhlLXRlc3Rz"
OLD_SECRET = "whsec_dGVzdC1zZWNyZXQtb2YteWVzdGVyZGF5"
QSTASH_KEYS = ("sig_test_current_key_0000000000000", "sig_test_next_key_00000000000000000")
QSTASH_URL = "https://crawler.example/webhooks/qstash"
BUS = "default"

_WAITS = {"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 600, "End": True}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Lambda's context object."""

    remaining: int = 60_000  # milliseconds left
    aws_request_id: str = field(default_factory=lambda: str(uuid4()))
    function_name: str = "function"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:000000000000:function:function"

    def get_remaining_time_in_millis(self) -> int:
        """Return the remaining time of the invocation in milliseconds."""
        return self.remaining


def event(name: str) -> dict[str, Any]:
    """Return a sample event."""
    sample: dict[str, Any] = json.loads((ROOT / "events" / f"{name}.json").read_text(encoding="utf-8"))
    return sample


@dataclass(slots=True, kw_only=True)
class Deployment:
    """The resources that the functions use, and their environment."""

    clients: AwsClients
    table: str
    bucket: str
    database: str  # of Glue's Data Catalog
    queue: str
    renders: str
    media: str
    folds: str
    index: str
    deliveries: str
    state_machine: str
    secret: str
    environment: dict[str, str]
    loaded: list[ModuleType] = field(default_factory=list)

    def load(self, name: str, **environment: str) -> ModuleType:
        """Load a function's handler in a fresh module, as a cold start does."""
        path = ROOT / "functions" / name / "handler.py"
        spec = importlib.util.spec_from_file_location(f"functions_{name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        with environment_of(self.environment | environment):
            spec.loader.exec_module(module)
        self.loaded.append(module)
        return module

    def executions(self) -> list[str]:
        """Return the names of the started executions, without the hash: the crawl's id, and what follows it."""
        answer = self.clients.stepfunctions.list_executions(stateMachineArn=self.state_machine)
        return [re.sub("-[0-9a-f]{32}", "", execution["name"]) for execution in answer["executions"]]

    def messages(self, queue: str = "", *, delete: bool = True) -> list[dict[str, Any]]:
        """Receive the messages of a queue (default: the batch queue) as Lambda's records."""
        queue = queue or self.queue
        taken: list[dict[str, Any]] = []
        while True:
            answer = self.clients.sqs.receive_message(
                QueueUrl=queue,
                MaxNumberOfMessages=10,
                MessageSystemAttributeNames=["All"],
                WaitTimeSeconds=0,
            )
            found = answer.get("Messages", [])
            if not found:
                return taken
            for message in found:
                if delete:
                    self.clients.sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
                taken.append(_record(message))

    def close(self) -> None:
        """Close the functions' connections, and end the child processes of process_media, which Lambda would keep."""
        for module in self.loaded:
            kept: Any = getattr(getattr(module, "messages", None), "_kept", None)
            if kept is not None:
                for crawl in list(kept._values):
                    kept.forget(crawl)
            if "clients" in vars(module.cloud):
                module.cloud.clients.close()


@contextmanager
def deployment(clients: AwsClients, endpoint: str = "") -> Iterator[Deployment]:
    """Create the stack's resources, without the functions."""
    secret = clients.secrets.create_secret(Name=f"wavecrawl-{uuid4().hex}", SecretString=json.dumps(secret_content()))
    machine = clients.stepfunctions.create_state_machine(
        name=f"wavecrawl-{uuid4().hex}",
        definition=json.dumps(_WAITS),
        roleArn="arn:aws:iam::000000000000:role/wavecrawl-test",
    )
    table, bucket, queue = new_table(clients), new_bucket(clients), new_queue(clients)
    renders, media, folds, deliveries = (new_queue(clients) for _ in range(4))
    index = new_queue(clients, fifo=True)
    group = f"wavecrawl-{uuid4().hex}"
    clients.scheduler.create_schedule_group(Name=group)
    database = new_database(clients, bucket)
    made = Deployment(
        clients=clients,
        table=table,
        bucket=bucket,
        database=database,
        queue=queue,
        renders=renders,
        media=media,
        folds=folds,
        index=index,
        deliveries=deliveries,
        state_machine=machine["stateMachineArn"],
        secret=secret["ARN"],
        environment={
            **environment(
                table=table,
                bucket=bucket,
                fetch_queue_url=queue,
                render_queue_url=renders,
                media_queue_url=media,
                folds_queue_url=folds,
                index_queue_url=index,
                deliveries_queue_url=deliveries,
                state_machine_arn=machine["stateMachineArn"],
                bus=BUS,
                secret_id=secret["ARN"],
                sql_database=database,
                contact="https://crawler.example/about",
                allowed_addresses="127.0.0.0/8",
                qstash_url=QSTASH_URL,
                schedule_group=group,
                schedule_role_arn="arn:aws:iam::000000000000:role/schedules",
                schedule_target_arn="arn:aws:lambda:us-east-1:000000000000:function:wavecrawl-start-site",
                schedule_dead_letters_arn="arn:aws:sqs:us-east-1:000000000000:undelivered",
            ),
            **CREDENTIALS,
            **({"AWS_ENDPOINT_URL": endpoint} if endpoint else {}),
        },
    )
    with environment_of(made.environment):
        try:
            yield made
        finally:
            made.close()


def secret_content() -> dict[str, list[str]]:
    """Return the content of the deployment's secret: two of each, as during key rotation."""
    return {
        "api_keys": [API_KEY, "test-key-of-yesterday"],
        "webhook_secrets": [WEBHOOK_SECRET, OLD_SECRET],
        "qstash_keys": list(QSTASH_KEYS),
    }


@contextmanager
def environment_of(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables for the block."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _record(message: Any) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": {},
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:wavecrawl-fetch",
        "awsRegion": "us-east-1",
    }
