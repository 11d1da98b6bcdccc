"""The secrets of the deployment, from Secrets Manager. Read again every few minutes, so that rotation takes effect."""

from hashlib import sha256
from hmac import digest
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from wavecrawl.adapters.aws.faults import translated
from wavecrawl.errors import CorruptDataError, TransientError
from wavecrawl.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

FRESH_SECONDS = 300.0
"""Seconds until a secret is read again."""


class Secrets(msgspec.Struct, frozen=True, kw_only=True):
    """Secrets that authenticate callers. During a rotation, the old and the new entry are both valid."""

    api_keys: tuple[str, ...] = ()
    webhook_secrets: tuple[str, ...] = ()  # whsec_<base64>, of the Standard Webhooks spec
    qstash_keys: tuple[str, ...] = ()  # the current signing key, then the next

    def signing_key(self) -> bytes:
        """Return the key that signs cursors: derived from the first API key, and changed with it.

        Raise CorruptDataError if there is no API key.
        """
        first = next(filter(None, self.api_keys), None)
        if first is None:
            raise CorruptDataError("the deployment's secret holds no API key; docs/operations.md says how to set one")
        return digest(first.encode(), b"wavecrawl signing key", sha256)

    def __repr__(self) -> str:
        """Return the numbers of secrets, never the secrets."""
        counts = (len(self.api_keys), len(self.webhook_secrets), len(self.qstash_keys))
        return "Secrets({} API keys, {} webhook secrets, {} QStash keys)".format(*counts)

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Return nothing for the representation that rich makes, which would have all fields of a struct."""
        return []


_DECODER = msgspec.json.Decoder(Secrets)


class SecretsManagerSecrets:
    """Reads one secret: a JSON object with the fields of `Secrets`. Safe to share between threads."""

    def __init__(self, client: "SecretsManagerClient", secret_id: str, clock: Clock) -> None:
        self._client = client
        self._secret_id = secret_id
        self._clock = clock
        self._lock = Lock()
        self._known: tuple[Secrets, float] | None = None

    def current(self) -> Secrets:
        """Return the secrets, at most five minutes old, or older if Secrets Manager cannot be reached.

        Raise CorruptDataError if the secret is malformed.
        """
        with self._lock:
            now = self._clock.now()
            if self._known is not None and now - self._known[1] < FRESH_SECONDS:
                return self._known[0]
            try:
                secrets = self._read()
            except TransientError:
                if self._known is None:
                    raise
                return self._known[0]
            self._known = (secrets, now)
            return secrets

    def _read(self) -> Secrets:
        with translated(f"reading secret {self._secret_id}"):
            answer = self._client.get_secret_value(SecretId=self._secret_id)
        try:
            return _DECODER.decode(answer["SecretString"])
        except (KeyError, msgspec.MsgspecError):
            # The original error may quote the secret.
            fields = "api_keys, webhook_secrets and qstash_keys, each a list of strings"
            raise CorruptDataError(f"secret {self._secret_id} must be a JSON object with {fields}") from None
