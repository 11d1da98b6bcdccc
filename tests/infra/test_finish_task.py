"""The Fargate task that finishes large crawls: what it may do, and that it costs nothing while it does not run."""

import json
from typing import Any

import pytest
from infra.config import Config
from infra.definition import LARGE, definition
from tests.infra.reading import only, properties
from tests.infra.senders import text
from tests.support.synthesis import Assembly

HOURLY = (
    "AWS::EC2::NatGateway",
    "AWS::EC2::EIP",
    "AWS::EC2::Instance",
    "AWS::ECS::Service",
    "AWS::ElasticLoadBalancingV2::LoadBalancer",
)
"""What would cost something while no task runs. A gateway endpoint is free, an interface endpoint is not."""


def actions_of(assembly: Assembly, part: str) -> dict[str, list[str]]:
    """Return the allowed actions of the roles whose logical id contains `part`, by the service they are for."""
    found: dict[str, list[str]] = {}
    for id_, policy in assembly.of_kind("AWS::IAM::Policy").items():
        if part in id_:
            for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
                actions = statement["Action"]
                for action in [actions] if isinstance(actions, str) else actions:
                    service, _, name = action.partition(":")
                    found.setdefault(service, []).append(name)
    return {service: sorted(set(names)) for service, names in found.items()}


def test_nothing_of_it_costs_anything_while_no_task_runs(assembly: Assembly) -> None:
    assert not [kind for kind in HOURLY if assembly.of_kind(kind)]
    endpoints = properties(assembly, "AWS::EC2::VPCEndpoint")
    assert endpoints
    assert {endpoint["VpcEndpointType"] for endpoint in endpoints} == {"Gateway"}


def test_nothing_can_connect_to_the_task(assembly: Assembly) -> None:
    group = only(assembly, "AWS::EC2::SecurityGroup")
    assert "SecurityGroupIngress" not in group
    egress = [(rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) for rule in group["SecurityGroupEgress"]]
    assert egress == [("tcp", 0, 65_535)], "a host may have its robots.txt on any port"


def test_the_task_may_do_what_the_functions_may_do_and_read_its_own_code(assembly: Assembly) -> None:
    """It finishes as finish_crawl does, and plans as run_wave does, which then dispatches the plan itself."""
    finish, plan = actions_of(assembly, "FunctionsFinishCrawlRole"), actions_of(assembly, "FunctionsRunWaveRole")
    task = actions_of(assembly, "LargeCrawlsTaskRole")
    assert finish
    assert plan
    shared = {"dynamodb", "logs", "s3"}
    assert task == {
        **{service: names for service, names in finish.items() if service != "xray"},
        **{service: sorted({*finish[service], *plan[service]}) for service in shared},
        "secretsmanager": plan["secretsmanager"],
    }
    assert actions_of(assembly, "LargeCrawlsStartRole") == {"logs": ["CreateLogStream", "PutLogEvents"]}


def test_the_state_machine_may_run_this_task_and_pass_its_roles_only(assembly: Assembly) -> None:
    (policy,) = [found for id_, found in assembly.of_kind("AWS::IAM::Policy").items() if id_.startswith("CrawlRole")]
    statements = {json.dumps(one["Action"]): one for one in policy["Properties"]["PolicyDocument"]["Statement"]}
    family = only(assembly, "AWS::ECS::TaskDefinition")["Family"]
    assert text(statements['"ecs:RunTask"']["Resource"]).endswith(f":task-definition/{family}:*")
    passed = statements['"iam:PassRole"']
    assert passed["Condition"] == {"StringEquals": {"iam:PassedToService": "ecs-tasks.amazonaws.com"}}
    assert ["LargeCrawls" in role["Fn::GetAtt"][0] for role in passed["Resource"]] == [True, True]


def test_the_state_machine_may_stop_and_see_tasks_of_its_own_cluster_only(assembly: Assembly) -> None:
    (policy,) = [found for id_, found in assembly.of_kind("AWS::IAM::Policy").items() if id_.startswith("CrawlRole")]
    (statement,) = [
        one for one in policy["Properties"]["PolicyDocument"]["Statement"] if "ecs:StopTask" in one["Action"]
    ]
    (cluster,) = assembly.of_kind("AWS::ECS::Cluster")
    assert sorted(statement["Action"]) == ["ecs:DescribeTasks", "ecs:StopTask"]
    assert statement["Condition"] == {"ArnEquals": {"ecs:cluster": {"Fn::GetAtt": [cluster, "Arn"]}}}
    assert text(statement["Resource"]).endswith(":task/wavecrawl/*")


def test_a_running_crawl_finishes_with_the_task_of_the_newest_release(assembly: Assembly) -> None:
    """An execution keeps its definition, and an update deregisters the revision that was current when it started."""
    machine = only(assembly, "AWS::StepFunctions::StateMachine")
    family = only(assembly, "AWS::ECS::TaskDefinition")["Family"]
    assert machine["DefinitionSubstitutions"]["FinishTask"] == family == "wavecrawl-finish-large-crawl"
    (task,) = assembly.of_kind("AWS::ECS::TaskDefinition")
    assert task not in json.dumps(machine)


def test_the_task_runs_the_layers_of_the_functions(assembly: Assembly) -> None:
    (container,) = only(assembly, "AWS::ECS::TaskDefinition")["ContainerDefinitions"]
    environment = {one["Name"]: one["Value"] for one in container["Environment"]}
    code = json.dumps(environment["WAVECRAWL_CODE"])
    function = next(
        found["Properties"] for id_, found in assembly.of_kind("AWS::Lambda::Function").items() if "FinishCrawl" in id_
    )
    versions = assembly.of_kind("AWS::Lambda::LayerVersion")
    layers = [versions[layer["Ref"]]["Properties"]["Content"]["S3Key"] for layer in function["Layers"]]
    assert layers
    assert [key for key in layers if key not in code] == []
    given = function["Environment"]["Variables"]
    assert {name: environment[name] for name in given} == given


def test_each_step_before_the_results_knows_from_which_size_the_task_finishes(assembly: Assembly) -> None:
    known = {
        id_: found["Properties"]["Environment"]["Variables"].get("WAVECRAWL_FINISH_PAGES")
        for id_, found in assembly.of_kind("AWS::Lambda::Function").items()
    }
    assert {id_ for id_, most in known.items() if most == str(Config().finish_pages)} == {
        id_ for id_ in known if "OpenCrawl" in id_ or "RunWave" in id_ or "ReadSitemaps" in id_
    }


@pytest.mark.parametrize("kind", ["AWS::EC2::VPC", "AWS::ECS::Cluster", "AWS::ECS::TaskDefinition"])
def test_it_can_be_left_out(least: Assembly, kind: str) -> None:
    assert not least.of_kind(kind)
    assert "FINISH_PAGES" not in json.dumps(least.template)


def test_without_it_the_state_machine_has_no_step_for_it() -> None:
    steps: dict[str, Any] = json.loads(definition(Config(large_crawls=False)))["States"]
    assert set(LARGE) <= set(json.loads(definition(Config()))["States"])
    assert [name for name in LARGE if name in json.dumps(steps)] == []
