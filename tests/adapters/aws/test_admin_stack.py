"""`wavecrawl admin --stack`: the tenants of a deployment."""

import json
from typing import Any
from uuid import uuid4

import boto3
import pytest
from tests.support.emulator import CREDENTIALS, running_emulator
from typer.testing import CliRunner

from wavecrawl.cli.main import app

TEMPLATE = {
    "Resources": {
        "Table": {
            "Type": "AWS::DynamoDB::Table",
            "Properties": {
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [
                    {"AttributeName": "pk", "AttributeType": "S"},
                    {"AttributeName": "sk", "AttributeType": "S"},
                ],
                "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"},
                ],
            },
        }
    },
    "Outputs": {"TableName": {"Value": {"Ref": "Table"}}, "Tenant": {"Value": "ours"}},
}


@pytest.fixture(name="stack")
def a_stack(monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", running_emulator().url)
    name = f"admin-{uuid4().hex}"
    cloud = boto3.client("cloudformation")
    cloud.create_stack(StackName=name, TemplateBody=json.dumps(TEMPLATE))
    cloud.get_waiter("stack_create_complete").wait(StackName=name, WaiterConfig={"Delay": 1})
    return name


def run(stack: str, *arguments: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(app, ["admin", *arguments, "--stack", stack, "--json"])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_tenants_and_keys_of_a_stack_are_kept_in_its_table(stack: str) -> None:
    run(stack, "tenants", "create", "acme", "--plan", "pro")
    (key,) = run(stack, "keys", "create", "acme")
    (listed,) = run(stack, "keys", "list", "acme")
    assert (listed["key"], listed["role"], listed["ended"]) == (key["key"], "tenant", False)
    assert [row["tenant"] for row in run(stack, "tenants", "list")] == ["acme"]


def test_a_stacks_own_tenant_needs_no_row(stack: str) -> None:
    (used,) = run(stack, "tenants", "usage", "ours")
    assert (used["plan"], used["crawls"]) == ("unlimited", 0)
