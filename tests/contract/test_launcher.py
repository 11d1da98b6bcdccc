import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import pytest
from tests.support.emulator import emulated_clients

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.launcher import StepFunctionsLauncher
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import NotFoundError

ROLE = "arn:aws:iam::000000000000:role/test"


@pytest.fixture(name="clients")
def the_clients() -> AwsClients:
    return emulated_clients()


@pytest.fixture(name="machine")
def a_state_machine(clients: AwsClients) -> str:
    definition = {"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 1, "End": True}}}
    made = clients.stepfunctions.create_state_machine(
        name=f"m{uuid4().hex}", roleArn=ROLE, definition=json.dumps(definition)
    )
    return made["stateMachineArn"]


def executions(clients: AwsClients, machine: str) -> list[str]:
    found = clients.stepfunctions.list_executions(stateMachineArn=machine)["executions"]
    return sorted(execution["name"] for execution in found)


def test_a_crawl_starts_at_its_first_step(clients: AwsClients, machine: str, crawl: CrawlId) -> None:
    StepFunctionsLauncher(clients.stepfunctions, machine).launch(crawl)
    (execution,) = clients.stepfunctions.list_executions(stateMachineArn=machine)["executions"]
    described = clients.stepfunctions.describe_execution(executionArn=execution["executionArn"])
    assert described["name"] == "c1"
    assert json.loads(described["input"]) == {
        "crawl": {"tenant": "t", "site": "example.com", "crawl": "c1"},
        "continued": 0,
        "done": 0,
        "resumes": 0,
    }


def test_a_crawl_is_launched_once_however_often_it_is_asked_for(
    clients: AwsClients, machine: str, crawl: CrawlId
) -> None:
    launcher = StepFunctionsLauncher(clients.stepfunctions, machine)
    with ThreadPoolExecutor(8) as pool:
        for launched in [pool.submit(launcher.launch, crawl) for _ in range(20)]:
            launched.result()
    launcher.launch(replace(crawl, crawl="c2"))
    assert executions(clients, machine) == ["c1", "c2"]


def test_a_state_machine_that_is_missing_is_named(clients: AwsClients, crawl: CrawlId) -> None:
    missing = "arn:aws:states:us-east-1:000000000000:stateMachine:missing"
    with pytest.raises(NotFoundError, match=r"t/example\.com/c1"):
        StepFunctionsLauncher(clients.stepfunctions, missing).launch(crawl)
