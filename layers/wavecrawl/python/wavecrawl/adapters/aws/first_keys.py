"""The first API key and the first webhook secret of a deployment."""

import json
from base64 import b64encode
from secrets import token_bytes, token_hex
from typing import TYPE_CHECKING, Any

import msgspec

from wavecrawl.adapters.aws.operator_errors import explained
from wavecrawl.errors import CorruptDataError

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

_BYTES = 32  # of each key; Standard Webhooks allows 24 to 64 in a secret


class FirstKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys that were created; "" = the secret has such a key, which is kept."""

    api_key: str
    webhook_secret: str

    def __repr__(self) -> str:
        """Return which keys were created, never the keys."""
        return f"FirstKeys(api_key={bool(self.api_key)}, webhook_secret={bool(self.webhook_secret)})"


def create_first_keys(client: "SecretsManagerClient", secret_id: str) -> FirstKeys:
    """Add an API key and a webhook secret to the deployment's secret, each if the secret has none yet.

    Raise CorruptDataError if the secret is malformed; it is not changed then.
    """
    content = _content(client, secret_id)
    created = FirstKeys(
        api_key="" if content["api_keys"] else token_hex(_BYTES),
        webhook_secret="" if content["webhook_secrets"] else f"whsec_{b64encode(token_bytes(_BYTES)).decode()}",
    )
    added = {"api_keys": created.api_key, "webhook_secrets": created.webhook_secret}
    if not any(added.values()):
        return created
    content |= {name: [value] for name, value in added.items() if value}
    with explained(f"writing secret {secret_id}"):
        client.put_secret_value(SecretId=secret_id, SecretString=json.dumps(content))
    return created


def _content(client: "SecretsManagerClient", secret_id: str) -> dict[str, Any]:
    """Return the members of the secret, its lists without empty entries."""
    with explained(f"reading secret {secret_id}"):
        text = client.get_secret_value(SecretId=secret_id).get("SecretString", "")
    fields = ("api_keys", "webhook_secrets", "qstash_keys")
    try:
        content: dict[str, Any] = json.loads(text)
        lists = {name: [key for key in content.get(name, ()) if key] for name in fields}
    except (ValueError, TypeError, AttributeError):  # their messages may quote the secret
        raise CorruptDataError(
            f"secret {secret_id} must be a JSON object with the lists {', '.join(fields)};"
            " correct it with `aws secretsmanager put-secret-value`"
        ) from None
    return content | lists
