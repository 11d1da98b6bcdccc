"""The keys that callers prove themselves with."""

import json

from aws_cdk import RemovalPolicy
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.config import Config
from infra.constructs.acknowledgements import acknowledge


class Keys(Construct):
    """One secret with every key. It starts without any, so a new deployment lets nobody in (docs/operations.md)."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        # Secrets Manager can generate one string, not one inside of a list: it goes to a key that nobody reads, and
        # the lists are filled by the operator.
        self.secret = secretsmanager.Secret(
            self,
            "Keys",
            description="wavecrawl: API keys, webhook secrets, QStash keys; several of each = rotation",
            generate_secret_string=secretsmanager.SecretStringGenerator(
                secret_string_template=json.dumps({"api_keys": [], "webhook_secrets": [], "qstash_keys": []}),
                generate_string_key="generated",
                password_length=43,
                exclude_punctuation=True,
            ),
            removal_policy=RemovalPolicy.RETAIN if config.keep_data else RemovalPolicy.DESTROY,
        )
        acknowledge(
            self.secret,
            "AwsSolutions-SMG4",
            "Callers hold the other half of these keys, so no clock can rotate them: both halves are added, then the"
            " old ones removed (docs/operations.md).",
        )
