"""A deployed stack, for commands on an operator's machine. Its outputs name its resources."""

import os
from dataclasses import dataclass, field
from typing import Any

from wavecrawl.application.finding import Finding
from wavecrawl.errors import InvalidInputError, NotFoundError, WavecrawlError


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The outputs of a stack, and clients for its resources."""

    stack: str
    status: str  # of CloudFormation, such as CREATE_COMPLETE
    outputs: dict[str, str]
    session: Any = field(repr=False)  # of boto3

    def client(self, service: str) -> Any:
        """Return a new client of a service, such as sqs."""
        return self.session.client(service)

    @property
    def finding(self) -> Finding:
        """Whether the stack's last operation succeeded."""
        good = self.status.endswith("_COMPLETE") and "ROLLBACK" not in self.status and "DELETE" not in self.status
        if good:
            return Finding(check="stack", detail=self.status)
        return Finding(check="stack", problem=f"its status is {self.status}; see its events in CloudFormation")

    def output(self, name: str) -> str:
        """Return an output; raise NotFoundError if the stack has none of that name."""
        if name not in self.outputs:
            raise NotFoundError(
                f"stack {self.stack} ({self.status}) has no output {name}. Is it an up-to-date stack of wavecrawl?"
            )
        return self.outputs[name]


def aws_session(profile: str | None = None) -> Any:
    """Return a boto3 session for the account and region that the environment names.

    AWS_REGION has priority over AWS_DEFAULT_REGION, as in the AWS command line and in the CDK; boto3 alone does not
    read it. Raise InvalidInputError without boto3 or the profile.
    """
    try:
        import boto3  # noqa: PLC0415 - only commands that talk to AWS need it
    except ImportError as error:
        raise InvalidInputError(
            "this command needs the AWS SDK. Install it: pip install '.[cloud]' in wavecrawl's checkout"
        ) from error
    from wavecrawl.adapters.aws.operator_errors import explained  # noqa: PLC0415 - needs botocore

    with explained("starting a session"):
        return boto3.Session(region_name=os.environ.get("AWS_REGION") or None, profile_name=profile)


def local_credentials_finding() -> Finding:
    """Return whether this machine has credentials for AWS, without a request to AWS. Only deployments need them."""
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415 - the caller checks that boto3 is installed

    check, use = "AWS credentials", "only deployments need them"
    try:
        found = aws_session().get_credentials()
    except (WavecrawlError, BotoCoreError) as error:
        return Finding(check=check, problem=f"{error}; {use}", optional=True)
    if found is None:
        return Finding(check=check, problem=f"there are none; run `aws configure`; {use}", optional=True)
    return Finding(check=check, detail=f"found ({found.method}); to check them and a deployment, add --stack NAME")


def credentials_finding(session: Any) -> Finding:
    """Return whether the session has credentials that AWS accepts, and for which account."""
    from wavecrawl.adapters.aws.operator_errors import explained  # noqa: PLC0415 - needs botocore

    try:
        with explained("checking the credentials"):
            account = session.client("sts").get_caller_identity()["Account"]
    except WavecrawlError as error:
        return Finding(check="AWS credentials", problem=str(error))
    return Finding(check="AWS credentials", detail=f"account {account}, region {session.region_name}")


def deployment(stack: str, *, session: Any = None) -> Deployment:
    """Return a stack of the session's account and region. Default: those that the environment names.

    Raise InvalidInputError without boto3, credentials or a region, NotFoundError if there is no such stack,
    ForbiddenError if the credentials may not read it.
    """
    session = session or aws_session()
    from wavecrawl.adapters.aws.operator_errors import explained  # noqa: PLC0415 - needs botocore

    with explained(f"reading stack {stack} in region {session.region_name}"):
        answer: Any = session.client("cloudformation").describe_stacks(StackName=stack)
    found = answer["Stacks"][0]
    outputs = {one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", ())}
    return Deployment(stack=stack, status=found["StackStatus"], outputs=outputs, session=session)
