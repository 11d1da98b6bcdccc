"""Settings for companies, all off by default: own key, closed endpoint, networks, existing data, source addresses."""

import json
from pathlib import Path
from typing import Any

import pytest
from infra.config import Config, ConfigError
from infra.constructs.authorities import authorities_layer
from infra.constructs.function_network import REQUESTERS
from infra.definition import definition
from tests.adapters.http.loopback import CA_FILE
from tests.infra.dependencies import missing_dependencies
from tests.infra.reading import CERTIFICATE, DOMAIN, only, properties
from tests.infra.senders import text
from tests.support.rights import rights_of, role_of
from tests.support.synthesis import Assembly, synthesized

KEY = "arn:aws:kms:us-east-1:123456789012:key/00000000-0000-0000-0000-000000000000"
SUBNETS, GROUP = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"], "sg-0123456789abcdef0"
INTERFACES = {
    *("ec2:CreateNetworkInterface", "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"),
    *("ec2:DeleteNetworkInterface", "ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses"),
}


@pytest.fixture(scope="module")
def closed() -> Assembly:
    """A deployment with its own key, one address for requests, and an API that answers at its domain alone."""
    return synthesized(
        certificate_arn=CERTIFICATE,
        close_default_endpoint="true",
        domain_name=DOMAIN,
        fixed_egress="true",
        kms_key_arn=KEY,
        log_source_address="true",
    )


@pytest.fixture(scope="module")
def adopting() -> Assembly:
    """A deployment in an existing VPC, over the table and the bucket of a deleted one."""
    return synthesized(
        bucket_name="old-bucket",
        ca_file="../tests/data/tls/fake-test-certificate.pem",
        no_proxy="corp.example",
        proxy="http://proxy.example:3128",
        security_group_ids=GROUP,
        subnet_ids=", ".join(SUBNETS),
        table_name="old-table",
    )


@pytest.mark.parametrize("deployment", ["closed", "adopting"])
def test_checkers_have_no_findings(deployment: str, request: pytest.FixtureRequest) -> None:
    found: Assembly = request.getfixturevalue(deployment)
    report = json.loads((found.folder / "validation-report.json").read_text(encoding="utf-8"))
    assert report["pluginReports"] == []
    assert missing_dependencies(found.template) == []


def test_by_default_none_of_them_is_on(assembly: Assembly) -> None:
    template = json.dumps(assembly.template)
    closed = ("kms:", "AWS::KMS::Key", "sourceIp", "DisableExecuteApiEndpoint")
    for absent in (*closed, "VpcConfig", "AWS::EC2::NatGateway"):
        assert absent not in template
    assert assembly.of_kind("AWS::DynamoDB::Table")
    assert assembly.of_kind("AWS::S3::Bucket")


def test_everything_stored_is_encrypted_with_the_operators_key(closed: Assembly) -> None:
    assert only(closed, "AWS::DynamoDB::Table")["SSESpecification"] == {
        "KMSMasterKeyId": KEY,
        "SSEEnabled": True,
        "SSEType": "KMS",
    }
    (rule,) = only(closed, "AWS::S3::Bucket")["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule == {
        "BucketKeyEnabled": True,
        "ServerSideEncryptionByDefault": {"KMSMasterKeyID": KEY, "SSEAlgorithm": "aws:kms"},
    }
    for kind, field in (
        ("AWS::SQS::Queue", "KmsMasterKeyId"),
        ("AWS::Logs::LogGroup", "KmsKeyId"),
        ("AWS::SNS::Topic", "KmsMasterKeyId"),
    ):
        found = properties(closed, kind)
        assert found
        assert {one[field] for one in found} == {KEY}, kind


def test_every_role_that_uses_stored_data_may_use_the_key(closed: Assembly) -> None:
    names = [found["FunctionName"] for found in properties(closed, "AWS::Lambda::Function")]
    assert len(names) > 10
    for name in names:
        assert rights_of(closed, role_of(closed, name))[KEY] == {"kms:Decrypt", "kms:GenerateDataKey"}
    for part in ("SchedulesRole", "LargeCrawlsTaskRole"):
        (policy,) = [one for id_, one in closed.of_kind("AWS::IAM::Policy").items() if id_.startswith(part)]
        assert KEY in json.dumps(policy)


