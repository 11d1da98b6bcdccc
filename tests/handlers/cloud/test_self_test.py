"""The self-test of every function: what it checks, with the function's own permissions."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.called import Calls, missing, unused
from tests.support.functions import ROOT, Context, Deployment, event
from tests.support.rights import Rights, rights_of, role_of
from tests.support.serverless import RecordedSignals
from tests.support.synthesis import Assembly, synthesized

from wavecrawl.cloud.self_test import SELF_TEST

FUNCTIONS = sorted(path.parent.name for path in (ROOT / "functions").glob("*/handler.py"))

EXECUTIONS = "arn:AWS::Partition:states:AWS::Region:AWS::AccountId:execution:wavecrawl:*"
STATE_MACHINE: Rights = {
    "StateMachine": {"states:StartExecution", "states:SendTaskSuccess"},
    EXECUTIONS: {"states:DescribeExecution"},
}
SENT: Rights = {"Deliveries": {"sqs:SendMessage"}}
INDEXED: Rights = {"Index": {"sqs:SendMessage"}}
UNDELIVERED: Rights = {"UndeliveredEvents": {"sqs:SendMessage"}}
UNCHECKED = {
    "api": [STATE_MACHINE, SENT, INDEXED, {"SchedulesRole": {"iam:PassRole"}}],
    "deliver": [],
    "fail_crawl": [STATE_MACHINE, UNDELIVERED],
    "fetch_batch": [STATE_MACHINE],
    "finish_crawl": [STATE_MACHINE, INDEXED],
    "fold_wave": [],
    "notify": [],
    "open_crawl": [STATE_MACHINE],
    "read_sitemaps": [],
    "process_media": [STATE_MACHINE],
    "render_batch": [STATE_MACHINE],
    "index_site": [],
    "results": [INDEXED],
    "run_wave": [STATE_MACHINE, {name: {"sqs:SendMessage"} for name in ("Folds", "Render", "Media")}],
    "start_site": [STATE_MACHINE, UNDELIVERED],
    "webhook": [STATE_MACHINE],
}
"""Resources that a self-test does not call, as every call would start or send something."""


@pytest.fixture(scope="module")
def assembly() -> Assembly:
    return synthesized()


@pytest.fixture(name="calls")
def recorded_calls(stack: Deployment) -> Iterator[Calls]:
    with Calls(stack, RecordedSignals()).recorded() as calls:
        yield calls


def run(stack: Deployment, name: str, **environment: str) -> Any:
    return stack.load(name, **environment).handler(dict(SELF_TEST), Context(function_name=f"wavecrawl-{name}"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_self_test_calls_each_resource_of_the_function_within_its_rights(
    stack: Deployment, calls: Calls, assembly: Assembly, name: str
) -> None:
    short = name.replace("_", "-")
    allowed = rights_of(assembly, role_of(assembly, f"wavecrawl-{short}"))
    with calls.by(name):
        found = run(stack, name)
    assert set(found["checks"].values()) == {""}, found
    assert missing(calls.needed[short], allowed) == {}

    unchecked = {resource for rights in UNCHECKED[name] for resource in rights}
    telemetry = {"*", f"{name.title().replace('_', '')}Logs"}
    left = unused(calls.needed[short], allowed)
    untouched = {resource for resource, actions in left.items() if actions == allowed[resource]}
    # The API may only delete there, and read and write what a deleted crawl leaves to later ones.
    below = ("tenants/*", "tables/*", "tenants/*/records/*", "tenants/*/warc/*") if name == "api" else ()
    writes_below = {f"Bucket/{place}" for place in below}
    assert untouched <= unchecked | telemetry | writes_below


def test_a_variable_that_the_cold_start_does_not_need_is_named(stack: Deployment) -> None:
    found = run(stack, "open_crawl", WAVECRAWL_BUS="")
    assert found["checks"]["bus"] == "not set in the environment: WAVECRAWL_BUS"
    assert found["checks"]["table"] == ""


def test_a_store_that_is_gone_is_named(stack: Deployment) -> None:
    found = run(stack, "fetch_batch", WAVECRAWL_TABLE="gone")
    assert found["checks"]["table"].startswith("NotDeployedError: put_item on table gone: ")
    assert found["checks"]["objects"] == ""


def test_a_secret_without_keys_is_reported_at_once(stack: Deployment) -> None:
    stack.clients.secrets.put_secret_value(SecretId=stack.secret, SecretString='{"api_keys": []}')
    found = run(stack, "webhook")
    assert found["checks"]["secret"].endswith("Run `wavecrawl admin init`")


@pytest.mark.parametrize(
    "body", ['{"wavecrawl": "self-test"}', "wavecrawl=self-test"], ids=["as the body", "as a form"]
)
def test_the_public_api_cannot_request_a_self_test(stack: Deployment, body: str) -> None:
    """The event of a request has members that the caller does not choose."""
    for name in ("webhook", "api", "results"):
        sent = event("webhook" if name == "webhook" else "api") | {"body": body}
        sent["queryStringParameters"] = dict(SELF_TEST)
        answer = stack.load(name).handler(sent, Context())
        assert answer["statusCode"] in (400, 401, 404, 405)
        assert "checks" not in answer["body"]
