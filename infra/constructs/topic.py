"""Permissions to publish to a topic."""

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns


def let_publish(topic: sns.Topic, service: str, sources: str) -> None:
    """Let a service of AWS publish for resources of this account.

    `enforce_ssl` creates a topic policy. It replaces the default one, which allows this to all services:
    https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
    """
    topic.add_to_resource_policy(
        iam.PolicyStatement(
            principals=[iam.ServicePrincipal(service)],
            actions=["sns:Publish"],
            resources=[topic.topic_arn],
            conditions={
                "StringEquals": {"aws:SourceAccount": Stack.of(topic).account},
                "ArnLike": {"aws:SourceArn": sources},
            },
        )
    )
