import json
import re
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from msgspec.structs import replace
from tests.support.emulator import emulated_clients

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.launcher import PER_RESUME, StepFunctionsLauncher, execution_name
from wavecrawl.application.start_crawl import crawl_id_at
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.errors import ConflictError, NotFoundError

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
    assert described["name"] == execution_name(crawl)
    assert json.loads(described["input"]) == {
        "crawl": {"tenant": "t", "site": "example.com", "crawl": "c1"},
        "name": described["name"],
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
    assert executions(clients, machine) == [execution_name(crawl), execution_name(replace(crawl, crawl="c2"))]


def test_crawls_of_the_same_id_have_executions_of_their_own(clients: AwsClients, machine: str, crawl: CrawlId) -> None:
    same = [crawl, replace(crawl, site="example.org"), replace(crawl, tenant="u")]
    launcher = StepFunctionsLauncher(clients.stepfunctions, machine)
    for one in same:
        launcher.launch(one)
        launcher.make_results(one, now=1_764_300_000.0)
        launcher.launch(one, resumes=1)
    assert len(set(executions(clients, machine))) == 9


def test_files_are_made_by_one_execution_until_it_has_ended(clients: AwsClients, machine: str, crawl: CrawlId) -> None:
    launcher = StepFunctionsLauncher(clients.stepfunctions, machine)
    now = 1_764_300_000.0
    with ThreadPoolExecutor(4) as pool:
        both = [ResultFile.WACZ, ResultFile.GRAPH]
        for made in [pool.submit(launcher.make_files, crawl, both, now=now) for _ in range(8)]:
            made.result()
    launcher.make_files(crawl, [ResultFile.LLMS], now=now)
    assert len(executions(clients, machine)) == 2
    for one in clients.stepfunctions.list_executions(stateMachineArn=machine)["executions"]:
        given = json.loads(clients.stepfunctions.describe_execution(executionArn=one["executionArn"])["input"])
        assert given["files"] in (["graph", "wacz"], ["llms"])
        assert given == {**given, "name": one["name"], "results": True, "continued": 1}
        clients.stepfunctions.stop_execution(executionArn=one["executionArn"])
    launcher.make_files(crawl, [ResultFile.LLMS], now=now)
    assert len(executions(clients, machine)) == 3


def test_executions_that_never_make_a_file_are_limited_each_day(
    clients: AwsClients, machine: str, crawl: CrawlId
) -> None:
    launcher = StepFunctionsLauncher(clients.stepfunctions, machine)
    now = 1_764_300_000.0
    for _ in range(10):
        launcher.make_files(crawl, [ResultFile.LLMS], now=now)
        for one in clients.stepfunctions.list_executions(stateMachineArn=machine)["executions"]:
            clients.stepfunctions.stop_execution(executionArn=one["executionArn"])
    with pytest.raises(ConflictError, match=r"llms cannot be created, after 10 attempts today\. Try"):
        launcher.make_files(crawl, [ResultFile.LLMS], now=now)
    launcher.make_files(crawl, [ResultFile.LLMS], now=now + 86_400)
    assert len(executions(clients, machine)) == 11


def test_names_of_executions_are_valid() -> None:
    id_ = crawl_id_at(1_764_300_000.9, "f" * 64)
    name = execution_name(CrawlId(tenant="a" * 200, site="b" * 200, crawl=id_))
    in_a_century = 4_900_000_000 // 60
    day = 4_900_000_000 // 86_400
    longest = max(
        f"{name}-abcdef-{day}-9",
        f"{name}-results-{in_a_century}",
        f"{name}-{99 * PER_RESUME}",
        key=len,
    )
    assert re.fullmatch(r"[A-Za-z0-9-]{1,80}", longest)


@pytest.mark.parametrize("given", ['{"crawl": {"tenant": "u", "site": "s", "crawl": "c1"}}', "{}", '"by hand"'])
def test_an_execution_of_another_crawl_is_no_start_of_this_one(
    clients: AwsClients, machine: str, crawl: CrawlId, given: str
) -> None:
    clients.stepfunctions.start_execution(stateMachineArn=machine, name=execution_name(crawl), input=given)
    with pytest.raises(ConflictError, match=r"t/example\.com/c1 cannot start: execution .* exists already"):
        StepFunctionsLauncher(clients.stepfunctions, machine).launch(crawl)


def test_an_execution_of_the_crawl_with_another_input_is_a_start(
    clients: AwsClients, machine: str, crawl: CrawlId
) -> None:
    given = {"crawl": {"tenant": "t", "site": "example.com", "crawl": "c1"}, "continued": 0}  # of an earlier version
    clients.stepfunctions.start_execution(stateMachineArn=machine, name=execution_name(crawl), input=json.dumps(given))
    StepFunctionsLauncher(clients.stepfunctions, machine).launch(crawl)
    assert executions(clients, machine) == [execution_name(crawl)]


def test_a_state_machine_that_is_missing_is_named(clients: AwsClients, crawl: CrawlId) -> None:
    missing = "arn:aws:states:us-east-1:000000000000:stateMachine:missing"
    with pytest.raises(NotFoundError, match=r"t/example\.com/c1"):
        StepFunctionsLauncher(clients.stepfunctions, missing).launch(crawl)
