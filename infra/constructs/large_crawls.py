"""The Fargate task that finishes crawls which are too large for the function finish_crawl (ADR 16).

Nothing here costs anything while no task runs: a VPC with public subnets, no NAT gateway, an empty cluster. If the
functions have a network of their own, the task runs in it, and there is no further VPC. Docker is not needed: the task
runs a public image of AWS, and loads the layers of the functions when it starts.
"""

from typing import Final

from aws_cdk import Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from infra.config import Config
from infra.constructs.access import Resources, grant
from infra.constructs.acknowledgements import acknowledge
from infra.constructs.encryption import let_use
from infra.constructs.function_network import FunctionNetwork
from infra.constructs.functions import Functions
from infra.constructs.layers import BuiltLayers
from infra.constructs.log_groups import log_group
from infra.constructs.principals import service
from infra.definition import placeholders

START: Final = """
import os, sys, zipfile
sys.path.append("/var/runtime")
import boto3
s3, folder = boto3.client("s3"), os.environ.get("WAVECRAWL_CODE_FOLDER", "/opt")
for number, place in enumerate(os.environ["WAVECRAWL_CODE"].split()):
    bucket, _, key = place.partition("/")
    path = os.path.join(folder, f"layer-{number}.zip")
    s3.download_file(bucket, key, path)
    zipfile.ZipFile(path).extractall(folder)
    os.remove(path)
os.environ["PYTHONPATH"] = os.path.join(folder, "python") + ":/var/runtime"
program = os.environ.get("WAVECRAWL_PROGRAM", "finish_large_crawl")
os.execv(sys.executable, [sys.executable, "-m", f"wavecrawl.cloud.{program}"])
"""
"""What the container runs: load the layers, then start. In the image boto3 may be outside the path of Python."""

CONTAINER: Final = "finish"
CPU: Final = 4_096  # four vCPUs
MEMORY_MB: Final = 16_384  # above five million pages, the state machine asks for 30,720, the most for four vCPUs
STORAGE_GB: Final = 200
"""The most that Fargate offers: https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_EphemeralStorage.html."""


_ECS: Final = "arn:<AWS::Partition>:ecs:<AWS::Region>:<AWS::AccountId>"
_NOT_KNOWN: Final = "The id of a task and the revision after an update are not known at deployment."


