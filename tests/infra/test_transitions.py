"""What a crawl is charged with for the state machine is what its definition takes."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from infra.config import Config
from infra.definition import definition

from wavecrawl.adapters.aws.signals import NO_WAVE
from wavecrawl.cloud.charging import (
    TRANSITIONS_A_CRAWL,
    TRANSITIONS_A_PAUSE,
    TRANSITIONS_A_WAVE,
    TRANSITIONS_ELSEWHERE,
    TRANSITIONS_OF_SITEMAPS,
)


@pytest.mark.parametrize(
    "waves",
    [
        ["finish"],
        ["sitemaps"],
        ["wave", "wave", "pause", "sitemaps", "wave", "finish"],
    ],
)
def test_a_crawl_is_charged_with_the_steps_of_the_usual_way(waves: list[str]) -> None:
    entered = list(_way(json.loads(definition(Config())), iter(waves), leads_on="wave" in waves))
    charged = (
        TRANSITIONS_A_CRAWL
        + TRANSITIONS_A_WAVE * len(waves)
        + TRANSITIONS_ELSEWHERE * (len(waves) - waves.count("wave"))
        + TRANSITIONS_A_PAUSE * waves.count("pause")
        + TRANSITIONS_OF_SITEMAPS * waves.count("sitemaps")
    )
    assert len(["Start", *entered, "End"]) == charged, entered


def _way(machine: Mapping[str, Any], answers: Iterator[str], *, leads_on: bool) -> Iterator[str]:
    """Yield the states that a crawl enters whose waves end with these answers; whether its sitemaps name anything."""
    known: dict[str, object] = {"$.waves_here": 0}
    known["$.result.leads_on"] = leads_on
    name = machine["StartAt"]
    while name:
        yield name
        state = machine["States"][name]
        if name == "ReadSitemaps":
            known["$.result.next"] = "done"
        elsewhere = next((rule["Next"] for rule in state.get("Catch", ()) if rule["ErrorEquals"] == [NO_WAVE]), "")
        if elsewhere:
            known["$.result.next"] = next(answers)
        if elsewhere and known["$.result.next"] != "wave":
            name = elsewhere
        elif state["Type"] == "Choice":
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
