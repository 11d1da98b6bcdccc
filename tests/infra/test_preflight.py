"""The checks before a deployment and the lines after it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3
import infra.preflight
import pytest
from botocore.stub import Stubber
from infra.afterwards import afterwards, deployed, kept
from infra.command_line import Options, options
from infra.config import TASK_IMAGE, AlarmSet, Config, ConfigError
from infra.preflight import LOWEST_BOOTSTRAP, Finding, Verdict, ask_for_address, findings, pin_image, preflight
from layers.byte_code import Compiler
from tests.support.campaign import slow
from tests.support.deploy import Deployment, deploy_to_emulator
from tests.support.emulator import CREDENTIALS, started_emulator
from tests.support.synthesis import ROOT, Assembly

from wavecrawl.errors import StoreBusyError, WavecrawlError

CONTACT = "https://example.com/crawler"
CALLER = {"Account": "123456789012", "Arn": "arn:aws:iam::123456789012:user/operator", "UserId": "U"}
CHECKS = ["contact", "alarms", "task_image", "credentials", "region", "bootstrap", "concurrency", "byte_code"]
PINNED = f"public.ecr.aws/lambda/python@sha256:{64 * '0'}"
BOOTSTRAPPED = {"Parameters": [{"Value": "30"}]}
NO_STACK = ("ValidationError", "Stack with id wavecrawl does not exist")

Answer = Mapping[str, Any] | tuple[str, str]
"""A response, or the code and message of an error."""


class Account:
    """A boto3 session whose clients are stubbed."""

    region_name = "us-east-1"

    def __init__(self, *, total: int = 1_000, unreserved: int = 1_000, **answers: Answer) -> None:
        limits = {"ConcurrentExecutions": total, "UnreservedConcurrentExecutions": unreserved}
        self._answers: dict[str, Answer] = {
            "get_caller_identity": CALLER,
            "get_parameters": BOOTSTRAPPED,
            "get_account_settings": {"AccountLimit": limits},
            "describe_stacks": NO_STACK,
            **answers,
        }

    def client(self, service: str, **_: object) -> Any:
        operations = {
            "sts": "get_caller_identity",
            "ssm": "get_parameters",
            "cloudformation": "describe_stacks",
            "lambda": "get_account_settings",
        }
        return self._stubbed(service, operations[service])

    def _stubbed(self, service: str, *operations: str) -> Any:
        client = boto3.client(
            service,  # type: ignore[call-overload]  # one of many services
            region_name=self.region_name,
            aws_access_key_id="key",
            aws_secret_access_key="not-a-secret",
        )
        stub = Stubber(client)
        for operation in operations:
            answer = self._answers[operation]
            if isinstance(answer, tuple):
                stub.add_client_error(operation, *answer)
            else:
                stub.add_response(operation, dict(answer))
        stub.activate()
        return client


class Deleted(Account):
    """The account of a stack that retains nothing and owns the bucket `own`. Clients are created in this order."""

    def __init__(self, *, may_list: bool = False, **outputs: str) -> None:
        found = [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()]
        stack = {"StackName": "wavecrawl", "StackStatus": "CREATE_COMPLETE", "CreationTime": 0, "Outputs": found}
        bucket = {"LogicalResourceId": "Bucket", "PhysicalResourceId": "own", "ResourceType": "AWS::S3::Bucket"}
        times = {"LastUpdatedTimestamp": 0, "ResourceStatus": "CREATE_COMPLETE"}
        super().__init__(
            describe_stacks={"Stacks": [stack]},
            get_template={"TemplateBody": json.dumps({"Resources": {"Bucket": {"DeletionPolicy": "Delete"}}})},
            list_stack_resources={"StackResourceSummaries": [bucket | times]},
            list_secrets={"SecretList": []} if may_list else ("AccessDeniedException", "no"),
        )
        self._calls = [["describe_stacks"], ["get_template", "list_stack_resources"], ["list_secrets"]]

    def client(self, service: str, **_: object) -> Any:
        return self._stubbed(service, *self._calls.pop(0))


@pytest.fixture(autouse=True)
def compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with Python 3.13."""
    there = Compiler(program="python3.13", version="3.13.9 (main)")
    monkeypatch.setattr(infra.preflight, "lambda_compiler", lambda: there)


def found(account: Account, *, without_contact: bool = False, **settings: Any) -> dict[str, Finding]:
    config = Config(**({"contact": CONTACT, "alarm_email": "ops@example.com", "task_image": PINNED} | settings))
    given = Options(config=config, session=account)
    return {finding.check: finding for finding in findings(given, without_contact=without_contact)}