def test_the_api_answers_at_its_domain_alone(closed: Assembly) -> None:
    assert only(closed, "AWS::ApiGatewayV2::Api")["DisableExecuteApiEndpoint"] is True
    assert closed.template["Outputs"]["ApiUrl"]["Value"] == f"https://{DOMAIN}"


def test_the_access_log_has_the_source_address_only_if_it_should(closed: Assembly, assembly: Assembly) -> None:
    formats = [
        json.loads(only(one, "AWS::ApiGatewayV2::Stage")["AccessLogSettings"]["Format"]) for one in (closed, assembly)
    ]
    assert formats[0].pop("sourceIp") == "$context.identity.sourceIp"
    assert formats[0] == formats[1]


def functions(assembly: Assembly) -> dict[str, dict[str, Any]]:
    return {one["FunctionName"]: one for one in properties(assembly, "AWS::Lambda::Function")}


def test_requests_come_from_one_fixed_address(closed: Assembly) -> None:
    (address,) = closed.of_kind("AWS::EC2::EIP")
    assert only(closed, "AWS::EC2::NatGateway")["AllocationId"] == {"Fn::GetAtt": [address, "AllocationId"]}
    assert closed.template["Outputs"]["EgressAddress"]["Value"] == {"Ref": address}
    subnets = [id_ for id_ in closed.of_kind("AWS::EC2::Subnet") if "EgressPrivate" in id_]
    assert len(subnets) == 2
    for name in REQUESTERS:
        network = functions(closed)[f"wavecrawl-{name.replace('_', '-')}"]["VpcConfig"]
        assert sorted(one["Ref"] for one in network["SubnetIds"]) == sorted(subnets)
    routes = [one["Properties"] for id_, one in closed.of_kind("AWS::EC2::Route").items() if "EgressPrivate" in id_]
    assert len(routes) == 2
    assert all("NatGatewayId" in route for route in routes)


def test_functions_that_request_join_an_existing_network_and_others_do_not(adopting: Assembly) -> None:
    joined = {name for name, one in functions(adopting).items() if "VpcConfig" in one}
    assert joined == {f"wavecrawl-{name.replace('_', '-')}" for name in REQUESTERS}
    for name in joined:
        assert functions(adopting)[name]["VpcConfig"] == {"SecurityGroupIds": [GROUP], "SubnetIds": SUBNETS}
        assert rights_of(adopting, role_of(adopting, name))["*"] >= INTERFACES
    assert not rights_of(adopting, role_of(adopting, "wavecrawl-api")).get("*", set()) & INTERFACES
    assert not adopting.of_kind("AWS::EC2::NatGateway")


def task_network(assembly: Assembly) -> dict[str, Any]:
    """Return the network of the Fargate task, as CloudFormation fills it in; it is the same in each state."""
    machine = only(assembly, "AWS::StepFunctions::StateMachine")
    values = machine["DefinitionSubstitutions"]
    found = [
        state["Arguments"]["NetworkConfiguration"]["AwsvpcConfiguration"]
        for state in json.loads(text(machine["DefinitionString"]))["States"].values()
        if state.get("Resource") == "arn:aws:states:::ecs:runTask.sync"
    ]
    assert len(found) == 2
    assert found[0] == found[1]
    return {
        name: [values[one[2:-1]] for one in given] if isinstance(given, list) else values[given[2:-1]]
        for name, given in found[0].items()
    }


def test_tasks_send_requests_from_the_fixed_address_too(closed: Assembly) -> None:
    """Its subnets lead to the NAT gateway, and a public address of its own would be another one."""
    network, function = task_network(closed), functions(closed)["wavecrawl-run-wave"]["VpcConfig"]
    assert network == {
        "AssignPublicIp": "DISABLED",
        "SecurityGroups": function["SecurityGroupIds"],
        "Subnets": function["SubnetIds"],
    }
    assert len(network["Subnets"]) == 2
    assert len(closed.of_kind("AWS::EC2::VPC")) == 1, "the task needs no second network"


