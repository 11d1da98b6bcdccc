"""A deployment is created, updated and deleted twice under the same name."""

from collections.abc import Iterator

import pytest
from botocore.exceptions import WaiterError
from tests.support.deploy import ASSETS, client_of, deploy_to_emulator, destroy_on_emulator
from tests.support.emulator import started_emulator
from tests.support.synthesis import synthesized

LISTS = {
    "alarm": ("cloudwatch", "describe_alarms", "MetricAlarms", "AlarmName"),
    "api": ("apigatewayv2", "get_apis", "Items", "ApiId"),
    "bucket": ("s3", "list_buckets", "Buckets", "Name"),
    "bus": ("events", "list_event_buses", "EventBuses", "Name"),
    "dashboard": ("cloudwatch", "list_dashboards", "DashboardEntries", "DashboardName"),
    "function": ("lambda", "list_functions", "Functions", "FunctionName"),
    "group": ("scheduler", "list_schedule_groups", "ScheduleGroups", "Name"),
    "logs": ("logs", "describe_log_groups", "logGroups", "logGroupName"),
    "machine": ("stepfunctions", "list_state_machines", "stateMachines", "name"),
    "mapping": ("lambda", "list_event_source_mappings", "EventSourceMappings", "UUID"),
    "queue": ("sqs", "list_queues", "QueueUrls", ""),
    "role": ("iam", "list_roles", "Roles", "RoleName"),
    "rule": ("events", "list_rules", "Rules", "Name"),
    "schedule": ("scheduler", "list_schedules", "Schedules", "Name"),
    "secret": ("secretsmanager", "list_secrets", "SecretList", "ARN"),
    "table": ("dynamodb", "list_tables", "TableNames", ""),
    "topic": ("sns", "list_topics", "Topics", "TopicArn"),
}
"""How to list the resources of an account: service, operation, list in the response, and field with the name."""

IN_EACH_ACCOUNT = {("bus", "default"), ("group", "default")}

DATA = ["bucket", "secret", "table"]


@pytest.fixture(name="endpoint")
def an_account() -> str:
    return started_emulator().url


def resources(endpoint: str) -> set[tuple[str, str]]:
    """Return kind and name of all resources."""
    found = {(kind, name) for kind, how in LISTS.items() for name in listed(endpoint, *how)}
    return found - IN_EACH_ACCOUNT - {("bucket", ASSETS)}


def listed(endpoint: str, service: str, operation: str, member: str, name: str) -> Iterator[str]:
    client = client_of(endpoint, service)
    pages = (
        client.get_paginator(operation).paginate() if client.can_paginate(operation) else [getattr(client, operation)()]
    )
    for page in pages:
        for one in page.get(member, []):
            yield one[name] if name else one


def live(endpoint: str, **changed: str) -> None:
    """Deploy the stack, give it a schedule, update it with a changed setting, and destroy it."""
    deploy_to_emulator(endpoint, synthesized().folder)
    client_of(endpoint, "scheduler").create_schedule(
        Name="site",
        GroupName="wavecrawl",
        ScheduleExpression="cron(0 0 ? * 1 *)",
        FlexibleTimeWindow={"Mode": "OFF"},
        Target={
            "Arn": "arn:aws:lambda:us-east-1:000000000000:function:wavecrawl-start-site",
            "RoleArn": "arn:aws:iam::000000000000:role/test",
        },
    )
    deploy_to_emulator(endpoint, synthesized(**changed).folder, existing=True)
    destroy_on_emulator(endpoint)


def test_a_deployment_can_be_made_twice_and_leaves_its_data_alone(endpoint: str) -> None:
    live(endpoint, log_level="DEBUG")
    first = resources(endpoint)
    assert sorted(kind for kind, _ in first) == DATA
    live(endpoint, keep_data="false")
    assert resources(endpoint) <= first  # the emulator gives the second table the name of the first


def test_a_first_deployment_that_fails_leaves_nothing_and_can_be_tried_again(endpoint: str) -> None:
    template = dict(synthesized().template)
    others = list(template["Resources"])
    template["Resources"] = template["Resources"] | {
        "Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
        "Never": {
            "Type": "AWS::CloudFormation::WaitCondition",
            "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": "1"},
            "DependsOn": others,
        },
    }
    with pytest.raises(WaiterError, match="ROLLBACK"):
        deploy_to_emulator(endpoint, synthesized().folder, template=template)
    assert resources(endpoint) == set()
    destroy_on_emulator(endpoint)  # a stack that was rolled back must be deleted before its name can be used again
    deploy_to_emulator(endpoint, synthesized().folder)
