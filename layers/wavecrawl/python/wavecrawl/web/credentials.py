"""The secret of the deployment: the keys that open the API, and those that sign messages."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from hmac import compare_digest

from wavecrawl.errors import CorruptDataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Each kind may have several entries: all of them are accepted while keys are rotated."""

    api_keys: tuple[str, ...] = ()
    webhook_secrets: tuple[str, ...] = ()  # whsec_<base64>
    qstash_keys: tuple[str, ...] = ()  # current, next


def parse_credentials(text: str) -> Credentials:
    """Return what the secret says; raise CorruptDataError, telling nothing of its content, where it is not readable."""
    try:
        document = json.loads(text)
        values = {field.name: _texts(document.get(field.name, [])) for field in fields(Credentials)}
    except (ValueError, AttributeError) as error:
        names = ", ".join(field.name for field in fields(Credentials))
        raise CorruptDataError(f"the secret must be a JSON object of lists of texts: {names}") from error
    return Credentials(**values)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError("not a list of texts")
    return tuple(one for one in value if one)


def is_known_key(given: str, keys: Sequence[str]) -> bool:
    """Tell whether a key is one of these, in a time that says nothing of them."""
    digest = sha256(given.encode()).digest()
    return any([compare_digest(digest, sha256(key.encode()).digest()) for key in keys])  # noqa: C419 - looks at all of them
