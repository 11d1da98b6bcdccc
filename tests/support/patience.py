"""Waiting for what another process or thread does."""

import time
from collections.abc import Callable

_HANG = 600.0  # seconds after which it will not happen: far more than any machine needs
_POLL = 0.05  # seconds


def eventually(holds: Callable[[], object]) -> bool:
    """Wait until `holds` returns something true; return False if it never does."""
    until = time.monotonic() + _HANG
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(_POLL)
    return True
