"""Acknowledged findings of cdk-nag, each with its reason on its construct."""

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct


def acknowledge(construct: IConstruct, finding: str, reason: str) -> None:
    """Acknowledge one finding on a construct."""
    Validations.of(construct).acknowledge(Acknowledgment(id=finding, reason=reason))
