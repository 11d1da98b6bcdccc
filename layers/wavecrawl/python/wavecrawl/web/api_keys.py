"""The keys that open the API."""

from collections.abc import Sequence
from hashlib import sha256
from hmac import compare_digest


def is_known_key(given: str, keys: Sequence[str]) -> bool:
    """Tell whether a key is one of these, in a time that says nothing of them."""
    digest = sha256(given.encode()).digest()
    known = [compare_digest(digest, sha256(key.encode()).digest()) for key in keys if key]  # looks at all of them
    return any(known)
