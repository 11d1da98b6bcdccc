"""Findings of cdk-nag that are meant to be: each with its reason, on the construct it concerns."""

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct


def acknowledge(construct: IConstruct, finding: str, reason: str) -> None:
    """Accept one finding on a construct, because of `reason`."""
    Validations.of(construct).acknowledge(Acknowledgment(id=finding, reason=reason))
