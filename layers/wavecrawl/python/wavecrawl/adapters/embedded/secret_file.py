"""The secret of a data folder, in a file that only its owner can read."""

import os
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import Final

from wavecrawl.errors import CorruptDataError

BYTES: Final = 32
"""Length of a secret."""


def secret_file(path: Path) -> bytes:
    """Return the secret in a file; create the file if it does not exist. Raise CorruptDataError if it is too short.

    The file is created atomically with its content, so that no process ever reads an empty secret, with which anyone
    could sign.
    """
    if not path.exists():
        _create(path)
    secret = path.read_bytes()
    if len(secret) < BYTES:
        raise CorruptDataError(f"{path} contains no valid secret; delete it, and a new one is created")
    return secret


def _create(path: Path) -> None:
    part = path.with_name(f"{path.name}.{token_hex(8)}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
        made.write(token_bytes(BYTES))
    try:
        os.link(part, path)  # the first process wins
    except FileExistsError:
        pass
    finally:
        part.unlink()
