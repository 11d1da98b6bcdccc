"""The network of functions and tasks that send requests to sites: an existing VPC, or one with a fixed address.

Without either setting, functions use the network of Lambda, which costs nothing and has changing addresses, and the
Fargate task has one of its own (`large_crawls.py`).
https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-task-networking.html
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.config import Config
from infra.constructs.acknowledgements import acknowledge

REQUESTERS: Final = (
    *("open_crawl", "run_wave", "read_sitemaps"),
    *("fetch_batch", "render_batch", "process_media", "deliver"),
)
"""The functions that send requests to sites or to receivers of webhooks."""

_INTERFACES: Final = (
    *("ec2:CreateNetworkInterface", "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"),
    *("ec2:DeleteNetworkInterface", "ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses"),
)
"""What Lambda does with the role of a function in a VPC, on resources that are not known before:
https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionNetwork:
    """The subnets and security groups of functions and tasks."""

    subnets: Sequence[str]
    security_groups: Sequence[str]
    address: str = ""  # from which sites see requests; "" = the existing VPC decides
    public: bool = False  # whether each task has a public address, as there is no NAT gateway


def function_network(scope: Construct, config: Config) -> FunctionNetwork | None:
    """Return the network of the settings, None if there is none."""
    if config.subnet_ids:
        return FunctionNetwork(subnets=config.subnets, security_groups=config.security_groups)
    return _with_fixed_address(scope) if config.fixed_egress else None


def join(network: FunctionNetwork, function: lambda_.Function, role: iam.Role) -> None:
    """Put a function into a network."""
    resource = function.node.default_child
    if not isinstance(resource, lambda_.CfnFunction):
        raise TypeError(f"the function's resource is a {type(resource).__name__}, not a CfnFunction")
    resource.vpc_config = lambda_.CfnFunction.VpcConfigProperty(
        subnet_ids=list(network.subnets), security_group_ids=list(network.security_groups)
    )
    role.add_to_policy(iam.PolicyStatement(actions=list(_INTERFACES), resources=["*"]))


def _with_fixed_address(scope: Construct) -> FunctionNetwork:
    """Make a VPC whose requests leave through one NAT gateway. S3 and DynamoDB are reached without it, free."""
    vpc = ec2.Vpc(
        scope,
        "Egress",
        max_azs=2,
        nat_gateways=1,
        restrict_default_security_group=False,  # nothing uses it
        gateway_endpoints={
            "Bucket": ec2.GatewayVpcEndpointOptions(service=ec2.GatewayVpcEndpointAwsService.S3),
            "Table": ec2.GatewayVpcEndpointOptions(service=ec2.GatewayVpcEndpointAwsService.DYNAMODB),
        },
    )
    acknowledge(vpc, "AwsSolutions-VPC7", "Only functions and tasks use the network, and nothing can connect to them.")
    group = ec2.SecurityGroup(
        vpc, "Requests", vpc=vpc, description="Requests to sites, nothing inbound", allow_all_outbound=True
    )
    addresses = [one for one in vpc.node.find_all() if isinstance(one, ec2.CfnEIP)]
    return FunctionNetwork(
        subnets=[subnet.subnet_id for subnet in vpc.private_subnets],
        security_groups=[group.security_group_id],
        address=addresses[0].ref,
    )
