"""Waits for the work of another process or thread."""

import time
from collections.abc import Callable

HANG = 600.0  # seconds until the wait fails: far more than any machine needs


def eventually(holds: Callable[[], object], *, poll: float = 0.05, hang: float = HANG) -> bool:
    """Wait until `holds`, called every `poll` seconds, returns something true. Return False after `hang` seconds."""
    until = time.monotonic() + hang
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(poll)
    return True
