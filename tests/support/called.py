"""The AWS calls of each function, recorded while the real handlers run, as the IAM actions they need."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from types import SimpleNamespace
from typing import Any

import botocore.session
from tests.support.functions import Deployment
from tests.support.rights import Rights
from tests.support.serverless import RecordedSignals

from wavecrawl.ports.signals import Following, NextStep

_WRITES = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
_ON_ITS_OWN = {
    "stepfunctions": ("states", "StateMachine"),
    "secretsmanager": ("secretsmanager", "Keys"),
    "events": ("events", "Bus"),
    "scheduler": ("scheduler", "schedule/wavecrawl/*"),
}
"""Action prefix and construct name of services of which the functions use one resource."""


class Calls:
    """The actions that each function needed, by the function's name in the template."""

    def __init__(self, stack: Deployment, signals: RecordedSignals) -> None:
        self.needed: dict[str, Rights] = defaultdict(lambda: defaultdict(set))
        self._stack = stack
        self._signals = signals
        self._function = ""

    @contextmanager
    def recorded(self) -> Iterator["Calls"]:
        """Record the calls of all clients that are created from now on."""
        session = botocore.session.get_session()
        hooks: dict[str, Any] = {
            "before-parameter-build": self._record,
            "before-call.sfn.SendTaskSuccess": self._tell,
        }
        for event, hook in hooks.items():
            session.register(event, hook)
        try:
            yield self
        finally:
            for event, hook in hooks.items():
                session.unregister(event, hook)

    @contextmanager
    def by(self, function: str) -> Iterator[None]:
        """Attribute calls to a function."""
        self._function = function.replace("_", "-")
        try:
            yield
        finally:
            self._function = ""

    def _record(self, params: Mapping[str, Any], model: Any, **_: object) -> None:
        if self._function:
            for resource, action in self._rights(model.service_model.service_name, model.name, params):
                self.needed[self._function][resource].add(action)

    def _rights(self, service: str, operation: str, params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        if service == "dynamodb":
            for action, table in _table_actions(operation, params):
                yield "Table" if table == self._stack.table else table, f"dynamodb:{action}"
        elif service == "s3":
            assert params["Bucket"] == self._stack.bucket
            yield from _bucket_rights(operation, params)
        elif service == "sqs":
            queues = {
                self._stack.deliveries: "Deliveries",
                self._stack.folds: "Folds",
                self._stack.renders: "Render",
                self._stack.media: "Media",
                self._stack.index: "Index",
            }
            queue = queues.get(params["QueueUrl"], "Fetch")
            yield queue, f"sqs:{operation.removesuffix('Batch')}"
        elif service == "glue":
            assert params["DatabaseName"] == self._stack.database
            for resource in ("catalog", "database/wavecrawl", f"table/wavecrawl/{params['TableName']}"):
                yield resource, f"glue:{operation}"
        elif service == "secretsmanager" and "/sites/" in params.get("SecretId", params.get("Name", "")):
            yield "secret:wavecrawl/sites/*", f"secretsmanager:{operation}"
        elif service == "secretsmanager" and params.get("SecretId", params.get("Name", "")).endswith("/webhook-key"):
            yield "secret:wavecrawl/webhook-key-??????", f"secretsmanager:{operation}"
        else:
            prefix, resource = _ON_ITS_OWN[service]
            yield resource, f"{prefix}:{operation.removesuffix('Batch')}"
            if "RoleArn" in params.get("Target", {}):
                yield "SchedulesRole", "iam:PassRole"

    def _tell(self, params: Mapping[str, Any], **_: object) -> tuple[object, dict[str, object]]:
        """Respond in place of the state machine, which the in-process emulator lacks."""
        sent = json.loads(params["body"])
        output = json.loads(sent["output"])
        self._signals.succeed(sent["taskToken"], Following(next=NextStep(output["next"])))
        return SimpleNamespace(status_code=200), {}


def _table_actions(operation: str, params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield action and table. A transaction needs the actions of its parts.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
    """
    if operation == "TransactWriteItems":
        yield from (
            (_WRITES[kind], part["TableName"]) for item in params["TransactItems"] for kind, part in item.items()
        )
    elif "RequestItems" in params:
        yield from ((operation, table) for table in params["RequestItems"])
    else:
        yield operation, params["TableName"]


def _bucket_rights(operation: str, params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield resource and action. Without the right to list, S3 reports a missing object as forbidden.

    https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
    https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
    https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
    """
    operation = "GetObject" if operation == "HeadObject" else operation  # HEAD has no action of its own
    if operation == "CopyObject":
        yield f"Bucket/{params['CopySource'].partition('/')[2]}", "s3:GetObject"
        operation = "PutObject"
    if operation in ("ListObjectsV2", "GetObject"):
        yield "Bucket", "s3:ListBucket"
    if operation == "DeleteObjects":  # needs permission to delete each object
        yield from ((f"Bucket/{one['Key']}", "s3:DeleteObject") for one in params["Delete"]["Objects"])
    elif operation != "ListObjectsV2":
        yield f"Bucket/{params['Key']}", f"s3:{operation}"
    if operation == "PutObject":  # if the object is large, it is uploaded in parts, which a failure deletes
        yield f"Bucket/{params['Key']}", "s3:AbortMultipartUpload"
    if "Tagging" in params and operation == "PutObject":
        yield f"Bucket/{params['Key']}", f"s3:{operation}Tagging"


def missing(needed: Rights, allowed: Rights) -> Rights:
    """Return the actions that were needed but are not allowed."""
    found = {
        resource: actions
        - {action for pattern in allowed if fnmatchcase(resource, pattern) for action in allowed[pattern]}
        for resource, actions in needed.items()
    }
    return {resource: actions for resource, actions in found.items() if actions}


def unused(needed: Rights, allowed: Rights) -> Rights:
    """Return the actions that are allowed but were not needed."""
    found = {
        pattern: actions
        - {action for resource in needed if fnmatchcase(resource, pattern) for action in needed[resource]}
        for pattern, actions in allowed.items()
    }
    return {pattern: actions for pattern, actions in found.items() if actions}