def test_an_account_that_is_ready_passes_every_check() -> None:
    checks = found(Account())
    assert list(checks) == CHECKS
    assert {finding.verdict for finding in checks.values()} == {Verdict.OK}
    assert CALLER["Account"] in checks["credentials"].text
    assert checks["region"].text == "us-east-1"
    assert checks["byte_code"].text == "compiled by Python 3.13.9"


def test_a_deployment_without_byte_code_names_its_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(infra.preflight, "lambda_compiler", lambda: None)
    check = found(Account())["byte_code"]
    assert check.verdict is Verdict.WARNING
    assert "1.0 instead of 0.5 s of processor time" in check.text
    assert "Install Python 3.13" in check.text


def test_an_image_without_a_digest_is_a_warning_with_the_command_that_pins_it() -> None:
    finding = found(Account(), task_image="public.ecr.aws/lambda/python:3.13")["task_image"]
    assert finding.verdict is Verdict.WARNING
    assert "public.ecr.aws/lambda/python:3.13 is named by its tag" in finding.text
    assert "`make task-image` pins it to its digest in infra/cdk.json" in finding.text
    assert found(Account())["task_image"].text == PINNED
    assert found(Account(), task_image="a/b:c", large_crawls=False)["task_image"].verdict is Verdict.OK


def pinning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: str | WavecrawlError) -> Path:
    """Let the registry answer with a pinned image or an error; return the copy of cdk.json that is written."""

    def pinned(image: str) -> str:
        assert image == TASK_IMAGE
        if isinstance(answer, WavecrawlError):
            raise answer
        return answer

    copy = tmp_path / "cdk.json"
    copy.write_bytes((ROOT / "infra" / "cdk.json").read_bytes())
    monkeypatch.setattr("infra.command_line._CONTEXT", copy)
    monkeypatch.setattr(infra.preflight, "pinned", pinned)
    return copy


