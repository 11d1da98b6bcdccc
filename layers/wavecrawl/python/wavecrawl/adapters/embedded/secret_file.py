"""A random secret of a data folder, in a file that other users cannot read."""

import os
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import Final

from wavecrawl.adapters.embedded.private_files import create_private
from wavecrawl.errors import CorruptDataError

BYTES: Final = 32
"""Length of a secret."""


def secret_file(path: Path) -> bytes:
    """Return the secret in a file, created if it does not exist; raise CorruptDataError if the file has no secret.

    The file appears with its content: another process must never read an empty secret, as anyone could forge
    signatures made with it.
    """
    if not path.exists():
        _make(path)
    secret = path.read_bytes()
    if len(secret) < BYTES:
        raise CorruptDataError(f"{path} contains no secret. Delete it, and a new one is created")
    return secret


def _make(path: Path) -> None:
    part = path.with_name(f"{path.name}.{token_hex(8)}")
    with os.fdopen(create_private(part), "wb") as made:
        made.write(token_bytes(BYTES))
    try:
        os.link(part, path)  # the first process decides
    except FileExistsError:
        pass
    finally:
        part.unlink()
