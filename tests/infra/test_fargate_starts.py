"""Fargate tasks that cannot be started: they are started again for an hour, then the crawl fails with the reason."""

import json

import pytest
from infra.definition import FARGATE_WAITS, example
from tests.infra.mocked_errors import BROKEN, FULL, task_case
from tests.support.scripted_machine import Script, ScriptedMachine

LARGE = {"next": "finish_large", "pages": 300_000}
START = ["FinishLargeCrawl", "FargateHasRoom?"]


@pytest.mark.parametrize("error", FULL)
def test_a_task_that_fargate_cannot_start_is_started_again(machine: ScriptedMachine, error: tuple[str, str]) -> None:
    run = machine.run(Script(waves=[LARGE]), case=task_case(error, times=1))
    assert run.status == "SUCCEEDED"
    assert run.states[-6:] == [*START, "WaitForFargate", "WhereToStart?", "FinishLargeCrawl", "Notify"]


@pytest.mark.parametrize("error", FULL)
def test_after_an_hour_without_room_the_crawl_fails_and_names_the_quota(
    machine: ScriptedMachine, error: tuple[str, str]
) -> None:
    run = machine.run(Script(waves=[LARGE]), case=task_case(error))
    assert (run.status, run.error) == ("FAILED", "NoFargateCapacity")
    assert run.states[-3:] == ["NoFargateCapacity", "FailCrawl", "Failed"]
    assert run.states.count("FinishLargeCrawl") == FARGATE_WAITS + 1
    (given,) = run.script.inputs("fail_crawl")
    cause = given["error"]["Cause"]
    assert "Fargate On-Demand vCPU resource count" in cause
    assert "L-3032A538" in cause
    assert "POST /v1/crawls/ID/resume" in cause
    assert cause.endswith(f"Last error: {error[0]}: {error[1]}")


@pytest.mark.parametrize("error", BROKEN)
def test_a_task_that_ran_and_failed_is_not_waited_for(machine: ScriptedMachine, error: tuple[str, str]) -> None:
    run = machine.run(Script(waves=[LARGE]), case=task_case(error))
    assert (run.status, run.error) == ("FAILED", error[0])
    assert run.states[-4:] == [*START, "FailCrawl", "Failed"]
    assert run.failed_tries["FinishLargeCrawl"] == 3
    assert run.script.inputs("fail_crawl")[0]["error"] == {"Error": error[0], "Cause": error[1]}


def test_results_that_are_made_again_wait_for_fargate_too(machine: ScriptedMachine) -> None:
    played = Script(waves=[], start={**LARGE, "phase": "bfs", "wave": 1})
    run = machine.run(played, case=task_case(FULL[0], times=1), continued=1, results=True)
    assert run.status == "SUCCEEDED"
    assert run.states[:6] == ["OpenCrawl", "WhereToStart?", *START, "WaitForFargate", "WhereToStart?"]
    assert played.inputs("open_crawl")[0]["results"] is True
    assert [given["results"] for given in machine.run(Script(waves=[LARGE])).script.inputs("open_crawl")] == [False]


def test_the_waits_last_an_hour() -> None:
    wait = json.loads(example())["States"]["WaitForFargate"]["Seconds"]
    assert wait == "{% $min([300, 15 * $power(2, $starts)]) %}"
    seconds = [min(300, 15 * 2**starts) for starts in range(1, FARGATE_WAITS + 1)]
    assert seconds[:4] == [30, 60, 120, 240]
    assert 3_600 <= sum(seconds) <= 3_900
