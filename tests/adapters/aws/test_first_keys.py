"""`wavecrawl admin init`: the first keys of a deployment."""

import json
import re
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws
from tests.support.emulator import CREDENTIALS
from typer.testing import CliRunner, Result

from wavecrawl.adapters.aws.deployment import Deployment
from wavecrawl.adapters.aws.first_keys import FirstKeys, create_first_keys
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.errors import CorruptDataError

NEW = {"api_keys": [], "webhook_secrets": [], "qstash_keys": [], "generated": "not a key"}
STACK = {
    "StackName": "mine",
    "StackStatus": "CREATE_COMPLETE",
    "CreationTime": "2026-11-22T00:00:00Z",
}


@pytest.fixture(name="secrets")
def secrets_manager(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        yield boto3.client("secretsmanager")


def stored(secrets: Any, arn: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(secrets.get_secret_value(SecretId=arn)["SecretString"])
    return content


def secret(secrets: Any, content: object) -> str:
    return str(secrets.create_secret(Name="keys", SecretString=json.dumps(content))["ARN"])


def test_a_new_deployment_gets_one_of_each(secrets: Any) -> None:
    arn = secret(secrets, NEW)
    created = create_first_keys(secrets, arn)
    assert re.fullmatch(r"[0-9a-f]{64}", created.api_key)
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", created.webhook_secret)
    assert stored(secrets, arn) == NEW | {
        "api_keys": [created.api_key],
        "webhook_secrets": [created.webhook_secret],
    }


def test_existing_keys_are_kept(secrets: Any) -> None:
    content = {"api_keys": ["ours", "old"], "webhook_secrets": ["whsec_b3Vycw=="], "qstash_keys": ["sig_1"]}
    arn = secret(secrets, content)
    assert create_first_keys(secrets, arn) == FirstKeys(api_key="", webhook_secret="")
    assert stored(secrets, arn) == content
    assert len(secrets.list_secret_version_ids(SecretId=arn)["Versions"]) == 1


def test_only_what_is_missing_is_added(secrets: Any) -> None:
    arn = secret(secrets, {"webhook_secrets": ["whsec_b3Vycw=="], "qstash_keys": ["sig_1"]})
    created = create_first_keys(secrets, arn)
    assert created.api_key
    assert not created.webhook_secret
    assert stored(secrets, arn) == {
        "api_keys": [created.api_key],
        "webhook_secrets": ["whsec_b3Vycw=="],
        "qstash_keys": ["sig_1"],
    }


@pytest.mark.parametrize("content", ["[]", "none", '{"api_keys": 3}', "{"])
def test_a_secret_that_is_malformed_is_not_changed(secrets: Any, content: str) -> None:
    arn = secrets.create_secret(Name="keys", SecretString=content)["ARN"]
    with pytest.raises(CorruptDataError, match="must be a JSON object with the lists api_keys, webhook_secrets"):
        create_first_keys(secrets, arn)
    assert secrets.get_secret_value(SecretId=arn)["SecretString"] == content


def test_new_keys_are_not_in_the_representation(secrets: Any) -> None:
    created = create_first_keys(secrets, secret(secrets, NEW))
    assert repr(created) == "FirstKeys(api_key=True, webhook_secret=True)"


def test_the_command_prints_new_values_once(secrets: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    arn = secret(secrets, NEW)
    outputs = {"SecretArn": arn, "ApiUrl": "https://api.example"}
    found = Deployment(stack="mine", status="CREATE_COMPLETE", outputs=outputs, session=boto3.Session())
    monkeypatch.setattr("wavecrawl.adapters.aws.deployment.deployment", {"mine": found}.__getitem__)

    first = _init("--stack", "mine")
    keys = stored(secrets, arn)
    assert first.stdout.splitlines() == [
        "export API=https://api.example",
        f"export API_KEY={keys['api_keys'][0]}",
        f"export WEBHOOK_SECRET={keys['webhook_secrets'][0]}",
    ]
    assert "store it now" in first.stderr

    again = _init("--stack", "mine", "--json")
    assert json.loads(again.stdout) == {"api": "https://api.example", "api_key": None, "webhook_secret": None}
    assert "kept: the deployment has an API key already" in again.stderr
    assert stored(secrets, arn) == keys


ERRORS = [
    ("ValidationError", "Stack with id mine does not exist", Exit.NOT_FOUND, "Stack with id mine does not exist"),
    ("AccessDenied", "User: arn is not authorized", Exit.FAILED, "your credentials lack the permission"),
    ("ExpiredToken", "The token is expired", Exit.BAD_INPUT, "AWS rejected the credentials (ExpiredToken)"),
]


@pytest.mark.parametrize(("code", "message", "exit_code", "said"), ERRORS, ids=[error[0] for error in ERRORS])
def test_errors_of_aws_say_what_to_do(
    code: str, message: str, exit_code: Exit, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = boto3.Session("key", "not-a-secret", region_name="us-east-1")
    client = session.client("cloudformation")
    monkeypatch.setattr(session, "client", lambda _: client)
    monkeypatch.setattr("wavecrawl.adapters.aws.deployment.aws_session", lambda: session)
    with Stubber(client) as stub:
        stub.add_client_error("describe_stacks", code, message)
        done = _init("--stack", "mine")
    assert (done.exit_code, done.stdout) == (exit_code, "")
    assert "reading stack mine in region us-east-1" in done.stderr or "Sign in again" in done.stderr
    assert said in done.stderr


def test_a_stack_without_outputs_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    session = boto3.Session("key", "not-a-secret", region_name="us-east-1")
    client = session.client("cloudformation")
    monkeypatch.setattr(session, "client", lambda _: client)
    monkeypatch.setattr("wavecrawl.adapters.aws.deployment.aws_session", lambda: session)
    with Stubber(client) as stub:
        stub.add_response("describe_stacks", {"Stacks": [STACK | {"StackStatus": "ROLLBACK_COMPLETE"}]})
        done = _init("--stack", "mine")
    assert done.exit_code == Exit.NOT_FOUND
    assert "stack mine (ROLLBACK_COMPLETE) has no output SecretArn" in done.stderr


ENVIRONMENTS = [
    ({"AWS_DEFAULT_REGION": "us-east-1"}, "Unable to locate credentials"),
    ({"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "not-a-secret"}, "You must specify a region"),
    ({"AWS_PROFILE": "nowhere"}, "The config profile (nowhere) could not be found"),
]


@pytest.mark.parametrize(("variables", "said"), ENVIRONMENTS, ids=["no credentials", "no region", "no profile"])
def test_an_environment_without_account_is_reported(
    variables: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*CREDENTIALS, "AWS_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    missing = {"AWS_CONFIG_FILE": "/none", "AWS_SHARED_CREDENTIALS_FILE": "/none", "AWS_EC2_METADATA_DISABLED": "true"}
    for name, value in (missing | variables).items():
        monkeypatch.setenv(name, value)
    done = _init()
    assert done.exit_code == Exit.BAD_INPUT
    assert said in done.stderr
    assert "Set AWS_PROFILE and AWS_REGION, or run `aws configure`" in done.stderr


def _init(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["admin", "init", *arguments])
