"""The cost of a month in which nothing runs: by the template, and in docs/costs.md."""

import pytest
from tests.infra.idle_costs import POLLS, idle_cost, idle_items
from tests.support.synthesis import ROOT, Assembly

MOST = 3.00
"""Dollars a month that an idle deployment with the default settings may cost."""

COSTS = (ROOT / "docs" / "costs.md").read_text(encoding="utf-8")
SECTION = COSTS.partition("## When nothing runs")[2].partition("\n## ")[0]
LEAST = {"alarms": "none", "render": "false", "media": "false", "knowledge": "false"}
"""The settings of the fixture `least` that reduce the cost. The others, such as `sql`, cost nothing while idle."""


def test_an_idle_deployment_with_the_default_settings_costs_three_dollars_at_most(assembly: Assembly) -> None:
    found = idle_items(assembly)
    assert {item.kind for item in found} == {
        *("AWS::CloudWatch::Alarm", "AWS::SecretsManager::Secret", "AWS::Lambda::EventSourceMapping"),
    }
    assert 0 < idle_cost(assembly) <= MOST


def test_each_cent_stands_in_the_table_with_its_reason(assembly: Assembly) -> None:
    alarms, secrets, mappings = (
        [item.dollars for item in idle_items(assembly) if item.kind == kind]
        for kind in ("AWS::CloudWatch::Alarm", "AWS::SecretsManager::Secret", "AWS::Lambda::EventSourceMapping")
    )
    assert (len(secrets), len(mappings)) == (1, 6)  # in words below
    polls = len(mappings) * POLLS
    for row in (
        f"| {len(alarms)} alarms, $0.10 each | [{sum(alarms):.2f}]",
        f"| secret | [{sum(secrets):.2f}]",
        f"| polling of six empty queues, {polls:,} requests | [{sum(mappings):.2f}]",
        f"| together | **{idle_cost(assembly):.2f}** |",
    ):
        assert row in SECTION, row
    assert f"Idle: ${idle_cost(assembly):.2f} a month" in COSTS


def added(more: Assembly, fewer: Assembly, kind: str) -> float:
    """Return what the resources of a kind cost in `more` that `fewer` does not have."""
    have = {item.id for item in idle_items(fewer)}
    return sum(item.dollars for item in idle_items(more) if item.kind == kind and item.id not in have)


def test_what_each_setting_adds_stands_in_the_table(assembly: Assembly, everything: Assembly) -> None:
    expected = {
        "alarms=all": added(everything, assembly, "AWS::CloudWatch::Alarm"),
        "dashboard=true": added(everything, assembly, "AWS::CloudWatch::Dashboard"),
    }
    assert min(expected.values()) > 0
    for setting, dollars in expected.items():
        assert f"| `-c {setting}` | +{dollars:.2f} |" in SECTION, (setting, dollars)
    assert idle_cost(everything) == pytest.approx(idle_cost(assembly) + sum(expected.values()))


def test_what_each_setting_saves_stands_in_the_table(assembly: Assembly, least: Assembly) -> None:
    expected = {
        "alarms=none": added(assembly, least, "AWS::CloudWatch::Alarm"),
        **dict.fromkeys(("render=false", "media=false", "knowledge=false"), POLLS * 0.40 / 1_000_000),
    }
    assert {setting.partition("=")[0] for setting in expected} == set(LEAST)
    for setting, dollars in expected.items():
        assert f"| `-c {setting}` | -{dollars:.2f} |" in SECTION, (setting, dollars)
    assert idle_cost(least) == pytest.approx(idle_cost(assembly) - sum(expected.values()))


def test_a_resource_without_a_known_price_is_noticed(assembly: Assembly) -> None:
    new = {"New": {"Type": "AWS::WAFv2::WebACL", "Properties": {}}}
    with pytest.raises(KeyError, match="WebACL"):
        idle_cost(Assembly(folder=assembly.folder, template={"Resources": new}))


def test_data_that_is_billed_by_size_is_none_at_first(assembly: Assembly) -> None:
    """Point-in-time recovery, objects and logs cost by size, and logs end after their retention."""
    (table,) = assembly.of_kind("AWS::DynamoDB::Table").values()
    assert table["Properties"]["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
    groups = assembly.of_kind("AWS::Logs::LogGroup").values()
    assert {group["Properties"]["RetentionInDays"] for group in groups} == {30}
    assert "point-in-time recovery" in SECTION
    assert "30 days" in SECTION
