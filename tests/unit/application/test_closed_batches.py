"""The batches that are not done when a crawl is cancelled are closed: nothing of them counts any more."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.simulation import LEASE, Simulation, Web

from wavecrawl.domain.crawl.job import BatchJob
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.ports.batches import BatchSums

PAGES = 3
LINKS = (tuple(range(1, 1 + PAGES)), *[()] * PAGES)


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    """A crawl whose second wave was sent: three batches of one page, of which one is done."""
    made = Simulation(Web(LINKS), tmp_path, batch_size=1)
    made.planner().run_wave(Phase.BFS, 1, "a")
    made.deliver(made.jobs.pop())
    made.planner().run_wave(Phase.BFS, 2, "b")
    made.deliver(made.jobs.pop(0))
    assert len(made.jobs) == PAGES - 1
    yield made
    made.close()


def resume(simulation: Simulation) -> list[BatchJob]:
    """Plan the next wave after a cancelled one; return its jobs."""
    simulation.jobs.clear()
    assert simulation.planner().run_wave(Phase.BFS, 4, "d").urls == PAGES - 1
    return simulation.jobs[:]


def test_a_late_worker_of_a_cancelled_crawl_counts_nothing(simulation: Simulation) -> None:
    running = simulation.jobs[0].id
    lease = simulation.batches.lease(running, owner="late", now=simulation.clock.now(), seconds=LEASE)
    assert lease is not None
    simulation.planner().run_wave(Phase.BFS, 3, "c", cancelled=True)
    assert not simulation.batches.complete(lease, BatchSums(records=1, fetched=1))


def test_late_messages_of_a_cancelled_wave_fetch_nothing_beside_the_resumed_crawl(simulation: Simulation) -> None:
    late = simulation.jobs[:]
    simulation.planner().run_wave(Phase.BFS, 3, "c", cancelled=True)
    for job in (*late, *resume(simulation), *late):
        simulation.deliver(job)
    assert simulation.web.requests.total() == 1 + PAGES
    assert simulation.waves.progress(simulation.crawl_id).fetched == 1 + PAGES


def test_urls_of_closed_batches_are_planned_again_if_the_crawl_goes_on(simulation: Simulation) -> None:
    """The planner may end between closing the batches and storing its plan, and the crawl be resumed."""
    for job in simulation.jobs:
        assert simulation.batches.close(job.id)
    simulation.jobs.clear()
    planner = simulation.planner()
    assert planner.run_wave(Phase.BFS, 3, "c").urls == PAGES - 1
    for job in simulation.jobs:
        simulation.deliver(job)
    assert planner.run_wave(Phase.BFS, 4, "d").batches == 0
    assert [(row.state.value, row.tries) for row in planner.state.frontier.ledger({})] == [("fetched", 1)] * (1 + PAGES)
