"""What the resources of a template cost in a month in which nothing runs: list prices of us-east-1, without free tiers.

A type of resource that is neither priced nor known to be free raises KeyError, so no new resource goes unnoticed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.support.synthesis import Assembly

HOURS: Final = 730.0  # of a month, as AWS counts
POLLS: Final = 5 * 3 * 60 * 24 * 30
"""Requests of a mapping in a month: five pollers that wait 20 seconds each.

https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
"""

_ALARM: Final = 0.10  # each metric of an alarm of standard resolution: https://aws.amazon.com/cloudwatch/pricing/
_DASHBOARD: Final = 3.00  # https://aws.amazon.com/cloudwatch/pricing/
_SECRET: Final = 0.40  # https://aws.amazon.com/secrets-manager/pricing/
_KEY: Final = 1.00  # https://aws.amazon.com/kms/pricing/
_POLL: Final = 0.40 / 1_000_000  # https://aws.amazon.com/sqs/pricing/
_NAT: Final = 0.045 * HOURS  # https://aws.amazon.com/vpc/pricing/
_ADDRESS: Final = 0.005 * HOURS  # a public IPv4 address: https://aws.amazon.com/vpc/pricing/
_ENDPOINT: Final = 0.01 * HOURS  # an interface endpoint in one zone: https://aws.amazon.com/privatelink/pricing/


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What one resource costs in a month."""

    kind: str
    id: str
    dollars: float


_FREE: Final = frozenset(
    (
        # They control access, or describe something: nothing is billed.
        *("AWS::IAM::Role", "AWS::IAM::Policy", "AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy"),
        *("AWS::SNS::TopicPolicy", "AWS::Lambda::Permission", "AWS::Lambda::EventInvokeConfig"),
        *("AWS::Lambda::LayerVersion", "AWS::Scheduler::ScheduleGroup", "AWS::SNS::Subscription"),
        *("AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::Stage"),
        *("AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::ApiMapping", "AWS::ECS::TaskDefinition"),
        *("AWS::KMS::Alias", "AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress"),
        # Billed by use or by size; both are zero.
        *("AWS::S3::Bucket", "AWS::S3Vectors::VectorBucket", "AWS::SQS::Queue", "AWS::SNS::Topic"),
        *("AWS::Events::EventBus", "AWS::Events::Rule", "AWS::StepFunctions::StateMachine"),
        *("AWS::ApiGatewayV2::Api", "AWS::Athena::WorkGroup", "AWS::Glue::Database", "AWS::Glue::Table"),
        *("AWS::Logs::LogGroup", "AWS::ECS::Cluster"),
        # A budget that only notifies: https://aws.amazon.com/aws-cost-management/aws-budgets/pricing/
        "AWS::Budgets::Budget",
        # A network without NAT gateways, addresses or interface endpoints: https://aws.amazon.com/vpc/pricing/
        *("AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::RouteTable", "AWS::EC2::SubnetRouteTableAssociation"),
        *("AWS::EC2::Route", "AWS::EC2::InternetGateway", "AWS::EC2::VPCGatewayAttachment"),
        "AWS::EC2::SecurityGroup",
    )
)


def idle_items(assembly: Assembly) -> list[Item]:
    """Return what each resource costs that costs something."""
    resources: Mapping[str, Mapping[str, Any]] = assembly.template["Resources"]
    return [
        Item(kind=resource["Type"], id=id_, dollars=dollars)
        for id_, resource in resources.items()
        if (dollars := sum(_prices(resource["Type"], resource.get("Properties", {}))))
    ]


def idle_cost(assembly: Assembly) -> float:
    """Return the dollars of a month."""
    return sum(item.dollars for item in idle_items(assembly))


def _prices(kind: str, given: Mapping[str, Any]) -> Iterator[float]:
    """Yield the prices of a resource."""
    if kind in _FREE:
        return
    if kind == "AWS::CloudWatch::Alarm":
        if given.get("Period", 60) < 60:
            raise KeyError("an alarm of high resolution has another price")
        metrics = [one for one in given.get("Metrics", [{"MetricStat": {}}]) if "MetricStat" in one]
        yield from (_ALARM for _ in metrics)
    elif kind == "AWS::DynamoDB::Table":
        if given["BillingMode"] != "PAY_PER_REQUEST":
            raise KeyError("provisioned capacity costs by the hour")
    elif kind == "AWS::Lambda::Function":
        if "SnapStart" in given:
            raise KeyError("SnapStart of Python costs by the hour")
    elif kind == "AWS::Lambda::EventSourceMapping":
        yield POLLS * _POLL
    elif kind == "AWS::EC2::VPCEndpoint":
        zones = len(given.get("SubnetIds", [0]))
        yield _ENDPOINT * zones if given.get("VpcEndpointType") == "Interface" else 0.0
    else:
        yield _FLAT[kind]


_FLAT: Final = {
    "AWS::CloudWatch::Dashboard": _DASHBOARD,
    "AWS::SecretsManager::Secret": _SECRET,
    "AWS::KMS::Key": _KEY,
    "AWS::EC2::NatGateway": _NAT,
    "AWS::EC2::EIP": _ADDRESS,
}
