"""The key that encrypts the secrets of webhooks: one secret in Secrets Manager, created with the first webhook."""

from base64 import b64decode, b64encode
from collections.abc import Callable
from secrets import token_bytes
from threading import Lock
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.adapters.sealed_text import KEY_BYTES, Sealer

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

NAME: Final = "webhook-key"
"""The part of the secret's name after that of the stack: `STACK/webhook-key`."""

_MISSING: Final = "ResourceNotFoundException"
_EXISTS: Final = "ResourceExistsException"


class WebhookKey:
    """Reads the key once per process. Safe to share between threads."""

    def __init__(self, client: "Callable[[], SecretsManagerClient]", stack: str) -> None:
        self._client = client
        self._name = f"{stack}/{NAME}"
        self._lock = Lock()
        self._sealer: Sealer | None = None

    def sealer(self) -> Sealer:
        """Return what encrypts and decrypts with the key. The first call of a deployment creates the key."""
        with self._lock:
            if self._sealer is None:
                self._sealer = Sealer(b64decode(self._read() or self._create()))
            return self._sealer

    def _read(self) -> str:
        with translated(f"reading secret {self._name}"):
            try:
                return self._client().get_secret_value(SecretId=self._name)["SecretString"]
            except ClientError as error:
                if code_of(error) == _MISSING:
                    return ""
                raise

    def _create(self) -> str:
        key = b64encode(token_bytes(KEY_BYTES)).decode()
        with translated(f"creating secret {self._name}"):
            try:
                self._client().create_secret(
                    Name=self._name, SecretString=key, Description="wavecrawl: encrypts the secrets of webhooks"
                )
            except ClientError as error:
                if code_of(error) != _EXISTS:
                    raise
                return self._read()  # another process was first
        return key
