"""Batches of large pages: the memory of one batch is bounded, and the limit changes no result."""

import tracemalloc
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.campaign import slow
from tests.support.simulation import Outcome, Simulation, Web

from wavecrawl.domain.crawl.ledger import Phase

LINKS = (tuple(range(1, 31)), *((31 + page % 10, 41 + page) for page in range(1, 31)), *[()] * 42)
"""Each of ten second-level pages is linked from three first-level pages. The first of them is its parent."""


@dataclass(frozen=True, slots=True)
class Crawled:
    """The end of a crawl with a limit."""

    outcome: Outcome
    tries: int
    waves: int


def crawled(folder: Path, *, most_bytes: int = 1_000_000, most_links: int = 1_000_000) -> Crawled:
    web = Web(LINKS)
    simulation = Simulation(
        web,
        folder,
        batch_size=4,
        min_batches=1,
        interval=0.04,
        max_pages=50,
        max_batch_bytes=most_bytes,
        max_batch_links=most_links,
    )
    outcome = simulation.crawl([])
    state = simulation.planner().state
    simulation.close()
    assert web.requests.total() == state.counters.tries
    return Crawled(outcome, state.counters.tries, state.wave)


@pytest.mark.parametrize("limits", [{"most_bytes": 1}, {"most_bytes": 100}, {"most_bytes": 150}, {"most_links": 3}])
def test_what_a_full_worker_postpones_changes_no_result(tmp_path: Path, limits: dict[str, int]) -> None:
    whole = crawled(tmp_path / "whole")
    parts = crawled(tmp_path / "parts", **limits)
    assert parts.waves > whole.waves
    assert parts.outcome == whole.outcome
    assert parts.tries == whole.tries == 50


@slow  # pages with 80,000 links
def test_a_batch_keeps_no_records_in_memory(tmp_path: Path) -> None:
    few, many = (peak(tmp_path / str(pages), pages) for pages in (8, 80))
    assert many < 1.5 * few


def peak(folder: Path, pages: int) -> int:
    """Return the peak of bytes held by a batch of `pages` pages with 1,000 links each."""
    listed = tuple(range(1_000, 2_000))
    simulation = Simulation(
        Web((tuple(range(1, pages + 1)), *[listed] * pages)), folder, batch_size=100, min_batches=1, interval=0.04
    )
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    planner.run_wave(Phase.BFS, 2, "b")
    (job,) = simulation.jobs
    assert len(job.items) == pages
    tracemalloc.start()
    simulation.deliver(job)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    simulation.close()
    return most
