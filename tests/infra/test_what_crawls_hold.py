"""What a running crawl holds of the deployment keeps its logical id and its name in an update.

Its execution keeps the definition that it was started with, with the ARNs of functions, cluster, subnets and security
group; its messages are in the queues, its state in the table and the bucket. CloudFormation replaces a resource whose
logical id changes, or a property that cannot be updated: the old one is deleted, or stays without a user.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
"""

import json
from pathlib import Path
from typing import Any

from tests.support.synthesis import Assembly

STORED = Path(__file__).resolve().parents[1] / "data" / "held_resources.json"

REPLACING = {
    "AWS::ApiGatewayV2::Api": ("Name", "ProtocolType"),
    "AWS::DynamoDB::Table": ("TableName", "KeySchema"),
    "AWS::EC2::SecurityGroup": ("GroupName", "GroupDescription", "VpcId"),
    "AWS::EC2::Subnet": ("VpcId", "CidrBlock", "AvailabilityZone"),
    "AWS::EC2::VPC": ("CidrBlock", "InstanceTenancy"),
    "AWS::ECS::Cluster": ("ClusterName",),
    "AWS::Events::EventBus": ("Name",),
    "AWS::Glue::Database": ("DatabaseInput",),
    "AWS::Lambda::Function": ("FunctionName", "PackageType"),
    "AWS::S3::Bucket": ("BucketName",),
    "AWS::SQS::Queue": ("QueueName", "FifoQueue"),
    "AWS::Scheduler::ScheduleGroup": ("Name",),
    "AWS::SecretsManager::Secret": ("Name",),
    "AWS::StepFunctions::StateMachine": ("StateMachineName", "StateMachineType"),
}
"""The types, and their properties that cannot be updated in place, from the reference of each resource."""

ADVICE = (
    "An update would replace what running crawls use. Keep the logical id (`override_logical_id` on the resource) and"
    " the listed properties. A resource that is only added belongs in tests/data/held_resources.json: write it with"
    " `python -m tests.infra.test_what_crawls_hold`. One that must change needs a step in docs/operations.md, Upgrades:"
    " stop all crawls, update, start them again."
)


def held(template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the resources that crawls hold, by logical id: type, and the properties that must not change."""
    return {
        id_: {"Type": found["Type"]}
        | {name: value for name, value in found.get("Properties", {}).items() if name in REPLACING[found["Type"]]}
        for id_, found in sorted(template["Resources"].items())
        if found["Type"] in REPLACING
    }


def test_what_running_crawls_hold_is_not_replaced_by_an_update(assembly: Assembly) -> None:
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert len(stored) > 30
    now = held(dict(assembly.template))
    changed = [id_ for id_, found in stored.items() if now.get(id_) != found]
    assert changed == [], ADVICE
    assert sorted(now.keys() - stored.keys()) == [], ADVICE


if __name__ == "__main__":
    from tests.support.synthesis import synthesized

    STORED.write_text(json.dumps(held(dict(synthesized().template)), indent=1) + "\n", encoding="utf-8")
