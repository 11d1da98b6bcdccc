"""A batch that takes long stores its number of records so far, every 2 s."""

from pathlib import Path
from typing import cast

from tests.support.simulation import Parts, Simulation, Web

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.batches import Batches, Lease


class Noted:
    """`ports.batches.Batches` that keeps the notes and fails to store them."""

    def __init__(self, real: Batches) -> None:
        self._real = real
        self.notes: list[int] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def note_records(self, _lease: Lease, records: int) -> None:
        self.notes.append(records)
        raise StoreBusyError("no answer")


def notes_of(folder: Path, *, pages: int, seconds_a_page: float) -> list[int]:
    """Return the notes of a batch that waits 40 ms between two pages."""
    kept: list[Noted] = []

    def batches(store: LocalStore) -> Batches:
        kept.append(Noted(store.batches))
        return cast("Batches", kept[-1])

    def takes_its_time(_: int) -> None:
        simulation.clock.time += seconds_a_page

    web = Web((tuple(range(1, pages + 1)), *[()] * pages))
    simulation = Simulation(web, folder, batch_size=100, min_batches=1, interval=0.04, parts=Parts(batches=batches))
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    planner.run_wave(Phase.BFS, 2, "b")
    (job,) = simulation.jobs
    assert len(job.items) == pages
    web.on_fetch = takes_its_time
    simulation.deliver(job)
    assert simulation.completed_tokens == {"a", "b"}  # the batches are done although no note could be stored
    simulation.close()
    return kept[-1].notes


def test_a_slow_batch_stores_a_note_every_2_seconds(tmp_path: Path) -> None:
    assert notes_of(tmp_path, pages=9, seconds_a_page=0.5) == [4, 8]


def test_a_batch_slower_than_that_stores_a_note_for_each_page(tmp_path: Path) -> None:
    assert notes_of(tmp_path, pages=5, seconds_a_page=3.0) == [1, 2, 3, 4]


def test_a_fast_batch_stores_a_note_every_2_seconds(tmp_path: Path) -> None:
    assert notes_of(tmp_path, pages=90, seconds_a_page=1 / 16) == [32, 64]


def test_a_short_batch_stores_no_note(tmp_path: Path) -> None:
    assert notes_of(tmp_path, pages=40, seconds_a_page=0.0) == []
