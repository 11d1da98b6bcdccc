"""The secrets of the messages that start crawls of a data folder, in a file that other users cannot read."""

import os
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.embedded.private_files import create_private
from wavecrawl.errors import CorruptDataError, InvalidInputError, NotFoundError

FILE: Final = "message-secrets.json"
"""The name of the file in the data folder."""

_BYTES: Final = 32  # of each secret; Standard Webhooks allows 24 to 64


class MessageSecrets(msgspec.Struct, frozen=True, kw_only=True):
    """`api.crawl_webhook.MessageSecrets`."""

    webhook_secrets: tuple[str, ...] = ()
    qstash_keys: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return no secret."""
        return "MessageSecrets()"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Return nothing for the representation that rich makes, which would have all fields of a struct."""
        return []


_DECODER = msgspec.json.Decoder(MessageSecrets)


class MessageSecretFile:
    """Reads and changes the file in a folder that exists. A change takes effect immediately."""

    def __init__(self, root: Path) -> None:
        self._path = root / FILE

    def read(self) -> MessageSecrets:
        """Return the secrets; none if there is no file. Raise CorruptDataError if the file cannot be read."""
        try:
            return _DECODER.decode(self._path.read_bytes())
        except FileNotFoundError:
            return MessageSecrets()
        except OSError as error:
            raise CorruptDataError(
                f"{self._path} cannot be read: {error.strerror or error}. It must belong to the user that runs "
                "`wavecrawl serve`"
            ) from error
        except msgspec.DecodeError:  # its message may quote a secret
            raise CorruptDataError(
                f"{self._path} must be a JSON object with the lists webhook_secrets and qstash_keys; correct it or "
                "delete it"
            ) from None

    def create(self) -> str:
        """Add a webhook secret and return it. The others stay valid."""
        secret = f"whsec_{b64encode(token_bytes(_BYTES)).decode()}"
        now = self.read()
        self._write(replace(now, webhook_secrets=(*now.webhook_secrets, secret)))
        return secret

    def delete(self, name: str) -> None:
        """Delete the webhook secret with this name; raise NotFoundError if there is none."""
        now = self.read()
        kept = tuple(secret for secret in now.webhook_secrets if secret_name(secret) != name)
        if kept == now.webhook_secrets:
            raise NotFoundError(f"there is no webhook secret {name}; `wavecrawl admin webhook-secrets list` names them")
        self._write(replace(now, webhook_secrets=kept))

    def set_qstash(self, *keys: str) -> None:
        """Replace QStash's signing keys by the current one and the next one, or by none."""
        if not all(keys):
            raise InvalidInputError("the signing keys of QStash must not be empty")
        self._write(replace(self.read(), qstash_keys=keys))

    def _write(self, secrets: MessageSecrets) -> None:
        part = self._path.with_name(f"{FILE}.{token_hex(8)}")
        with os.fdopen(create_private(part), "wb") as made:
            made.write(msgspec.json.encode(secrets))
        part.replace(self._path)


def secret_name(secret: str) -> str:
    """Return the name of a secret, which does not reveal it: 12 hexadecimal digits of its hash."""
    return sha256(secret.encode()).hexdigest()[:12]
