"""How long tests of random inputs and faults take: short by default, long with WAVECRAWL_CAMPAIGN=1."""

import os

CAMPAIGN = os.environ.get("WAVECRAWL_CAMPAIGN") == "1"

MANY_WORKERS = 8 if CAMPAIGN else 4
"""Worker processes of a crawl whose result must equal that of one worker. Each takes half a second to start."""


def examples(short: int, *, long: int = 1_000) -> int:
    """Return how many examples a property is tried with."""
    return long if CAMPAIGN else short
