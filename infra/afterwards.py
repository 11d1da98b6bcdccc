"""What follows a command of the CDK: `python -m infra.afterwards synthesized|deployed|kept [options of cdk deploy]`.

`synthesized` prints where the template is and the next command. `deployed` prints where the service is and the next
commands. `kept` prints the resources that stay if the stack is deleted, and how to remove them; `make destroy` runs it
before the stack and its outputs are gone.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from infra.command_line import Options, options, run
from wavecrawl.adapters.aws.deployment import deployment
from wavecrawl.adapters.aws.operator_errors import explained
from wavecrawl.errors import ForbiddenError

_RETAINED: Final = ("Retain", "RetainExceptOnCreate")
_DELETION: Final = "docs/operations.md#retention-and-deletion"
_REMOVED_BY: Final = {
    "AWS::DynamoDB::Table": "aws dynamodb delete-table --table-name {}",
    "AWS::S3::Bucket": f"aws s3api delete-bucket --bucket {{}}     # when it is empty: {_DELETION}",
    "AWS::S3Vectors::VectorBucket": "aws s3vectors delete-vector-bucket --vector-bucket-arn {}"
    f"     # when it has no indexes: {_DELETION}",
    "AWS::SecretsManager::Secret": "aws secretsmanager delete-secret --force-delete-without-recovery --secret-id {}",
}


def synthesized(given: Options) -> Iterator[str]:
    """Yield the line that `make synth` ends with."""
    name = f"build/cdk.out/{given.config.stack_name}.template.json"
    contact = given.config.contact or "https://example.com/crawler"
    yield f'template: {name}; next: make deploy ARGS="-c contact={contact}" (docs/aws.md)'


def deployed(given: Options) -> Iterator[str]:
    """Yield the lines that `make deploy` ends with."""
    stack = given.config.stack_name
    found = deployment(stack, session=given.session)
    yield f"stack {stack}: {found.status}"
    yield f"API        {found.outputs.get('CustomUrl') or found.output('ApiUrl')}"
    if "CustomDomainTarget" in found.outputs:
        yield f"           point {given.config.domain_name} at {found.output('CustomDomainTarget')} in your DNS"
    if "DashboardUrl" in found.outputs:
        yield f"dashboard  {found.output('DashboardUrl')}"
    yield "next:"
    yield f"  .venv/bin/wavecrawl admin init --stack {stack}     # creates the first keys, once"
    yield f"  .venv/bin/wavecrawl doctor --stack {stack} --crawl # checks the deployment, by a small crawl too"


def kept(given: Options) -> Iterator[str]:
    """Yield the lines that `make destroy` ends with. Read the stack, which must still exist."""
    stack = given.config.stack_name
    outputs = deployment(stack, session=given.session).outputs
    resources, unknown = list(_retained(given, outputs)), ""
    try:
        resources += _secrets_of_functions(given)
    except ForbiddenError as error:  # the stack can be deleted without the permission to list secrets
        unknown = f"  secrets whose names begin with {stack}/ stay too, but they could not be listed: {error}"
    if not resources and not unknown:
        yield f"nothing of stack {stack} stays"
        return
    yield f"what stays of stack {stack}, and how to remove it:"
    for kind, name in resources:
        yield f"  {kind} {name}"
        if kind in _REMOVED_BY:
            yield f"    {_REMOVED_BY[kind].format(name)}"
    if unknown:
        yield unknown


def _retained(given: Options, outputs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the type and the name of each resource that stays: those that the stack retains, or only uses."""
    client, stack = given.session.client("cloudformation"), given.config.stack_name
    with explained(f"reading the resources of stack {stack}"):
        template = client.get_template(StackName=stack)["TemplateBody"]["Resources"]
        pages = list(client.get_paginator("list_stack_resources").paginate(StackName=stack))
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
    for resource in resources:
        policy = template.get(resource["LogicalResourceId"], {}).get("DeletionPolicy")
        if policy in _RETAINED:
            yield resource["ResourceType"], resource["PhysicalResourceId"]
    own = {resource["PhysicalResourceId"] for resource in resources}
    for kind, output in (("AWS::DynamoDB::Table", "TableName"), ("AWS::S3::Bucket", "BucketName")):
        if outputs.get(output, "") not in {"", *own}:
            yield kind, outputs[output]


def _secrets_of_functions(given: Options) -> list[tuple[str, str]]:
    """Return the secrets that functions created: credentials of sites, and the key of the webhooks' secrets.

    The filter matches the beginning of a name:
    https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_Filter.html
    """
    prefix = f"{given.config.stack_name}/"
    with explained(f"listing the secrets whose names begin with {prefix}"):
        pages = (
            given.session.client("secretsmanager")
            .get_paginator("list_secrets")
            .paginate(Filters=[{"Key": "name", "Values": [prefix]}])
        )
        return [("AWS::SecretsManager::Secret", secret["Name"]) for page in pages for secret in page["SecretList"]]


_COMMANDS: Final = {"synthesized": synthesized, "deployed": deployed, "kept": kept}


def afterwards(arguments: Sequence[str]) -> int:
    """Print the lines of the command that is the first argument."""
    command, *rest = arguments
    sys.stdout.writelines(f"{line}\n" for line in _COMMANDS[command](options(rest)))
    return 0


if __name__ == "__main__":
    run(afterwards)
