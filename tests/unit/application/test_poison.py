"""A page that kills every worker that fetches it: only this page fails; the others of its batch are fetched."""

from pathlib import Path

import pytest
from tests.support.simulation import ORIGIN, Outcome, Simulation, Web, WorkerDiedError

from wavecrawl.domain.crawl.ledger import Phase

POISON = 4
LINKS = (tuple(range(1, 9)), *((8 + page,) for page in range(1, 9)), *[()] * 8)
"""The root links to eight pages, and each of these to one more."""
MOST_DELIVERIES = 100
ATTEMPTS = 2


def crawled(folder: Path, web: Web, *, restarted: bool = False) -> tuple[Outcome, list[list[int]]]:
    """Crawl to the end. Deliver the open batches of each wave until it is over. Return the batch sizes of each wave.

    With `restarted`, each wave is planned by a planner that starts from the snapshots.
    """
    simulation = Simulation(web, folder, batch_size=8, min_batches=1, interval=0.04, max_attempts=ATTEMPTS)
    planner, sizes, wave = simulation.planner(), [], 0
    while True:
        wave += 1
        planner = simulation.planner() if restarted else planner
        simulation.jobs.clear()
        if not planner.run_wave(Phase.BFS, wave, f"token {wave}").batches:
            break
        sizes.append([len(job.items) for job in simulation.jobs])
        for _ in range(MOST_DELIVERIES):
            for job in list(simulation.jobs):
                simulation.deliver(job)
            if f"token {wave}" in simulation.completed_tokens:
                break
        else:
            pytest.fail(f"wave {wave} does not end")
    outcome = simulation.outcome()
    simulation.close()
    return outcome, sizes


def deadly(page: int) -> None:
    if page == POISON:
        raise WorkerDiedError


def test_only_the_page_that_kills_its_workers_fails(tmp_path: Path) -> None:
    web = Web(LINKS, on_fetch=deadly)
    outcome, sizes = crawled(tmp_path, web)
    states = {url.removeprefix(ORIGIN): (state, reason) for url, state, reason, _, _ in outcome.ledger}
    assert states.pop(f"/{POISON}") == ("failed", "poison")
    assert set(states.values()) == {("fetched", "")}
    assert len(states) == len(LINKS) - 2  # without the page itself, and the page that only it links to
    assert sizes == [[1], [8], [1, 1, 1, 1, 1], [7]]  # the first three pages were stored before the worker died


def test_a_restart_between_the_waves_changes_nothing(tmp_path: Path) -> None:
    kept = crawled(tmp_path / "kept", Web(LINKS, on_fetch=deadly))
    restarted = crawled(tmp_path / "restarted", Web(LINKS, on_fetch=deadly), restarted=True)
    assert restarted == kept


def test_the_order_of_the_crawl_is_that_of_an_undisturbed_one(tmp_path: Path) -> None:
    failing = Web(tuple(() if page == POISON else links for page, links in enumerate(LINKS)))
    disturbed, _ = crawled(tmp_path / "disturbed", Web(LINKS, on_fetch=deadly))
    undisturbed, _ = crawled(tmp_path / "undisturbed", failing)
    found = [(url, depth, parent) for url, _, _, depth, parent in disturbed.ledger]
    assert found == [(url, depth, parent) for url, _, _, depth, parent in undisturbed.ledger]
