"""Short secrets, encrypted and authenticated with a key that is stored elsewhere.

The construction is the generic one of the standard library's parts: a key stream of HMAC-SHA256 in counter mode (the
pseudorandom function of NIST SP 800-108), under a random nonce of 128 bits, then HMAC-SHA256 over context, nonce and
ciphertext (encrypt-then-MAC, https://eprint.iacr.org/2000/025). Both have keys of their own. A library with AES-GCM
would add 12 MB to each function.
"""

from base64 import b64decode, b64encode
from hashlib import sha256
from hmac import compare_digest, digest
from secrets import token_bytes
from typing import Final

from wavecrawl.errors import CorruptDataError

KEY_BYTES: Final = 32
_PREFIX: Final = "sealed1:"
_NONCE: Final = 16
_TAG: Final = 32


class Sealer:
    """Seals texts with a key of 32 bytes. A sealed text can be opened with the same key and context only."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise CorruptDataError(f"the key of the secrets of webhooks must have {KEY_BYTES} bytes, not {len(key)}")
        self._encrypting = digest(key, b"wavecrawl encryption", sha256)
        self._authenticating = digest(key, b"wavecrawl authentication", sha256)

    def seal(self, text: str, context: str) -> str:
        """Return a text as it is stored. `context` names what it belongs to."""
        nonce = token_bytes(_NONCE)
        hidden = self._mixed(text.encode(), nonce)
        return _PREFIX + b64encode(nonce + hidden + self._tag(nonce, hidden, context)).decode()

    def open(self, sealed: str, context: str) -> str:
        """Return the text; raise CorruptDataError if it was sealed with another key or context, or changed."""
        data = b64decode(sealed.removeprefix(_PREFIX))
        nonce, hidden, tag = data[:_NONCE], data[_NONCE:-_TAG], data[-_TAG:]
        if not compare_digest(tag, self._tag(nonce, hidden, context)):
            raise CorruptDataError(f"the secret of {context} cannot be decrypted: replace it, or restore its key")
        return self._mixed(hidden, nonce).decode()

    def _tag(self, nonce: bytes, hidden: bytes, context: str) -> bytes:
        about = context.encode()
        return digest(self._authenticating, len(about).to_bytes(4, "big") + about + nonce + hidden, sha256)

    def _mixed(self, data: bytes, nonce: bytes) -> bytes:
        blocks = -(-len(data) // _TAG)
        stream = b"".join(
            digest(self._encrypting, nonce + number.to_bytes(4, "big"), sha256) for number in range(blocks)
        )
        return bytes(one ^ other for one, other in zip(data, stream, strict=False))


def is_sealed(text: str) -> bool:
    """Return whether a stored text is sealed; earlier versions stored clear texts."""
    return text.startswith(_PREFIX)
