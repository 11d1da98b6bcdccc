"""The hashes of the packages in the layers: pip installs no file that has another one."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_ENTRY: Final = re.compile(r"^(\S+==\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)
_HASH: Final = re.compile(r"--hash=sha256:[0-9a-f]{64}")


class MissingHashError(Exception):
    """A requirement has no hash; the message says what to do."""


def with_hashes(pins: Iterable[str], text: str) -> list[str]:
    """Return the lines of a requirements file with the hashes of each pin, such as `idna==3.20 --hash=sha256:...`.

    `text` is the content of hashes.txt. Raise MissingHashError if a pin is not in it.
    """
    known = {pin: _HASH.findall(hashes) for pin, hashes in _ENTRY.findall(text)}
    required: Sequence[str] = sorted(pins)
    if missing := [pin for pin in required if pin not in known]:
        raise MissingHashError(f"layers/hashes.txt has no hash of {', '.join(missing)}; run `make hashes`")
    return [" ".join((pin, *known[pin])) for pin in required]
