"""Each resource is created after those that it names, so that the first deployment succeeds."""

from copy import deepcopy
from typing import Any

import pytest
from tests.infra.dependencies import missing_dependencies
from tests.support.synthesis import Assembly


@pytest.mark.parametrize("deployment", ["assembly", "everything", "least", "other"])
def test_each_resource_exists_before_one_that_names_it(deployment: str, request: pytest.FixtureRequest) -> None:
    found: Assembly = request.getfixturevalue(deployment)
    assert missing_dependencies(found.template) == []


def of(assembly: Assembly, kind: str, part: str = "") -> str:
    """Return the logical id of the first resource of a type."""
    return next(id_ for id_ in assembly.of_kind(kind) if part in id_)


@pytest.fixture(name="template")
def a_template_to_break(everything: Assembly) -> dict[str, Any]:
    return deepcopy(dict(everything.template))


def test_a_stage_before_a_route_of_its_settings_is_found(everything: Assembly, template: dict[str, Any]) -> None:
    stage = of(everything, "AWS::ApiGatewayV2::Stage")
    route = next(
        id_
        for id_, found in everything.of_kind("AWS::ApiGatewayV2::Route").items()
        if found["Properties"]["RouteKey"] == "POST /webhooks/crawl"
    )
    template["Resources"][stage]["DependsOn"].remove(route)
    assert missing_dependencies(template) == [(stage, route)]


def test_a_budget_before_the_policy_of_its_topic_is_found(everything: Assembly, template: dict[str, Any]) -> None:
    budget, policy = of(everything, "AWS::Budgets::Budget"), of(everything, "AWS::SNS::TopicPolicy")
    del template["Resources"][budget]["DependsOn"]
    assert (budget, policy) in missing_dependencies(template)


@pytest.mark.parametrize(
    "kind", ["AWS::StepFunctions::StateMachine", "AWS::Lambda::Function", "AWS::ECS::TaskDefinition"]
)
def test_a_user_of_a_role_before_its_policy_is_found(everything: Assembly, template: dict[str, Any], kind: str) -> None:
    """A state machine needs the rights of log delivery, and an event source mapping those of its function."""
    found = of(everything, kind)
    del template["Resources"][found]["DependsOn"]
    missing = missing_dependencies(template)
    assert (found, "AWS::IAM::Policy") in [(one, template["Resources"][other]["Type"]) for one, other in missing]


def test_a_state_machine_before_the_task_that_it_names_is_found(everything: Assembly, template: dict[str, Any]) -> None:
    machine, task = of(everything, "AWS::StepFunctions::StateMachine"), of(everything, "AWS::ECS::TaskDefinition")
    template["Resources"][machine]["DependsOn"].remove(task)
    assert missing_dependencies(template) == [(machine, task)]


def test_a_table_before_its_database_is_found(everything: Assembly, template: dict[str, Any]) -> None:
    table, database = of(everything, "AWS::Glue::Table"), of(everything, "AWS::Glue::Database")
    template["Resources"][table]["Properties"]["DatabaseName"] = "wavecrawl"
    assert missing_dependencies(template) == [(table, database)]


ADDED: list[tuple[str, dict[str, Any]]] = [
    (
        "AWS::Logs::LogGroup",
        {"Type": "AWS::Logs::MetricFilter", "Properties": {"LogGroupName": "/aws/lambda/wavecrawl-api"}},
    ),
    ("AWS::Lambda::Function", {"Type": "AWS::Lambda::Permission", "Properties": {"FunctionName": "wavecrawl-api"}}),
    (
        "AWS::Scheduler::ScheduleGroup",
        {"Type": "AWS::Scheduler::Schedule", "Properties": {"GroupName": "wavecrawl", "Target": {"Arn": "x"}}},
    ),
    ("AWS::Events::EventBus", {"Type": "AWS::Events::Rule", "Properties": {"EventBusName": "wavecrawl"}}),
    (
        "AWS::CloudWatch::Alarm",
        {
            "Type": "AWS::CloudWatch::CompositeAlarm",
            "Properties": {"AlarmRule": "ALARM(wavecrawl-failed-crawls) OR FALSE"},
        },
    ),
    (
        "AWS::StepFunctions::StateMachine",
        {
            "Type": "AWS::Scheduler::Schedule",
            "Properties": {"Target": {"Arn": {"Fn::Sub": "arn:aws:states:${AWS::Region}:1:stateMachine:wavecrawl"}}},
        },
    ),
    (
        "AWS::ECS::TaskDefinition",
        {
            "Type": "AWS::Events::Rule",
            "Properties": {"Targets": [{"Input": '{"task": "wavecrawl-finish-large-crawl"}'}]},
        },
    ),
]


@pytest.mark.parametrize(("kind", "added"), ADDED, ids=[added["Type"] + " of " + kind for kind, added in ADDED])
def test_a_resource_that_names_another_by_its_key_is_found(
    template: dict[str, Any], kind: str, added: dict[str, Any]
) -> None:
    template["Resources"]["Added"] = added
    (found,) = missing_dependencies(template)
    assert found[0] == "Added"
    assert template["Resources"][found[1]]["Type"] == kind
    added["DependsOn"] = found[1]
    assert missing_dependencies(template) == []
