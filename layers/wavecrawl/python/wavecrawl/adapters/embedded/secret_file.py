"""A secret that a data folder makes for itself, in a file that nobody else may read."""

import os
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import Final

from wavecrawl.errors import CorruptDataError

BYTES: Final = 32
"""Of a secret."""


def secret_file(path: Path) -> bytes:
    """Return the secret in a file, which is made where there is none; raise CorruptDataError where it holds none.

    It appears whole, with its content: a file that was made first and written then would be an empty secret to whoever
    reads it in between, and for good where its maker dies there. What is signed with an empty secret anybody can sign.
    """
    if not path.exists():
        _make(path)
    secret = path.read_bytes()
    if len(secret) < BYTES:
        raise CorruptDataError(f"{path} holds no secret: delete it, and a new one is made")
    return secret


def _make(path: Path) -> None:
    part = path.with_name(f"{path.name}.{token_hex(8)}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
        made.write(token_bytes(BYTES))
    try:
        os.link(part, path)  # whoever is first decides
    except FileExistsError:
        pass
    finally:
        part.unlink()
