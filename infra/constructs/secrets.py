"""The credentials of callers."""

import json

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.config import Config
from infra.constructs.acknowledgements import acknowledge
from infra.constructs.removal import removal_of_data
from wavecrawl.adapters.aws.site_secrets import SITES
from wavecrawl.adapters.aws.webhook_key import NAME


def site_secrets_arn(scope: Construct) -> str:
    """Return the ARN of the secrets of all sites. The API creates them."""
    stack = Stack.of(scope)
    return stack.format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{stack.stack_name}/{SITES}/*",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )


def webhook_key_arn(scope: Construct) -> str:
    """Return the ARN of the key of the webhooks' secrets, with the six characters that Secrets Manager adds.

    https://docs.aws.amazon.com/secretsmanager/latest/userguide/whats-in-a-secret.html
    """
    stack = Stack.of(scope)
    return stack.format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{stack.stack_name}/{NAME}-??????",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )


class Keys(Construct):
    """One secret with all keys. It is empty at first, so a new deployment rejects all callers (docs/operations.md)."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        # Secrets Manager can generate a string but not a list, so the generated string is not used. The operator fills
        # the lists.
        self.secret = secretsmanager.Secret(
            self,
            "Keys",
            description="wavecrawl: API keys, webhook secrets, QStash keys; several of each for rotation",
            generate_secret_string=secretsmanager.SecretStringGenerator(
                secret_string_template=json.dumps({"api_keys": [], "webhook_secrets": [], "qstash_keys": []}),
                generate_string_key="generated",
                password_length=43,
                exclude_punctuation=True,
            ),
            removal_policy=removal_of_data(config),
        )
        acknowledge(
            self.secret,
            "AwsSolutions-SMG4",
            "Callers share these keys, so they cannot be rotated automatically: new keys are added, callers change"
            " over, old keys are removed (docs/operations.md).",
        )
