"""A deployed stack, for commands on an operator's machine. Its outputs name its resources."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wavecrawl.errors import InvalidInputError, NotFoundError, StoreBusyError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The outputs of a stack, and clients for its queues and its table."""

    stack: str
    outputs: dict[str, str]
    sqs: "SQSClient"
    dynamodb: "DynamoDBClient"

    def output(self, name: str) -> str:
        """Return an output; raise NotFoundError if the stack has none of that name."""
        if name not in self.outputs:
            raise NotFoundError(f"stack {self.stack} has no output {name}. Is it an up-to-date stack of wavecrawl?")
        return self.outputs[name]


def deployment(stack: str) -> Deployment:
    """Return a stack of the account and region that the environment names, as the AWS command line does.

    Raise InvalidInputError without boto3, credentials or a region, NotFoundError if there is no such stack.
    """
    try:
        import boto3  # noqa: PLC0415 - only commands that talk to AWS need it
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError  # noqa: PLC0415
    except ImportError as error:
        raise InvalidInputError("this command needs the AWS SDK. Install it: pip install 'wavecrawl[cloud]'") from error
    try:
        answer: Any = boto3.client("cloudformation").describe_stacks(StackName=stack)
    except (NoCredentialsError, NoRegionError) as error:
        raise InvalidInputError(f"{error}. Set AWS_PROFILE or AWS_DEFAULT_REGION, or run `aws configure`") from error
    except ClientError as error:
        raise NotFoundError(f"stack {stack} cannot be read: {error}") from error
    except BotoCoreError as error:
        raise StoreBusyError(f"AWS cannot be reached: {error}") from error
    outputs = {one["OutputKey"]: one["OutputValue"] for one in answer["Stacks"][0].get("Outputs", ())}
    return Deployment(stack=stack, outputs=outputs, sqs=boto3.client("sqs"), dynamodb=boto3.client("dynamodb"))
