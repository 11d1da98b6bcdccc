"""Permissions of a data folder: its files can be read by their owner only, unless WAVECRAWL_UMASK says otherwise."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from wavecrawl.errors import InvalidInputError

VARIABLE: Final = "WAVECRAWL_UMASK"
"""Environment variable: permissions that files in data folders lack, in octal. 027 lets the group read them."""

_PRIVATE: Final = "077"
_ALL: Final = 0o777


def data_umask() -> int:
    """Return the umask of files in data folders; raise InvalidInputError if the environment has a bad value."""
    text = os.environ.get(VARIABLE) or _PRIVATE
    try:
        mask = int(text, 8)
    except ValueError:
        mask = -1
    if not 0 <= mask <= _ALL:
        raise InvalidInputError(f"{VARIABLE} must be an octal number from 000 to 777, such as 027, not {text!r}")
    return mask


def create_private(path: Path) -> int:
    """Create a file that only its owner can read, and return its descriptor, open for writing.

    If root creates it, it belongs to the owner of its folder: the service that reads it may run as that user.
    Raise FileExistsError if the file exists.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    _give_to_owner(descriptor, path.parent)
    return descriptor


def create_private_folder(path: Path) -> None:
    """Create a folder that only its owner can read, if it does not exist. It belongs to whom its files belong to."""
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _give_to_owner(descriptor, path.parent)
    finally:
        os.close(descriptor)


def _give_to_owner(descriptor: int, folder: Path) -> None:
    owner = folder.stat()
    if os.geteuid() == 0 and owner.st_uid != 0:
        with suppress(OSError):  # a mounted folder may have an owner that this machine does not know
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
