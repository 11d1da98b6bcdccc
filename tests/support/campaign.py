"""How long tests of random inputs and faults take: short by default, long with WAVECRAWL_CAMPAIGN=1."""

import os

CAMPAIGN = os.environ.get("WAVECRAWL_CAMPAIGN") == "1"


def examples(short: int, *, long: int = 1_000) -> int:
    """Return how many examples a property is tried with."""
    return long if CAMPAIGN else short
