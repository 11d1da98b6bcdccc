"""The planner's lines of the log about URLs that it does not request."""

from pathlib import Path

import pytest
from tests.support.simulation import Outcome, Simulation, Web

PAGES = 30


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_each_url_that_a_limit_keeps_out_has_a_line(tmp_path: Path, share: float) -> None:
    web = Web((tuple(range(1, PAGES)), *[()] * (PAGES - 1)))
    simulation = Simulation(web, tmp_path, max_pages=10, max_frontier=12, log_urls=share)
    try:
        outcome: Outcome = simulation.crawl([])
    finally:
        simulation.close()
    skipped = {(url, reason) for url, state, reason, _, _ in outcome.ledger if state == "skipped"}
    assert {reason for _, reason in skipped} == {"max_pages", "frontier_cap"}
    lines = [(line["url"], line["reason"]) for line in simulation.logged]
    assert sorted(lines) == (sorted(skipped) if share else [])
