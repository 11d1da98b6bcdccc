"""Waits for the work of another process or thread."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

Seen = TypeVar("Seen")

HANG = 600.0  # seconds until the wait fails: far more than any machine needs


def eventually(holds: Callable[[], object], *, poll: float = 0.05, hang: float = HANG) -> bool:
    """Wait until `holds`, called every `poll` seconds, returns something true. Return False after `hang` seconds."""
    until = time.monotonic() + hang
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(poll)
    return True


def seen_within(limits: Sequence[float], observe: Callable[[float], Seen], *, expected: Callable[[Seen], bool]) -> Seen:
    """Return what `observe` sees with the first time limit that shows what is expected, else with the last one.

    The short limit is for a quick machine. On a busy one, something else may take so long: then a longer limit decides.
    """
    *first, last = limits
    for limit in first:
        seen = observe(limit)
        if expected(seen):
            return seen
    return observe(last)
