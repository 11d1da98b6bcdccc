"""The secrets of the deployment, from Secrets Manager; they are read again regularly because of rotation."""

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from wavecrawl.adapters.aws.faults import translated
from wavecrawl.errors import CorruptDataError, TransientError
from wavecrawl.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

FRESH_SECONDS = 300.0
"""Seconds after which a secret is read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """The credentials of callers. Each kind may have several entries, for rotation."""

    api_keys: tuple[str, ...] = ()
    webhook_secrets: tuple[str, ...] = ()  # whsec_<base64> (Standard Webhooks)
    qstash_keys: tuple[str, ...] = ()  # the current signing key, then the next

    def __repr__(self) -> str:
        """Return the numbers of secrets, never their values."""
        counts = (len(self.api_keys), len(self.webhook_secrets), len(self.qstash_keys))
        return "Secrets({} API keys, {} webhook secrets, {} QStash keys)".format(*counts)


_DECODER = msgspec.json.Decoder(Secrets)


class SecretsManagerSecrets:
    """A secret with a JSON object of the fields of `Secrets`. Safe to share between threads."""

    def __init__(self, client: "SecretsManagerClient", secret_id: str, clock: Clock) -> None:
        self._client = client
        self._secret_id = secret_id
        self._clock = clock
        self._lock = Lock()
        self._known: tuple[Secrets, float] | None = None

    def current(self) -> Secrets:
        """Return the secrets, at most `FRESH_SECONDS` old, or older ones if they cannot be read at the moment.

        Raise CorruptDataError if the secret is not a valid JSON object.
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
            response = self._client.get_secret_value(SecretId=self._secret_id)
        try:
            return _DECODER.decode(response["SecretString"])
        except (KeyError, msgspec.MsgspecError):
            # Do not chain the error, whose text may contain the secret.
            fields = "api_keys, webhook_secrets and qstash_keys, each a list of strings"
            raise CorruptDataError(f"secret {self._secret_id} must be a JSON object with {fields}") from None
