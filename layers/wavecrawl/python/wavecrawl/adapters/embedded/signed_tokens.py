"""Signed tokens of the URLs of one machine, which need no API key."""

import base64
import binascii
import hmac
from hashlib import sha256
from typing import Generic, TypeVar

import msgspec

Ticket = TypeVar("Ticket")


class SignedTokens(Generic[Ticket]):
    """Signs and reads tickets of one type. `purpose` separates them from other signatures with the same key."""

    def __init__(self, shape: type[Ticket], *, key: bytes, purpose: str) -> None:
        self._decoder = msgspec.json.Decoder(shape)
        self._key = key
        self._purpose = f"wavecrawl {purpose}\0".encode()

    def sign(self, ticket: Ticket) -> str:
        """Return the token of a ticket."""
        content = msgspec.json.encode(ticket)
        return f"{_text(content)}.{_text(self._signature(content))}"

    def read(self, token: str) -> Ticket | None:
        """Return the ticket of a token, None if its signature is not valid."""
        content, _, signature = token.partition(".")
        try:
            signed, claimed = _bytes(content), _bytes(signature)
        except (binascii.Error, ValueError):
            return None
        if not hmac.compare_digest(self._signature(signed), claimed):
            return None
        return self._decoder.decode(signed)

    def _signature(self, content: bytes) -> bytes:
        return hmac.digest(self._key, self._purpose + content, sha256)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
