"""Waves that a Fargate task plans, as the function has too little memory for the crawl."""

import json

import pytest
from infra.config import Config
from infra.constructs.large_crawls import CONTAINER, MEMORY_MB
from infra.definition import example
from tests.infra.mocked_errors import BROKEN, FULL, PLANNED, PLANNING, task_case
from tests.support.scripted_machine import NUMBERS, Script, ScriptedMachine, Wave

PLAN: Wave = {"next": "plan"}
WAVE: Wave = {"next": "wave"}
SITEMAPS: Wave = {"next": "sitemaps"}
FINISH: Wave = {"next": "finish"}
MEDIA: Wave = {"next": "media"}
ROOMY = Config(wave_timeout=1, max_resumes=2, max_waves_per_execution=100)


def planned(script: Script) -> list[tuple[str, int]]:
    return [(given["phase"], given["wave"]) for given in script.inputs("run_wave")]


@pytest.mark.parametrize(
    ("before", "wave", "choice", "where"),
    [
        ((), "BfsWave", "MoreBfs?", [("bfs", 1), ("bfs", 1), ("bfs", 2)]),
        ((SITEMAPS,), "OrphanWave", "MoreOrphans?", [("sitemap", 2), ("sitemap", 2), ("orphan", 3)]),
        ((MEDIA,), "MediaWave", "MoreMedia?", [("media", 2), ("media", 2), ("media", 3)]),
    ],
)
def test_a_wave_that_the_function_has_no_memory_for_is_planned_by_a_task_and_then_run(
    machine: ScriptedMachine, before: tuple[Wave, ...], wave: str, choice: str, where: list[tuple[str, int]]
) -> None:
    run = machine.run(Script(waves=[*before, PLAN, WAVE, FINISH]), config=ROOMY, case=PLANNED)
    assert run.status == "SUCCEEDED"
    assert (
        run.states[-9:]
        == [
            *(wave, choice, "PlanLargeWave", "WhereToStart?"),
            *(wave, choice, wave, choice),
            "FinishCrawl",
            "Notify",
        ][-9:]
    )
    assert planned(run.script)[-3:] == where


def test_a_task_that_fargate_cannot_start_is_started_again_before_each_wave(machine: ScriptedMachine) -> None:
    case = task_case(FULL[0], task=PLANNING, times=1)
    run = machine.run(Script(waves=[PLAN, PLAN, FINISH]), config=ROOMY, case=case)
    assert run.status == "SUCCEEDED"
    assert run.states[2:] == [
        *("BfsWave", "MoreBfs?", "PlanLargeWave", "FargateHasRoom?", "WaitForFargate", "WhereToStart?"),
        *("BfsWave", "MoreBfs?", "PlanLargeWave", "WhereToStart?"),
        *("BfsWave", "MoreBfs?", "FinishCrawl", "Notify"),
    ]
    assert planned(run.script) == [("bfs", 1)] * 3


def test_a_task_that_fails_ends_the_crawl(machine: ScriptedMachine) -> None:
    run = machine.run(Script(waves=[PLAN]), config=ROOMY, case=task_case(BROKEN[1], task=PLANNING))
    assert (run.status, run.error) == ("FAILED", "States.TaskFailed")
    assert run.states[-3:] == ["FargateHasRoom?", "FailCrawl", "Failed"]
    assert run.failed_tries["PlanLargeWave"] == 3


def test_tasks_count_as_rounds_of_an_execution(machine: ScriptedMachine) -> None:
    """The history of an execution has a limit."""
    first = machine.run(Script(waves=[PLAN, WAVE, FINISH]), config=NUMBERS, case=PLANNED)
    assert first.states[2:] == [
        *("BfsWave", "MoreBfs?", "PlanLargeWave", "WhereToStart?", "BfsWave", "MoreBfs?"),
        *("ContinueAsNew", "ContinuedAsNew"),
    ]


def test_the_task_says_which_wave_it_plans_and_how_much_memory_it_has() -> None:
    overrides = json.loads(example())["States"][PLANNING]["Arguments"]["Overrides"]
    (container,) = overrides["ContainerOverrides"]
    environment = {one["Name"]: one["Value"] for one in container["Environment"]}
    assert container["Name"] == CONTAINER
    assert environment["WAVECRAWL_PROGRAM"] == "plan_large_wave"
    given = environment["WAVECRAWL_TASK"]
    assert f"'phase': $phase, 'wave': $wave, 'memory': {MEMORY_MB}" in given
    assert overrides["Memory"] == str(MEMORY_MB)
    # Two vCPUs have at most 16 GB: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-tasks-services.html
    assert (overrides["Cpu"], overrides["EphemeralStorage"]) == ("2048", {"SizeInGiB": 21})