def test_the_first_deployment_keeps_the_digest_of_the_image(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copy = pinning(monkeypatch, tmp_path, PINNED)
    assert pin_image(options([])).config.task_image == PINNED
    assert json.loads(copy.read_text(encoding="utf-8"))["context"]["task_image"] == PINNED
    assert options([]).config.task_image == PINNED  # what the CDK reads next


@pytest.mark.parametrize("arguments", [["-c", "task_image=a/b:c"], ["-c", "large_crawls=false"]])
def test_an_image_that_is_passed_or_not_used_is_left_alone(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    copy = pinning(monkeypatch, tmp_path, PINNED)
    before = copy.read_bytes()
    given = options(arguments)
    assert pin_image(given) == given
    assert copy.read_bytes() == before


def test_an_image_keeps_its_tag_if_its_registry_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = pinning(monkeypatch, tmp_path, StoreBusyError("the registry a.example does not respond: refused"))
    before = copy.read_bytes()
    given = options([])
    assert pin_image(given) == given
    assert copy.read_bytes() == before
    assert "keeps its tag: the registry a.example does not respond" in capsys.readouterr().err


def test_a_missing_contact_is_refused_with_the_command() -> None:
    finding = found(Account(), contact="")["contact"]
    assert finding.verdict is Verdict.FAILED
    assert 'make deploy ARGS="-c contact=https://example.com/crawler"' in finding.text
    assert "make deploy PREFLIGHT=--without-contact" in finding.text
    assert found(Account(), contact="", without_contact=True)["contact"].verdict is Verdict.WARNING


def test_a_missing_address_for_alarms_is_a_warning_with_the_setting() -> None:
    finding = found(Account(), alarm_email="")["alarms"]
    assert finding.verdict is Verdict.WARNING
    assert "no alarm is sent" in finding.text
    assert "-c alarm_email=ops@example.com" in finding.text
    assert found(Account(), alarm_email="", alarms=AlarmSet.NONE)["alarms"].verdict is Verdict.OK
    assert "ops@example.com" in found(Account())["alarms"].text


@pytest.fixture(name="settings")
def copied_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a copy of cdk.json that the commands use."""
    copy = tmp_path / "cdk.json"
    copy.write_bytes((ROOT / "infra" / "cdk.json").read_bytes())
    monkeypatch.setattr("infra.command_line._CONTEXT", copy)
    return copy


def someone_types(*answers: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let a person at a terminal answer questions; return the list that is left."""
    left = [*answers]
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: left.pop(0))
    return left


def test_the_address_for_alarms_is_asked_for_and_kept(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = json.loads(settings.read_text(encoding="utf-8"))
    left = someone_types("ops", "ops@example.com", monkeypatch=monkeypatch)
    assert ask_for_address(options([])).config.alarm_email == "ops@example.com"
    assert left == []
    before["context"]["alarm_email"] = "ops@example.com"
    assert json.loads(settings.read_text(encoding="utf-8")) == before
    assert options([]).config.alarm_email == "ops@example.com"


@pytest.mark.parametrize(
    "arguments", [["-c", "alarm_email="], ["-c", "alarms=none"], ["-c", "alarm_email=other@example.com"]]
)
def test_nobody_is_asked_for_an_address_that_the_settings_decide(
    settings: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    before = settings.read_bytes()
    someone_types(monkeypatch=monkeypatch)
    given = options(arguments)
    assert ask_for_address(given) == given
    assert settings.read_bytes() == before


def test_who_gives_no_address_gets_none(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = settings.read_bytes()
    assert ask_for_address(options([])).config.alarm_email == ""  # nobody can answer
    someone_types("", monkeypatch=monkeypatch)
    assert ask_for_address(options([])).config.alarm_email == ""
    assert settings.read_bytes() == before


CASES: list[tuple[Account, dict[str, Any], str, Verdict, str]] = [
    (Account(get_caller_identity=("ExpiredToken", "old")), {}, "credentials", Verdict.FAILED, "Sign in again"),
    (Account(get_parameters={"Parameters": []}), {}, "bootstrap", Verdict.FAILED, "Run (cd infra && node_modules"),
    (
        Account(get_parameters={"Parameters": [{"Value": str(LOWEST_BOOTSTRAP - 1)}]}),
        {},
        "bootstrap",
        Verdict.FAILED,
        "is too old",
    ),
    (Account(get_parameters=("AccessDeniedException", "no")), {}, "bootstrap", Verdict.WARNING, "could not be checked"),
    (Account(get_account_settings=("AccessDenied", "no")), {}, "concurrency", Verdict.WARNING, "could not be checked"),
    (Account(total=10, unreserved=10), {}, "concurrency", Verdict.OK, "workers may use 4, and functions reserve 0"),
    (Account(), {}, "concurrency", Verdict.OK, "For more workers, add -c account_concurrency=1000"),
    (
        Account(),
        {"account_concurrency": 1_000},
        "concurrency",
        Verdict.OK,
        "workers may use 12, and functions reserve 48",
    ),
    (
        Account(total=1_000, unreserved=120),
        {"account_concurrency": 1_000},
        "concurrency",
        Verdict.FAILED,
        "Add -c account_concurrency=120",
    ),
]


@pytest.mark.parametrize(("account", "settings", "check", "verdict", "said"), CASES)
def test_what_is_missing_is_said_with_what_to_do(
    account: Account, settings: dict[str, Any], check: str, verdict: Verdict, said: str
) -> None:
    finding = found(account, **settings)[check]
    assert finding.verdict is verdict
    assert said in finding.text


def test_a_missing_account_ends_the_program_with_its_reason() -> None:
    missing = {"AWS_CONFIG_FILE": "/none", "AWS_SHARED_CREDENTIALS_FILE": "/none", "AWS_EC2_METADATA_DISABLED": "true"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    done = subprocess.run(
        [sys.executable, "-m", "infra.preflight", "-c", f"contact={CONTACT}", "-c", f"task_image={PINNED}"],
        cwd=ROOT,
        env=kept | missing | {"AWS_REGION": "us-east-1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "FAILED   credentials: Unable to locate credentials" in done.stderr
    assert "not deployed" in done.stderr


def test_options_are_read_as_the_cdk_reads_them() -> None:
    given = options(["-c", "contact=a=b", "--context", "stack_name=other", "--context=tenant=us", "--require-approval"])
    assert (given.config.contact, given.config.stack_name, given.config.tenant) == ("a=b", "other", "us")
    assert given.qualifier == "hnb659fds"
    with pytest.raises(ConfigError, match="fetch_memory"):
        options(["-c", "fetch_memory=1"])


@pytest.fixture(scope="module")
def deployment(assembly: Assembly) -> Deployment:
    return deploy_to_emulator(started_emulator().url, assembly.folder)


@pytest.fixture
def operator(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment of an operator of the emulator."""
    for name, value in (CREDENTIALS | {"AWS_ENDPOINT_URL": deployment.endpoint}).items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("operator")
@slow
def test_the_checks_pass_on_the_emulator(capsys: pytest.CaptureFixture[str]) -> None:
    image = ["-c", f"task_image={PINNED}"]
    assert preflight(["-c", f"contact={CONTACT}", *image]) == 0
    lines = [line.split()[:2] for line in capsys.readouterr().err.splitlines()]
    assert lines == [["warning" if name == "alarms" else "ok", f"{name}:"] for name in CHECKS]
    assert preflight(image) == 1
    assert "not deployed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "name", "contact"),
    [
        ([], "wavecrawl", "https://example.com/crawler"),
        (["-c", "stack_name=other", "-c", "contact=ops@example.com"], "other", "ops@example.com"),
    ],
)
def test_synthesis_ends_with_the_place_of_the_template_and_the_next_command(
    arguments: list[str], name: str, contact: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert afterwards(["synthesized", *arguments]) == 0
    assert capsys.readouterr().out == (
        f'template: build/cdk.out/{name}.template.json; next: make deploy ARGS="-c contact={contact}" (docs/aws.md)\n'
    )


@pytest.mark.parametrize("dashboard", [True, False])
def test_a_deployment_ends_with_the_url_of_its_dashboard_if_it_has_one(*, dashboard: bool) -> None:
    outputs = [{"OutputKey": "ApiUrl", "OutputValue": "https://api.example.com"}]
    outputs += [{"OutputKey": "DashboardUrl", "OutputValue": "https://console.example.com"}] if dashboard else []
    stack = {"StackName": "wavecrawl", "StackStatus": "CREATE_COMPLETE", "CreationTime": 0, "Outputs": outputs}
    given = Options(config=Config(), session=Account(describe_stacks={"Stacks": [stack]}))
    printed = "\n".join(deployed(given))
    assert "https://api.example.com" in printed
    assert ("dashboard  https://console.example.com" in printed) is dashboard


@pytest.mark.usefixtures("operator")
def test_a_deployment_ends_with_its_urls_and_the_next_commands(
    deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    assert afterwards(["deployed"]) == 0
    printed = capsys.readouterr().out
    assert deployment.outputs["ApiUrl"] in printed
    assert ".venv/bin/wavecrawl admin init --stack wavecrawl" in printed
    assert ".venv/bin/wavecrawl doctor --stack wavecrawl --crawl" in printed


@pytest.mark.usefixtures("operator")
def test_every_resource_that_stays_is_named_with_the_command_that_removes_it(
    deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    made_by_functions = ["wavecrawl/webhook-key", "wavecrawl/sites/default/example.com-0a1b2c3d"]
    for name in (*made_by_functions, "wavecrawl2/webhook-key"):
        deployment.client("secretsmanager").create_secret(Name=name, SecretString="not-a-secret")
    assert afterwards(["kept"]) == 0
    printed = capsys.readouterr().out
    kinds = {
        one["Type"] for one in deployment.template["Resources"].values() if "Retain" in one.get("DeletionPolicy", "")
    }
    names = {name: kind for kind in kinds for name in deployment.named(kind)}
    assert {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"} <= set(names.values())
    lines = [line.strip() for line in printed.splitlines()]
    names |= dict.fromkeys(made_by_functions, "AWS::SecretsManager::Secret")
    assert [name for name, kind in names.items() if f"{kind} {name}" not in lines] == []
    assert len([line for line in lines if line.startswith("AWS::")]) == len(names)
    for command in ("dynamodb delete-table", "s3api delete-bucket", "secretsmanager delete-secret"):
        assert any(line.startswith(f"aws {command} ") and any(name in line for name in names) for line in lines)


def test_what_a_stack_only_uses_stays_too() -> None:
    """The table of `-c table_name` is no resource of the stack. With `-c keep_data=false`, the bucket is deleted."""
    lines = list(kept(Options(config=Config(), session=Deleted(TableName="of-before", BucketName="own"))))
    assert lines[1:3] == ["  AWS::DynamoDB::Table of-before", "    aws dynamodb delete-table --table-name of-before"]
    assert len(lines) == 4
    assert "names begin with wavecrawl/ stay too, but they could not be listed" in lines[3]
    lines = list(kept(Options(config=Config(), session=Deleted(may_list=True, BucketName="own"))))
    assert lines == ["nothing of stack wavecrawl stays"]
