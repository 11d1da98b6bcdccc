"""Adaptive intervals keep the copies of a simulated site fresher than fixed ones; unchanged pages cost little."""

import pytest
from bench.recrawl import DAYS, PAGES, adaptive, fixed, recrawl
from tests.support.campaign import slow


@pytest.mark.parametrize("interval", [4.0, 20.0])
@slow
def test_adaptive_intervals_beat_fixed_ones_with_no_fewer_requests(interval: float) -> None:
    found = adaptive("adaptive", interval, seed=2)
    plain = fixed("fixed", PAGES * DAYS // found.requests, seed=2)
    assert plain.requests >= found.requests
    assert found.stale < plain.stale
    assert found.age < plain.age


@pytest.mark.parametrize(("validators", "most"), [(True, 0.1), (False, 1.01)], ids=["with ETag", "without validators"])
@slow
def test_a_second_crawl_finds_every_change_and_its_unchanged_pages_are_small(*, validators: bool, most: float) -> None:
    served = recrawl("", validators=validators, count=200)
    assert (served.pages, served.changed, served.found) == (200, 6, 6)
    assert served.records[1] <= 200  # bytes
    assert served.sent[1] <= most * served.sent[0]
    assert served.exchanges[1] < served.exchanges[0] / 2
