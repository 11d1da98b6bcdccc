"""Adaptive intervals keep the copies of a simulated site fresher than fixed ones."""

import pytest
from bench.recrawl import DAYS, PAGES, adaptive, fixed


@pytest.mark.parametrize("interval", [4.0, 20.0])
def test_adaptive_intervals_beat_fixed_ones_with_no_fewer_requests(interval: float) -> None:
    found = adaptive("adaptive", interval, seed=2)
    plain = fixed("fixed", PAGES * DAYS // found.requests, seed=2)
    assert plain.requests >= found.requests
    assert found.stale < plain.stale
    assert found.age < plain.age
