"""Deployment of the synthesized template to the local emulator through its API, faster than the CDK command line.

Settings that the emulator ignores in a template are applied afterwards through the services' APIs.
"""

import io
import json
import os
import re
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from tests.support.emulator import CREDENTIALS, REGION

ACCOUNT = "000000000000"
ASSETS = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
"""The bucket of `cdk bootstrap`."""

_INFRA = Path(__file__).resolve().parents[2] / "infra"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A deployed stack."""

    endpoint: str
    outputs: Mapping[str, str]
    names: Mapping[str, str] = field(repr=False)  # physical names by logical id
    template: Mapping[str, Any] = field(repr=False)

    def client(self, service: str) -> Any:
        """Return a client of the emulator."""
        return client_of(self.endpoint, service)

    def named(self, kind: str) -> list[str]:
        """Return the physical names of all resources of a type such as AWS::SQS::Queue."""
        resources = self.template["Resources"]
        return [name for id_, name in self.names.items() if resources.get(id_, {}).get("Type") == kind]

    def executions(self) -> dict[str, str]:
        """Return the ARNs of the executions by name without the hash: a crawl's id, and what follows it."""
        found = self.client("stepfunctions").list_executions(
            stateMachineArn=self.outputs["StateMachineArn"], maxResults=1_000
        )["executions"]
        return {re.sub("-[0-9a-f]{32}", "", one["name"]): one["executionArn"] for one in found}

    def set_environment(self, function: str, variables: Mapping[str, str]) -> None:
        """Add environment variables of a function."""
        functions, name = self.client("lambda"), self.function(function)
        present = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        functions.update_function_configuration(FunctionName=name, Environment={"Variables": {**present, **variables}})

    def set_fetch_concurrency(self, workers: int) -> None:
        """Limit the parallel fetch workers."""
        self.set_concurrency("fetch_batch", workers)

    def set_concurrency(self, function: str, workers: int) -> None:
        """Limit the parallel workers of a queue. An event source mapping takes at least 2; 1 is set on the function."""
        functions, name = self.client("lambda"), self.function(function)
        (mapping,) = functions.list_event_source_mappings(FunctionName=name)["EventSourceMappings"]
        functions.update_event_source_mapping(
            UUID=mapping["UUID"], ScalingConfig={"MaximumConcurrency": max(workers, 2)}
        )
        functions.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=workers)

    def function(self, name: str) -> str:
        """Return the full name of a function, such as fetch_batch."""
        return next(full for full in self.named("AWS::Lambda::Function") if full.endswith(name.replace("_", "-")))

    def set_keys(self, **keys: list[str]) -> None:
        """Replace the values in the secret: api_keys, webhook_secrets, qstash_keys."""
        content: dict[str, list[str]] = {"api_keys": [], "webhook_secrets": [], "qstash_keys": []} | keys
        self.client("secretsmanager").put_secret_value(
            SecretId=self.outputs["SecretArn"], SecretString=json.dumps(content)
        )


def deploy_to_emulator(
    endpoint: str,
    assembly: Path,
    *,
    stack: str = "wavecrawl",
    existing: bool = False,
    template: Mapping[str, Any] | None = None,
) -> Deployment:
    """Upload the assets of a cloud assembly, create its stack and return its outputs. Raise if the stack fails.

    `existing`: update the stack instead. `template`: in place of the one in the assembly.
    """
    template = template or json.loads((assembly / f"{stack}.template.json").read_text(encoding="utf-8"))
    _bootstrap(endpoint)
    _upload_assets(endpoint, assembly, stack)
    cloudformation = client_of(endpoint, "cloudformation")
    act = cloudformation.update_stack if existing else cloudformation.create_stack
    act(
        StackName=stack,
        TemplateURL=_upload_template(endpoint, template),
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"],
    )
    done = "stack_update_complete" if existing else "stack_create_complete"
    cloudformation.get_waiter(done).wait(StackName=stack, WaiterConfig={"Delay": 1})
    return deployed_stack(endpoint, template, stack=stack)


def destroy_on_emulator(endpoint: str, *, stack: str = "wavecrawl") -> None:
    """Delete a stack. Raise if that fails."""
    cloudformation = client_of(endpoint, "cloudformation")
    cloudformation.delete_stack(StackName=stack)
    cloudformation.get_waiter("stack_delete_complete").wait(StackName=stack, WaiterConfig={"Delay": 1})