def test_tasks_join_an_existing_network(adopting: Assembly) -> None:
    assert task_network(adopting) == {
        "AssignPublicIp": "DISABLED",
        "SecurityGroups": [GROUP],
        "Subnets": SUBNETS,
    }
    for kind in ("VPC", "Subnet", "SecurityGroup", "InternetGateway"):
        assert not adopting.of_kind(f"AWS::EC2::{kind}")


def test_by_default_tasks_have_a_network_with_public_addresses(assembly: Assembly) -> None:
    network = task_network(assembly)
    public = [id_ for id_ in assembly.of_kind("AWS::EC2::Subnet") if "Public" in id_]
    assert network["AssignPublicIp"] == "ENABLED"
    assert sorted(one["Ref"] for one in network["Subnets"]) == sorted(public)
    assert len(network["SecurityGroups"]) == 1


def test_a_network_has_any_number_of_subnets() -> None:
    """Each substitution of the definition has a value: one subnet, or 16."""
    for count in (1, 16):
        context = {"subnet_ids": ",".join(f"subnet-{one:x}" for one in range(count)), "security_group_ids": GROUP}
        machine = definition(Config.from_context(context))
        assert [one for one in range(1, 18) if f"${{Subnet{one}}}" in machine] == list(range(1, count + 1))


def test_an_existing_table_and_bucket_are_used_and_never_deleted(adopting: Assembly) -> None:
    assert not adopting.of_kind("AWS::DynamoDB::Table")
    assert not adopting.of_kind("AWS::S3::Bucket")
    variables = [one["Environment"]["Variables"] for one in functions(adopting).values()]
    assert {(one["WAVECRAWL_TABLE"], one["WAVECRAWL_BUCKET"]) for one in variables} == {("old-table", "old-bucket")}
    outputs = adopting.template["Outputs"]
    assert (outputs["TableName"]["Value"], outputs["BucketName"]["Value"]) == ("old-table", "old-bucket")
    rights = rights_of(adopting, role_of(adopting, "wavecrawl-fetch-batch"))
    table = next(one for one in rights if one.endswith("table/old-table"))
    objects = next(one for one in rights if one.endswith(":::old-bucket/tenants/*"))
    assert "dynamodb:UpdateItem" in rights[table]
    assert rights[objects] == {"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"}


