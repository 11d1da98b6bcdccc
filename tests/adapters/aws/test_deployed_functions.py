"""`wavecrawl doctor`: functions that cannot be tested, and stacks that are not ready."""

import io
import json
from typing import Any

import boto3
import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from wavecrawl.adapters.aws.deployed_functions import function_findings, stack_finding
from wavecrawl.adapters.aws.deployment import Deployment
from wavecrawl.application.finding import Finding

EVENT = {"wavecrawl": "self-test"}
FUNCTION = "arn-of-one"


class Session:
    """A session with one client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def client(self, _service: str, **_: object) -> Any:
        return self._client


@pytest.fixture(name="client")
def lambda_client() -> Any:
    return boto3.client("lambda", "us-east-1", aws_access_key_id="key", aws_secret_access_key="not-a-secret")


def stack(client: Any = None, status: str = "CREATE_COMPLETE") -> Deployment:
    return Deployment(stack="mine", status=status, outputs={"FunctionNames": FUNCTION}, session=Session(client))


def findings(client: Any) -> list[Finding]:
    return list(function_findings(stack(client), EVENT))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("TooManyRequestsException", "all concurrency of the account or of the function is in use"),
        ("AccessDeniedException", "your credentials lack the permission"),
        ("ResourceNotFoundException", "Check that the stack is deployed"),
    ],
)
def test_a_function_that_cannot_be_invoked_is_a_finding(client: Any, code: str, said: str) -> None:
    with Stubber(client) as stub:
        stub.add_client_error("invoke", code, "no")
        (found,) = findings(client)
    assert found.check == f"function {FUNCTION}"
    assert said in found.problem


@pytest.mark.parametrize(
    ("answer", "more", "said"),
    [
        (
            {"errorType": "Runtime.ImportModuleError", "errorMessage": "no lxml"},
            "Unhandled",
            "ImportModuleError: no lxml",
        ),
        ({"published": "crawl.completed"}, "", "it has no self-test. Deploy the version of this command"),
        ({"checks": {"table": "gone", "bus": ""}, "python": "3.13"}, "", "table: gone"),
    ],
    ids=["import error", "older version", "failed check"],
)
def test_what_a_function_reports_is_a_finding(client: Any, answer: object, more: str, said: str) -> None:
    with Stubber(client) as stub:
        body = json.dumps(answer).encode()
        response = {"Payload": StreamingBody(io.BytesIO(body), len(body))} | ({"FunctionError": more} if more else {})
        stub.add_response("invoke", response, {"FunctionName": FUNCTION, "Payload": json.dumps(EVENT).encode()})
        (found,) = findings(client)
    assert said in found.problem


@pytest.mark.parametrize(
    ("status", "good"),
    [
        ("CREATE_COMPLETE", True),
        ("UPDATE_COMPLETE", True),
        ("IMPORT_COMPLETE", True),
        ("UPDATE_IN_PROGRESS", False),
        ("ROLLBACK_COMPLETE", False),
        ("UPDATE_ROLLBACK_COMPLETE", False),
        ("DELETE_FAILED", False),
    ],
)
def test_only_a_stack_whose_last_operation_succeeded_is_good(status: str, good: bool) -> None:  # noqa: FBT001
    found = stack_finding(stack(status=status))
    assert (not found.problem) is good
    assert status in (found.detail if good else found.problem)
