"""Permissions of a data folder: its files can be read by their owner only, unless WAVECRAWL_UMASK says otherwise."""

import os
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
