"""The key that encrypts the secrets of webhooks: one secret in Secrets Manager, created with the first webhook.

After a rotation the secret has two versions: the new key is AWSCURRENT, and the one before is AWSPREVIOUS until
nothing is sealed with it any more. https://docs.aws.amazon.com/secretsmanager/latest/userguide/whats-in-a-secret.html
"""

from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_bytes, token_hex
from threading import Lock
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.adapters.sealed_text import KEY_BYTES, Sealer, unreadable
from wavecrawl.errors import CorruptDataError, InvalidInputError, NotFoundError, StoreBusyError
from wavecrawl.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

NAME: Final = "webhook-key"
"""The part of the secret's name after that of the stack: `STACK/webhook-key`."""

SEALS_FOR: Final = 300.0
"""Seconds for which a process seals with the key that it has read."""

SETTLED: Final = 600.0
"""Seconds after a rotation in which a process may still seal with the previous key: `SEALS_FOR`, a request of 29 s that
then writes what it sealed, and clocks that differ."""

_CURRENT: Final = "AWSCURRENT"
_PREVIOUS: Final = "AWSPREVIOUS"
_PENDING: Final = "AWSPENDING"

_MISSING: Final = "ResourceNotFoundException"
_EXISTS: Final = "ResourceExistsException"
_NOT_CURRENT: Final = "InvalidParameterException"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Version:
    """A version of the secret."""

    id: str
    key: str = field(repr=False)  # base64
    created_at: float  # Unix seconds


class WebhookKey:
    """Seals with the current key, and opens with the current or the previous one. Safe to share between threads."""

    def __init__(self, client: "Callable[[], SecretsManagerClient]", stack: str, clock: Clock) -> None:
        self._client = client
        self._name = f"{stack}/{NAME}"
        self._clock = clock
        self._lock = Lock()
        self._sealers: tuple[Sealer, ...] = ()  # of the current key, and of the previous one if it was needed
        self._read_at = 0.0

    def seal(self, text: str, context: str) -> str:
        """Return a text as it is stored. The first call of a deployment creates the key."""
        return self._current().seal(text, context)

    def is_current(self, sealed: str) -> bool:
        """Return whether a stored text is sealed with the current key."""
        return self._current().sealed(sealed)

    def open(self, sealed: str, context: str) -> str:
        """Return the text; raise CorruptDataError if neither key opens it, or there is no key."""
        with self._lock:
            text = self._opened(sealed, context)
            if text is None:
                self._read(_CURRENT, _PREVIOUS)  # the key may have been rotated since it was read
                text = self._opened(sealed, context)
        if text is None:
            raise CorruptDataError(unreadable(context))
        return text

    def rotate(self) -> str:
        """Make a new key current, and return its name. The key before stays readable, as the previous one.

        Raise NotFoundError if there is no key, InvalidInputError if there is a previous key already, and StoreBusyError
        if another rotation was faster. https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_UpdateSecretVersionStage.html
        """
        current = self._version(_CURRENT)
        if current is None:
            raise NotFoundError("the deployment has no key yet: it is created with the first webhook")
        if self._version(_PREVIOUS) is not None:
            raise InvalidInputError(
                "the previous key is still in use. First run `wavecrawl admin webhook-key reseal`, which drops it"
            )
        new = token_hex(16)
        with translated(f"writing secret {self._name}"):
            self._client().put_secret_value(
                SecretId=self._name,
                ClientRequestToken=new,  # the id of the version
                SecretString=_new_key(),
                VersionStages=[_PENDING],
            )
            try:
                self._client().update_secret_version_stage(
                    SecretId=self._name, VersionStage=_CURRENT, MoveToVersionId=new, RemoveFromVersionId=current.id
                )
            except ClientError as error:
                if code_of(error) == _NOT_CURRENT:
                    raise StoreBusyError("another rotation made a key at the same time; nothing was changed") from error
                raise
            with self._lock:
                self._read(_CURRENT)
                return self._sealers[0].name

    def settles_in(self) -> float:
        """Return the seconds after which no process seals with the previous key; 0 if none does."""
        current = self._version(_CURRENT)
        return 0.0 if current is None else max(0.0, current.created_at + SETTLED - self._clock.now())

    def drop_previous(self) -> bool:
        """Make the previous key unreadable; return whether there was one. Secrets Manager then deletes it."""
        previous = self._version(_PREVIOUS)
        if previous is None:
            return False
        with translated(f"writing secret {self._name}"):
            self._client().update_secret_version_stage(
                SecretId=self._name, VersionStage=_PREVIOUS, RemoveFromVersionId=previous.id
            )
        return True

    def _current(self) -> Sealer:
        with self._lock:
            if not self._sealers or self._clock.now() >= self._read_at + SEALS_FOR:
                self._read(_CURRENT)
                self._sealers = self._sealers or (Sealer(b64decode(self._create())),)
            return self._sealers[0]

    def _read(self, *stages: str) -> None:
        versions = [self._version(stage) for stage in stages]
        self._sealers = tuple(Sealer(b64decode(version.key)) for version in versions if version is not None)
        self._read_at = self._clock.now()

    def _opened(self, sealed: str, context: str) -> str | None:
        for sealer in self._sealers:
            with suppress(CorruptDataError):
                return sealer.open(sealed, context)
        return None

    def _version(self, stage: str) -> _Version | None:
        with translated(f"reading secret {self._name}"):
            try:
                found = self._client().get_secret_value(SecretId=self._name, VersionStage=stage)
            except ClientError as error:
                if code_of(error) == _MISSING:
                    return None
                raise
        return _Version(id=found["VersionId"], key=found["SecretString"], created_at=found["CreatedDate"].timestamp())

    def _create(self) -> str:
        key = _new_key()
        with translated(f"creating secret {self._name}"):
            try:
                self._client().create_secret(
                    Name=self._name, SecretString=key, Description="wavecrawl: encrypts the secrets of webhooks"
                )
            except ClientError as error:
                if code_of(error) != _EXISTS:
                    raise
                made = self._version(_CURRENT)  # another process was first
                if made is None:
                    raise
                return made.key
        return key


def _new_key() -> str:
    return b64encode(token_bytes(KEY_BYTES)).decode()
