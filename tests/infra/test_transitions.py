"""What a crawl is charged with for the state machine is what its definition takes."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from infra.config import Config
from infra.definition import definition

from wavecrawl.bootstrap.cloud_charges import TRANSITIONS_A_CRAWL, TRANSITIONS_A_WAVE


@pytest.mark.parametrize("waves", [["sitemaps"], ["wave", "wave", "sitemaps", "wave", "finish"]])
def test_a_crawl_is_charged_with_the_steps_of_the_usual_way(waves: list[str]) -> None:
    entered = list(_way(json.loads(definition(Config())), iter(waves), leads_on="wave" in waves))
    assert len(["Start", *entered, "End"]) == TRANSITIONS_A_CRAWL + len(waves) * TRANSITIONS_A_WAVE, entered
    assert entered.count("ReadSitemaps") == 1


def _way(machine: Mapping[str, Any], answers: Iterator[str], *, leads_on: bool) -> Iterator[str]:
    """Yield the states that a crawl enters whose waves end with these answers; whether its sitemaps name anything."""
    known: dict[str, object] = {"$.step": "open", "$.opened.sitemaps_first": False, "$.waves_here": 0}
    known["$.result.leads_on"] = leads_on
    name = machine["StartAt"]
    while name:
        yield name
        state = machine["States"][name]
        if state.get("Resource", "").endswith(".waitForTaskToken"):
            known["$.result.next"] = next(answers)
        elif name == "ReadSitemaps":
            known["$.result.next"] = "done"
        if state["Type"] == "Choice":
            name = next((rule["Next"] for rule in state["Choices"] if _holds(rule, known)), state["Default"])
        else:
            name = state.get("Next", "")


def _holds(rule: Mapping[str, Any], known: Mapping[str, object]) -> bool:
    if "And" in rule:
        return all(_holds(part, known) for part in rule["And"])
    if "Or" in rule:
        return any(_holds(part, known) for part in rule["Or"])
    value: Any = known[rule["Variable"]]
    if "NumericGreaterThanEquals" in rule:
        return bool(value >= rule["NumericGreaterThanEquals"])
    return bool(value == rule.get("StringEquals", rule.get("BooleanEquals")))