def test_an_existing_bucket_refuses_what_is_not_tls(adopting: Assembly) -> None:
    policy = only(adopting, "AWS::S3::BucketPolicy")
    assert policy["Bucket"] == "old-bucket"
    statements = policy["PolicyDocument"]["Statement"]
    assert {one["Effect"] for one in statements} == {"Deny"}
    assert [one["Condition"] for one in statements] == [
        {"Bool": {"aws:SecureTransport": "false"}},
        {"NumericLessThan": {"s3:TlsVersion": "1.2"}},
    ]
    assert all(text(one["Resource"][1]).endswith(":s3:::old-bucket/*") for one in statements)


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"close_default_endpoint": "true"}, "close_default_endpoint needs domain_name"),
        ({"table_name": "t"}, "table_name and bucket_name must be set together"),
        ({"bucket_name": "b"}, "table_name and bucket_name must be set together"),
        ({"kms_key_arn": "alias/mine"}, "kms_key_arn must be the ARN of a key"),
        ({"kms_key_arn": KEY, "table_name": "t", "bucket_name": "b"}, "kms_key_arn has no effect on an existing table"),
        ({"subnet_ids": SUBNETS[0]}, "subnet_ids and security_group_ids must be set together"),
        ({"subnet_ids": "x", "security_group_ids": GROUP}, "subnet_ids must be ids such as subnet-0123456789abcdef0"),
        ({"subnet_ids": SUBNETS[0], "security_group_ids": "y"}, "security_group_ids must be ids such as sg-"),
        (
            {"subnet_ids": ",".join(SUBNETS * 9), "security_group_ids": GROUP},
            "subnet_ids must be at most 16 ids: 18",
        ),
        (
            {"subnet_ids": SUBNETS[0], "security_group_ids": ",".join([GROUP] * 6)},
            "security_group_ids must be at most 5 ids: 6",
        ),
        (
            {"subnet_ids": SUBNETS[0], "security_group_ids": GROUP, "fixed_egress": "true"},
            "fixed_egress makes a VPC of its own",
        ),
    ],
)
def test_invalid_values_are_named(context: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Config.from_context(context)


def test_functions_and_tasks_that_send_requests_trust_the_operators_authorities(
    adopting: Assembly, assembly: Assembly
) -> None:
    (layer,) = [id_ for id_ in adopting.of_kind("AWS::Lambda::LayerVersion") if "Authorities" in id_]
    found = functions(adopting)
    assert len(found) > len(REQUESTERS)
    for name, one in found.items():
        is_requester = name.removeprefix("wavecrawl-").replace("-", "_") in REQUESTERS
        variables = one["Environment"]["Variables"]
        assert variables.get("WAVECRAWL_CA_FILE") == ("/opt/authorities.pem" if is_requester else None)
        assert ({"Ref": layer} in one["Layers"]) is is_requester
        assert len(one["Layers"]) <= 5  # the limit of Lambda
    (container,) = only(adopting, "AWS::ECS::TaskDefinition")["ContainerDefinitions"]
    variables = {one["Name"]: one["Value"] for one in container["Environment"]}
    assert variables["WAVECRAWL_CA_FILE"] == "/opt/authorities.pem"
    key = adopting.of_kind("AWS::Lambda::LayerVersion")[layer]["Properties"]["Content"]["S3Key"]
    assert key in json.dumps(variables["WAVECRAWL_CODE"])
    assert "WAVECRAWL_CA_FILE" not in json.dumps(assembly.template)


@pytest.mark.parametrize(("file", "why"), [("missing.pem", "No such file"), ("cdk.json", "no certificate")])
def test_a_file_without_authorities_is_refused(file: str, why: str) -> None:
    with pytest.raises(ConfigError, match=f"ca_file must be a PEM file with certificates.*'{file}': .*{why}"):
        Config.from_context({"ca_file": file})


def test_functions_and_tasks_that_send_requests_use_the_proxy(adopting: Assembly, assembly: Assembly) -> None:
    wanted = {"WAVECRAWL_PROXY": "http://proxy.example:3128", "NO_PROXY": "corp.example"}
    found = {name: one["Environment"]["Variables"] for name, one in functions(adopting).items()}
    (container,) = only(adopting, "AWS::ECS::TaskDefinition")["ContainerDefinitions"]
    found["fetch_task"] = {one["Name"]: one["Value"] for one in container["Environment"]}
    users = {name for name, variables in found.items() if variables.items() >= wanted.items()}
    assert users == {f"wavecrawl-{name.replace('_', '-')}" for name in REQUESTERS} | {"fetch_task"}
    assert not [name for name, variables in found.items() if name not in users and wanted.keys() & variables.keys()]
    assert not [name for name in wanted if name in json.dumps(assembly.template)]


@pytest.mark.parametrize(
    ("context", "problem"),
    [
        ({"proxy": "socks5://proxy.example"}, "proxy must be the URL of an HTTP proxy"),
        ({"proxy": "http://me:secret@proxy.example"}, "proxy must have no user name and password"),
        ({"no_proxy": "corp.example"}, "no_proxy has no effect without proxy"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_refused(context: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_context(context)
    assert problem in str(caught.value)
    assert "secret" not in str(caught.value)


def test_their_layer_is_the_file_alone() -> None:
    folder = authorities_layer(Path(CA_FILE)).folder
    assert [one.relative_to(folder) for one in folder.rglob("*")] == [Path("authorities.pem")]
    assert (folder / "authorities.pem").read_bytes() == Path(CA_FILE).read_bytes()
