"""A deployed stack, for commands on an operator's machine."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wavecrawl.errors import InvalidInputError, NotFoundError, StoreBusyError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The outputs of a stack, and clients for its resources."""

    stack: str
    outputs: dict[str, str]
    sqs: "SQSClient"

    def output(self, name: str) -> str:
        """Return an output; raise NotFoundError if the stack does not have it."""
        if name not in self.outputs:
            raise NotFoundError(f"stack {self.stack} has no output {name}; is it a wavecrawl stack and up to date?")
        return self.outputs[name]


def deployment(stack: str) -> Deployment:
    """Find a stack in the account and region of the environment, as the AWS command line does.

    Raise InvalidInputError if boto3, credentials or region are missing, NotFoundError if the stack does not exist.
    """
    try:
        import boto3  # noqa: PLC0415 - needed only by commands for AWS
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError  # noqa: PLC0415
    except ImportError as error:
        raise InvalidInputError(
            "this command needs the AWS libraries; install them: pip install 'wavecrawl[cloud]'"
        ) from error
    try:
        response: Any = boto3.client("cloudformation").describe_stacks(StackName=stack)
    except (NoCredentialsError, NoRegionError) as error:
        raise InvalidInputError(f"{error}; set AWS_PROFILE or AWS_DEFAULT_REGION, or run `aws configure`") from error
    except ClientError as error:
        raise NotFoundError(f"stack {stack} cannot be read: {error}") from error
    except BotoCoreError as error:
        raise StoreBusyError(f"AWS cannot be reached: {error}") from error
    outputs = {one["OutputKey"]: one["OutputValue"] for one in response["Stacks"][0].get("Outputs", ())}
    return Deployment(stack=stack, outputs=outputs, sqs=boto3.client("sqs"))
