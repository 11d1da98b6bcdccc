"""The limit on the tries of a crawl, whatever their result."""

from pathlib import Path

import pytest
from tests.support.simulation import ORIGIN, Simulation, Web

from wavecrawl.application.next_step import after_wave
from wavecrawl.application.run_wave import WaveResult
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.ports.signals import NextStep

BROKEN = (tuple(range(1, 10)), *[()] * 9)
"""A root that links to nine pages."""


def crawled(web: Web, folder: Path, *, tries: int) -> dict[str, tuple[str, str]]:
    simulation = Simulation(web, folder, max_tries=tries)
    try:
        outcome = simulation.crawl([])
    finally:
        simulation.close()
    return {row[0].removeprefix(ORIGIN): (row[1], row[2]) for row in outcome.ledger}


def test_a_crawl_of_a_site_that_answers_nothing_ends_with_its_tries(tmp_path: Path) -> None:
    web = Web(BROKEN, silent=frozenset(range(1, 10)))
    ledger = crawled(web, tmp_path, tries=7)
    assert web.requests.total() == 7
    assert {ledger[f"/{page}"] for page in range(1, 10)} == {("skipped", "max_tries")}


def test_retries_count(tmp_path: Path) -> None:
    web = Web(((1, 2), (), ()), fails={1: 2})
    ledger = crawled(web, tmp_path, tries=4)
    assert web.requests == {0: 1, 1: 2, 2: 1}
    assert (ledger["/1"], ledger["/2"]) == (("skipped", "max_tries"), ("fetched", ""))


@pytest.mark.parametrize("tries", [0, 12])
def test_a_crawl_within_its_tries_is_whole(tmp_path: Path, tries: int) -> None:
    ledger = crawled(Web(BROKEN, fails={3: 1, 4: 1}), tmp_path, tries=tries)
    assert set(ledger.values()) == {("fetched", "")}


def test_what_is_postponed_is_no_try(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1,), ())), tmp_path, max_tries=2)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    for wave in (2, 3):
        assert planner.run_wave(Phase.BFS, wave, f"wave {wave}").urls == 1
        simulation.deliver(simulation.jobs.pop(), deadline=simulation.clock.now())  # no time is left for it
    assert planner.state.counters.tries == 1
    planner.run_wave(Phase.BFS, 4, "d")
    simulation.deliver(simulation.jobs.pop())
    assert planner.run_wave(Phase.BFS, 5, "e").stopped is Reason.MAX_TRIES
    assert simulation.web.served == {0: 1, 1: 1}
    simulation.close()


def test_sitemaps_follow_links_that_took_all_tries() -> None:
    ended = WaveResult(wave=2, batches=0, urls=0, stopped=Reason.MAX_TRIES)
    assert after_wave(ended, Phase.BFS, Discovery.LINKS_FIRST).next is NextStep.SITEMAPS
