"""Executions that were started by the release before: they keep its definition, and call the functions of this one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from infra.definition import STEPS
from tests.support.synthesis import Assembly

from wavecrawl.cloud.fail_crawl import failed_crawl
from wavecrawl.cloud.run_wave import WaveTask
from wavecrawl.cloud.step_input import CrawlTask, OpenTask, task_of
from wavecrawl.ports.signals import NextStep

RELEASES = Path(__file__).resolve().parents[1] / "data" / "releases"
EVENTS = Path(__file__).resolve().parents[2] / "events"
CRAWL = {"tenant": "default", "site": "example.com-5a1f3c2e", "crawl": "20261121-100000-5f3a9c1e"}
INPUT = {"crawl": CRAWL, "continued": 0}
SHAPES: dict[str, type[OpenTask | WaveTask | CrawlTask]] = {
    "open_crawl": OpenTask,
    "run_wave": WaveTask,
    "read_sitemaps": CrawlTask,
    "finish_crawl": OpenTask,
    "notify": CrawlTask,
}
HARMLESS = {
    NextStep.END: "an execution without this step calls FailCrawl, which leaves a failed crawl as it is",
    NextStep.PLAN: "the crawl fails, as it outgrew the function; if it is resumed, a new execution plans it by a task",
}
"""Steps that an earlier definition does not know, and what becomes of them there."""


def definitions() -> list[Path]:
    return sorted(RELEASES.glob("*/crawl.asl.json"))


@pytest.fixture(params=definitions(), ids=lambda path: path.parent.name, name="states")
def states_of_an_earlier_release(request: pytest.FixtureRequest) -> dict[str, Any]:
    states: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))["States"]
    return states


def invoked(states: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the functions that the states invoke, and their payloads."""
    return [
        (STEPS[arguments["FunctionName"][2:-1]], arguments["Payload"])
        for arguments in (state.get("Arguments", {}) for state in states.values())
        if "FunctionName" in arguments
    ]


def test_functions_take_the_payloads_of_an_earlier_definition(states: dict[str, Any]) -> None:
    payloads = invoked(states)
    assert {name for name, _ in payloads} == {*SHAPES, "fail_crawl"}
    for name, payload in payloads:
        sample = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8")) | INPUT
        sent = {field: sample[field] for field in payload}
        task = failed_crawl(sent) if name == "fail_crawl" else task_of(sent, SHAPES[name])
        assert task.crawl.crawl == CRAWL["crawl"]


def test_an_earlier_definition_knows_every_step_that_functions_return(states: dict[str, Any]) -> None:
    """A new step needs a way on for executions that do not have it, or a function that returns it to none of them."""
    conditions = " ".join(choice["Condition"] for state in states.values() for choice in state.get("Choices", []))
    known = set(re.findall(r"'([a-z_]+)'", conditions))
    assert known >= {NextStep.WAVE.value, NextStep.FINISH.value}
    assert {step for step in NextStep if step.value not in known} == HARMLESS.keys()


def test_functions_have_no_versions_or_aliases(assembly: Assembly) -> None:
    """A running crawl calls functions by name, so that an update removes nothing that it calls."""
    kinds = {found["Type"] for found in assembly.template["Resources"].values()}
    assert not {"AWS::Lambda::Version", "AWS::Lambda::Alias"} & kinds
