"""Waits for the work of another process or thread."""

import time
from collections.abc import Callable

_HANG = 600.0  # seconds until the wait fails: far more than any machine needs
_POLL = 0.05  # seconds


def eventually(holds: Callable[[], object]) -> bool:
    """Wait until `holds` returns something true. Return False after the time limit."""
    until = time.monotonic() + _HANG
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(_POLL)
    return True
