"""Short secrets, encrypted by AES-256-GCM with a key that is stored elsewhere.

A nonce is 96 random bits, so one key is good for billions of texts (NIST SP 800-38D, section 8.3). A sealed text names
its key, so that a key can be replaced: `sealed1:NAME:DATA`. Earlier versions wrote no name: `sealed1:DATA`.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from hashlib import sha256
from secrets import token_bytes
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from wavecrawl.errors import CorruptDataError

KEY_BYTES: Final = 32
_PREFIX: Final = "sealed1:"
_NONCE: Final = 12


class Sealer:
    """Seals texts with a key of 32 bytes. A sealed text can be opened with the same key and context only."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise CorruptDataError(f"the key of the secrets of webhooks must have {KEY_BYTES} bytes, not {len(key)}")
        self.name = sha256(key).hexdigest()[:8]
        """The key's name, which does not reveal the key."""
        self._cipher = AESGCM(key)

    def seal(self, text: str, context: str) -> str:
        """Return a text as it is stored. `context` names what it belongs to."""
        nonce = token_bytes(_NONCE)
        data = nonce + self._cipher.encrypt(nonce, text.encode(), context.encode())
        return f"{_PREFIX}{self.name}:{b64encode(data).decode()}"

    def open(self, sealed: str, context: str) -> str:
        """Return the text; raise CorruptDataError if it was sealed with another key or context, or changed."""
        try:
            data = b64decode(sealed.removeprefix(_PREFIX).rpartition(":")[2], validate=True)
            return self._cipher.decrypt(data[:_NONCE], data[_NONCE:], context.encode()).decode()
        except (Base64Error, InvalidTag, ValueError) as error:
            raise CorruptDataError(unreadable(context)) from error

    def sealed(self, text: str) -> bool:
        """Return whether a stored text names this key."""
        return text.startswith(f"{_PREFIX}{self.name}:")


def unreadable(context: str) -> str:
    """Return the message about a text that no key opens."""
    return f"the secret of {context} cannot be decrypted: restore its key, or delete the webhook and create it again"


def is_sealed(text: str) -> bool:
    """Return whether a stored text is sealed; earlier versions stored clear texts."""
    return text.startswith(_PREFIX)
