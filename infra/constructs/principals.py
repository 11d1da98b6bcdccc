"""The services that assume the deployment's roles."""

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct


def service(scope: Construct, name: str, *, source_arn: str | None = None) -> iam.ServicePrincipal:
    """Return a service, which may assume a role for this account alone and, if given, for one of its resources.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
    """
    source = {"aws:SourceAccount": Stack.of(scope).account}
    if source_arn:
        source["aws:SourceArn"] = source_arn
    return iam.ServicePrincipal(name, conditions={"StringEquals": source})
