"""Waiting for what another process or thread does."""

import time
from collections.abc import Callable

HANG = 600.0  # seconds after which it will not happen: far more than any machine needs


def eventually(holds: Callable[[], object], *, poll: float = 0.05, hang: float = HANG) -> bool:
    """Ask every `poll` seconds until `holds` returns something true; return False if it never does."""
    until = time.monotonic() + hang
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(poll)
    return True