def deploy_with_cdk(endpoint: str, output: Path, **context: str) -> Deployment:
    """Deploy with an operator's command line: `cdk bootstrap`, then `cdk deploy`, which synthesizes again.

    Takes about a minute. The tools are those of infra/package-lock.json (`make infra/node_modules/.done`).
    """
    settings = [f"--context={name}={value}" for name, value in ({"layer_target": "native"} | context).items()]
    for command in (["bootstrap", f"aws://{ACCOUNT}/{REGION}"], ["deploy", "--require-approval=never"]):
        _cdk(endpoint, *command, f"--output={output}", *settings)
    stack = context.get("stack_name", "wavecrawl")
    template = json.loads((output / f"{stack}.template.json").read_text(encoding="utf-8"))
    return deployed_stack(endpoint, template, stack=stack)


def deployed_stack(endpoint: str, template: Mapping[str, Any], *, stack: str = "wavecrawl") -> Deployment:
    """Return an existing stack, such as one made by `cdk deploy`, with the settings the emulator ignored."""
    cloudformation = client_of(endpoint, "cloudformation")
    outputs = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["Outputs"]
    resources = cloudformation.describe_stack_resources(StackName=stack)["StackResources"]
    deployment = Deployment(
        endpoint=endpoint,
        outputs={output["OutputKey"]: output["OutputValue"] for output in outputs},
        names={resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in resources},
        template=template,
    )
    _set_what_is_left_out(deployment)
    return deployment


def _cdk(endpoint: str, *command: str) -> None:
    environment = {
        **os.environ,
        **CREDENTIALS,
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_REGION": REGION,
        "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "18,20",
    }
    done = subprocess.run(
        [_INFRA / "node_modules" / ".bin" / "cdk", *command],
        cwd=_INFRA,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"cdk {command[0]} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")


def client_of(endpoint: str, service: str) -> Any:
    """Return a client of an emulator."""
    return boto3.client(
        service,  # type: ignore[call-overload]  # one of many services, by its name
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(parameter_validation=False),
    )


def _bootstrap(endpoint: str) -> None:
    """Create the resources of `cdk bootstrap` that a template needs."""
    client_of(endpoint, "ssm").put_parameter(
        Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String", Overwrite=True
    )


def _upload_assets(endpoint: str, assembly: Path, stack: str) -> None:
    s3 = client_of(endpoint, "s3")
    s3.create_bucket(Bucket=ASSETS)
    there = {one["Key"] for one in s3.list_objects_v2(Bucket=ASSETS).get("Contents", ())}  # named by their hashes
    for asset in json.loads((assembly / f"{stack}.assets.json").read_text(encoding="utf-8"))["files"].values():
        keys = {_filled_in(destination["objectKey"]) for destination in asset["destinations"].values()}
        if keys <= there:
            continue
        source = assembly / asset["source"]["path"]
        content = _zipped(source) if asset["source"]["packaging"] == "zip" else source.read_bytes()
        for key in keys:
            s3.put_object(Bucket=ASSETS, Key=key, Body=content)


def _upload_template(endpoint: str, template: Mapping[str, Any]) -> str:
    """Return the template's URL. A template inside a request may have at most 51,200 bytes."""
    key = "template.json"
    client_of(endpoint, "s3").put_object(Bucket=ASSETS, Key=key, Body=json.dumps(template).encode())
    return f"https://s3.{REGION}.amazonaws.com/{ASSETS}/{key}"


def _filled_in(name: str) -> str:
    return name.replace("${AWS::AccountId}", ACCOUNT).replace("${AWS::Region}", REGION)


def _zipped(folder: Path) -> bytes:
    """Return an archive, without the byte code of a function's handler, which other processes may be writing."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.parent != folder / "__pycache__":
                archive.write(path, path.relative_to(folder))
    return memory.getvalue()


def _set_what_is_left_out(deployment: Deployment) -> None:
    for id_, resource in deployment.template["Resources"].items():
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::DynamoDB::Table" and "TimeToLiveSpecification" in properties:
            time_to_live = properties["TimeToLiveSpecification"]
            deployment.client("dynamodb").update_time_to_live(
                TableName=deployment.names[id_],
                TimeToLiveSpecification={"Enabled": True, "AttributeName": time_to_live["AttributeName"]},
            )
        if resource["Type"] == "AWS::Lambda::Function" and "ReservedConcurrentExecutions" in properties:
            deployment.client("lambda").put_function_concurrency(
                FunctionName=deployment.names[id_],
                ReservedConcurrentExecutions=properties["ReservedConcurrentExecutions"],
            )