class LargeCrawls(Construct):
    """The network, the cluster and the task definition."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        config: Config,
        functions: Functions,
        layers: BuiltLayers,
        resources: Resources,
    ) -> None:
        super().__init__(scope, construct_id)
        self.family = f"{config.stack_name}-finish-large-crawl"
        logs = log_group(self, "Logs", name=f"/aws/ecs/{self.family}", config=config)
        self.network = functions.network or self._network()
        # Not ecs.Cluster, which makes a VPC if it has none: a cluster of Fargate tasks is in no network.
        self.cluster = ecs.CfnCluster(Construct(self, "Cluster"), "Resource", cluster_name=config.stack_name)
        acknowledge(self.cluster, "AwsSolutions-ECS4", "The task writes logs and metrics of its own; insights cost.")
        code = [
            assets.Asset(self, name, path=str(layer.folder))
            for name, layer in (
                ("Wavecrawl", layers.wavecrawl),
                ("Dependencies", layers.dependencies),
                ("Analytics", layers.analytics),
                ("Authorities", layers.authorities),
            )
            if layer is not None
        ]
        self.task_role = self._role("TaskRole", "Permissions of the task that finishes large crawls")
        grant(self.task_role, "finish_crawl", resources, logs=logs)
        let_use(self.task_role, config)
        grant(self.task_role, "plan_large_wave", resources, logs=logs)
        self.task_role.add_to_policy(
            iam.PolicyStatement(
                actions=["s3:GetObject"],
                resources=[asset.bucket.arn_for_objects(asset.s3_object_key) for asset in code],
            )
        )
        self.execution_role = self._role("StartRole", "Permissions to start the task that finishes large crawls")
        self.task = ecs.FargateTaskDefinition(
            self,
            "Task",
            family=self.family,
            cpu=CPU,
            memory_limit_mib=MEMORY_MB,
            ephemeral_storage_gib=STORAGE_GB,
            runtime_platform=ecs.RuntimePlatform(
                cpu_architecture=ecs.CpuArchitecture.ARM64, operating_system_family=ecs.OperatingSystemFamily.LINUX
            ),
            task_role=self.task_role,
            execution_role=self.execution_role,
        )
        self.task.node.add_dependency(self.task_role, self.execution_role)  # and their policies
        acknowledge(self.task, "AwsSolutions-ECS2", "The variables are names and numbers; secrets are not among them.")
        self.task.add_container(
            CONTAINER,
            image=ecs.ContainerImage.from_registry(config.task_image),
            entry_point=["python3", "-c", START],
            environment=functions.environment("finish_crawl")
            | functions.requesting()
            | {"WAVECRAWL_CODE": " ".join(f"{asset.s3_bucket_name}/{asset.s3_object_key}" for asset in code)},
            logging=ecs.LogDrivers.aws_logs(stream_prefix="task", log_group=logs),
        )

    def substitutions(self) -> dict[str, str]:
        """Return what the state machine needs to run the task.

        It names the family of the task definition, which means its latest revision. An update of the stack deregisters
        the earlier revisions, and a crawl that is running keeps the definition that it was started with.
        https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_RunTask.html
        """
        return {
            "Cluster": self.cluster.attr_arn,
            "FinishTask": self.family,
            "PublicIp": "ENABLED" if self.network.public else "DISABLED",
            **placeholders("Subnet", self.network.subnets),
            **placeholders("SecurityGroup", self.network.security_groups),
        }

    def let_run(self, role: iam.Role) -> None:
        """Let the state machine run any revision of the task, wait for it, and stop it.

        https://docs.aws.amazon.com/step-functions/latest/dg/connect-ecs.html#sync-async-iam-policies
        https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelasticcontainerservice.html
        """
        revisions = self._arn("task-definition", f"{self.family}:*")
        tasks = self._arn("task", f"{Stack.of(self).stack_name}/*")
        for name in (f"task-definition/{self.family}:*", f"task/{Stack.of(self).stack_name}/*"):
            acknowledge(role, f"AwsSolutions-IAM5[Resource::{_ECS}:{name}]", _NOT_KNOWN)
        rule = Stack.of(self).format_arn(
            service="events", resource="rule", resource_name="StepFunctionsGetEventsForECSTaskRule"
        )
        for actions, resources in (
            (["ecs:RunTask"], [revisions]),
            (["events:PutTargets", "events:PutRule", "events:DescribeRule"], [rule]),
        ):
            role.add_to_policy(iam.PolicyStatement(actions=actions, resources=resources))
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["ecs:StopTask", "ecs:DescribeTasks"],
                resources=[tasks],  # the id of a task is not known before
                conditions={"ArnEquals": {"ecs:cluster": self.cluster.attr_arn}},
            )
        )
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["iam:PassRole"],
                resources=[self.task_role.role_arn, self.execution_role.role_arn],
                conditions={"StringEquals": {"iam:PassedToService": "ecs-tasks.amazonaws.com"}},
            )
        )

    def _arn(self, resource: str, name: str) -> str:
        return Stack.of(self).format_arn(service="ecs", resource=resource, resource_name=name)

    def _network(self) -> FunctionNetwork:
        """Make a VPC without NAT gateway. A task in it needs a public address, through which it loads its image."""
        vpc = ec2.Vpc(
            self,
            "Network",
            max_azs=2,
            nat_gateways=0,
            restrict_default_security_group=False,  # nothing uses it
            subnet_configuration=[ec2.SubnetConfiguration(name="Public", subnet_type=ec2.SubnetType.PUBLIC)],
            gateway_endpoints={
                "Bucket": ec2.GatewayVpcEndpointOptions(service=ec2.GatewayVpcEndpointAwsService.S3),
                "Table": ec2.GatewayVpcEndpointOptions(service=ec2.GatewayVpcEndpointAwsService.DYNAMODB),
            },
        )
        acknowledge(vpc, "AwsSolutions-VPC7", "Only the task uses the network, and nothing can connect to it.")
        # The description stays as it is: CloudFormation replaces a group whose description changes, and a crawl that
        # runs during the update names the earlier group.
        group = ec2.SecurityGroup(
            self, "Egress", vpc=vpc, description="HTTPS to AWS, nothing inbound", allow_all_outbound=False
        )
        group.add_egress_rule(
            ec2.Peer.any_ipv4(), ec2.Port.all_tcp(), "AWS APIs, the image, and robots.txt of hosts with any port"
        )
        return FunctionNetwork(
            subnets=[subnet.subnet_id for subnet in vpc.public_subnets],
            security_groups=[group.security_group_id],
            public=True,
        )

    def _role(self, construct_id: str, description: str) -> iam.Role:
        return iam.Role(
            self, construct_id, assumed_by=service(self, "ecs-tasks.amazonaws.com"), description=description
        )
