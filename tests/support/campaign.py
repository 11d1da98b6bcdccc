"""How long tests of random inputs and faults take: short by default, long with WAVECRAWL_CAMPAIGN=1."""

import os

import pytest

CAMPAIGN = os.environ.get("WAVECRAWL_CAMPAIGN") == "1"

ALL = CAMPAIGN or bool(os.environ.get("CI"))
"""Whether slow tests run too that nearly always fail only if quick ones fail as well."""

slow = pytest.mark.skipif(not ALL, reason="slow: runs in CI")

long = pytest.mark.long
"""Tests that only the campaign runs. They try what others try in CI, at a larger scale or in another order."""

MANY_WORKERS = 8 if CAMPAIGN else 4 if ALL else 3
"""Worker processes of a crawl whose result must equal that of one worker. Each takes half a second to start."""

EMULATOR = ALL or os.environ.get("WAVECRAWL_EMULATOR") == "1"
"""Whether the tests of the deployed template run: in CI, in the campaign and with `make e2e`. They take minutes."""

MANY_FUNCTIONS = 10
"""Functions that run at the same time on the AWS emulator. Each takes a second to start."""


def examples(short: int, *, long: int = 1_000) -> int:
    """Return how many examples a property is tried with."""
    return long if CAMPAIGN else short
