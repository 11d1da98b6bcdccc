"""`wavecrawl doctor` against a deployment that works, and against one with a broken function."""

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from tests.e2e.cloud.conftest import CONTEXT
from tests.support.check_site_server import check_site_server
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.deploy import Deployment, deploy_to_emulator
from tests.support.emulator import CREDENTIALS, started_emulator
from tests.support.synthesis import synthesized
from typer.testing import CliRunner

from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app

CRAWLED = {"a denied site", "crawl", "links", "sitemap", "media", "search", "exports", "webhook delivery"}
REQUESTS = {"health", "API key", "webhook signature"}


@pytest.fixture(scope="module")
def deployment() -> Deployment:
    found = deploy_to_emulator(started_emulator().url, synthesized(**CONTEXT).folder)
    found.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    return found


@pytest.fixture(autouse=True)
def _operator(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment of an operator. Host names of the emulator's APIs do not resolve elsewhere."""
    for name, value in (CREDENTIALS | {"AWS_ENDPOINT_URL": deployment.endpoint, "no_proxy": "*"}).items():
        monkeypatch.setenv(name, value)
    found = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, port, *more, **named: found("127.0.0.1", port, *more, **named))


def examined(deployment: Deployment, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code of the doctor, and its lines by check."""
    url = deployment.outputs["ApiUrl"].replace("https://", "http://")
    done = CliRunner().invoke(app, ["doctor", "--json", "--url", url, *arguments])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return done.exit_code, {line["check"]: line for line in lines}


def executions(deployment: Deployment) -> set[str]:
    """Return the ARNs of the executions of the state machine. Other tests of this stack leave some."""
    found = deployment.client("stepfunctions").list_executions(stateMachineArn=deployment.outputs["StateMachineArn"])
    return {execution["executionArn"] for execution in found["executions"]}


@contextmanager
def variables(deployment: Deployment, name: str, change: Mapping[str, str]) -> Iterator[str]:
    """Change environment variables of a function for the block. Yield the function's name."""
    functions, function = deployment.client("lambda"), deployment.function(name)
    before = functions.get_function_configuration(FunctionName=function)["Environment"]["Variables"]
    functions.update_function_configuration(FunctionName=function, Environment={"Variables": before | change})
    try:
        yield function
    finally:
        functions.update_function_configuration(FunctionName=function, Environment={"Variables": before})


def test_a_deployment_that_works_passes_every_check(deployment: Deployment) -> None:
    before = executions(deployment)
    code, found = examined(deployment)
    alarms, fonts = found.pop("alarms"), found.pop("fonts")
    assert {name: line["problem"] for name, line in found.items() if not line["ok"]} == {}
    assert code == Exit.OK
    assert (alarms["problem"][:17], alarms["optional"]) == ("no alarm is sent.", True)  # it has no alarm_email
    assert fonts["detail"] == "none needed, as no pages are rendered"
    assert set(found) == {"AWS credentials", "stack", *REQUESTS}
    assert executions(deployment) == before, "no crawl is started unless --crawl asks for it"


def test_a_crawl_uses_the_functions_and_leaves_nothing(deployment: Deployment) -> None:
    api = Service(deployment=deployment)
    assert api.request("GET", "/check/index").text.startswith("<!doctype html>")
    with check_site_server() as site:
        code, found = examined(deployment, "--crawl", "--site-url", site)
    assert {name: line["problem"] for name, line in found.items() if not (line["ok"] or line["optional"])} == {}
    assert code == Exit.OK
    assert {name.removeprefix("check crawl: ") for name in found} > CRAWLED
    for path, name in (("/v1/crawls", "crawls"), ("/v1/sites", "sites"), ("/v1/webhooks", "webhooks")):
        assert api.api("GET", path)[name] == []


def test_a_function_without_one_of_its_variables_is_named(deployment: Deployment) -> None:
    with variables(deployment, "start_site", {"WAVECRAWL_TABLE": ""}), check_site_server() as site:
        code, found = examined(deployment, "--crawl", "--site-url", site)
    assert code == Exit.NEGATIVE
    (problem,) = [line["problem"] for line in found.values() if not (line["ok"] or line["optional"])]
    assert "WAVECRAWL_TABLE must be set" in problem
    assert "Look at the logs of wavecrawl-start-site" in problem


def test_missing_keys_are_named_with_the_command_that_creates_them(deployment: Deployment) -> None:
    deployment.set_keys()
    try:
        code, found = examined(deployment)
    finally:
        deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    assert code == Exit.NEGATIVE
    failed = {name for name, line in found.items() if "Run `wavecrawl admin init`" in line["problem"]}
    assert failed == {"API key", "webhook signature"}
    assert found["health"]["ok"]
