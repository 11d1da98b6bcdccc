"""The names in the template: their length, and that several deployments in one account do not collide."""

from collections.abc import Iterator
from typing import Any

import pytest
from infra.config import LONGEST_STACK_NAME, Config, ConfigError
from tests.infra.reading import fixed_names
from tests.support.campaign import slow
from tests.support.synthesis import Assembly, synthesized

LONGEST = {
    "AWS::ApiGatewayV2::Api": 128,
    "AWS::Athena::WorkGroup": 128,
    "AWS::Budgets::Budget": 100,
    "AWS::CloudWatch::Alarm": 255,
    "AWS::CloudWatch::Dashboard": 255,
    "AWS::ECS::Cluster": 255,
    "AWS::Events::EventBus": 256,
    "AWS::Glue::Database": 255,
    "AWS::Lambda::Function": 64,
    "AWS::Logs::LogGroup": 512,
    "AWS::Scheduler::ScheduleGroup": 64,
    "AWS::StepFunctions::StateMachine": 80,
}
"""Maximum characters of a name by type, from the API reference of each service."""

OF_A_PARENT = {"AWS::ApiGatewayV2::Stage", "AWS::Glue::Table", "AWS::IAM::Policy"}
"""Resources whose name is unique within another resource: an API's stage, a database's table, a role's policy."""

GLOBAL = {
    "AWS::Budgets::Budget",
    "AWS::CloudWatch::Dashboard",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::Role",
    "AWS::S3::Bucket",
}
"""Resources whose name is unique per account or in the world, not per region.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Dashboards.html
"""

REGION = "ap-southeast-2"  # a long name

EVERYTHING = {"budget_usd_a_month": "100", "dashboard": "true"}
"""Settings that add named resources."""


def names(assembly: Assembly, *, region: str = REGION) -> Iterator[tuple[str, str]]:
    """Yield type and name of each resource with a fixed name. CloudFormation generates the other names."""
    for found in assembly.template["Resources"].values():
        if found["Type"] not in OF_A_PARENT:
            for value in fixed_names(found):
                yield found["Type"], resolved(value, region)


def resolved(value: Any, region: str) -> str:
    if isinstance(value, dict):
        if "Fn::Join" in value:
            separator, parts = value["Fn::Join"]
            return str(separator).join(resolved(part, region) for part in parts)
        return region if value == {"Ref": "AWS::Region"} else repr(value)
    return str(value)


@pytest.fixture(name="longest", scope="module")
def the_longest_deployment() -> Assembly:
    return synthesized(stack_name="s" * LONGEST_STACK_NAME, **EVERYTHING)


@slow
def test_every_name_made_of_the_longest_stack_name_is_allowed(longest: Assembly) -> None:
    made = list(names(longest))
    assert {kind for kind, _ in made} == set(LONGEST)
    assert [(kind, name) for kind, name in made if len(name) > LONGEST[kind]] == []


@slow
def test_a_longer_stack_name_would_not_fit(longest: Assembly) -> None:
    assert min(LONGEST[kind] - len(name) for kind, name in names(longest)) == 0


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("s" * (LONGEST_STACK_NAME + 1), "at most 50 characters"),
        ("9lives", "start with a letter"),
        ("-x", "start with a letter"),
        ("", "start with a letter"),
        ("a_b", "letters a to z"),
        ("stäck", "letters a to z"),
        ("default", "has a schedule group and an event bus"),
    ],
)
def test_a_name_that_aws_would_refuse_is_an_error_before_the_deployment(name: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=f"stack_name.*{reason}"):
        Config.from_context({"stack_name": name})


@pytest.mark.parametrize("name", ["s" * LONGEST_STACK_NAME, "a", "Wave-crawl2"])
def test_other_names_are_allowed(name: str) -> None:
    assert Config.from_context({"stack_name": name}).stack_name == name


@slow
def test_the_same_stack_can_be_deployed_in_two_regions(longest: Assembly) -> None:
    here, there = (
        {one for one in names(longest, region=region) if one[0] in GLOBAL} for region in (REGION, "us-east-1")
    )
    assert {kind for kind, _ in here} == {"AWS::Budgets::Budget", "AWS::CloudWatch::Dashboard"}
    assert here & there == set()


@slow
def test_two_stacks_can_be_deployed_in_one_region(longest: Assembly, everything: Assembly) -> None:
    here, there = set(names(longest)), set(names(everything))
    assert here
    assert here & there == set()
