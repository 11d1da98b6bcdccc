"""A key of the operator's own for what is stored: table, bucket, queues, logs, topic.

The key's policy must let CloudWatch Logs, EventBridge and CloudWatch use it (docs/operations.md): a stack cannot change
the policy of a key that it does not own.
"""

from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

from infra.config import Config


def own_key(scope: Construct, config: Config, *, construct_id: str = "Key") -> kms.IKey | None:
    """Return the operator's key, None if AWS's own keys are used."""
    return kms.Key.from_key_arn(scope, construct_id, config.kms_key_arn) if config.kms_key_arn else None


def let_use(role: iam.Role, config: Config) -> None:
    """Let a role read and write what is encrypted with the operator's key."""
    if config.kms_key_arn:
        role.add_to_policy(
            iam.PolicyStatement(actions=["kms:Decrypt", "kms:GenerateDataKey"], resources=[config.kms_key_arn])
        )
