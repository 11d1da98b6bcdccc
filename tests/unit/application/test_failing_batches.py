"""A batch that fails is released at once for the next delivery. If the release fails, the error reports the lease."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.support.simulation import Parts, Simulation, Web

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.errors import BatchStuckError, StoreBusyError, ThrottledError
from wavecrawl.ports.batches import Batches


@dataclass(slots=True)
class Broken:
    """`ports.batches.Batches` in which some methods fail."""

    real: Batches
    failing: dict[str, Exception] = field(default_factory=dict)

    def __getattr__(self, name: str) -> object:
        if name in self.failing:
            error = self.failing[name]

            def fail(*_: object, **__: object) -> None:
                raise error

            return fail
        return getattr(self.real, name)


def broken(folder: Path, **failing: Exception) -> tuple[Simulation, Broken]:
    made: list[Broken] = []

    def batches(store: LocalStore) -> Broken:
        made.append(Broken(store.batches, failing))
        return made[-1]

    simulation = Simulation(Web(((),)), folder, parts=Parts(batches=batches))  # type: ignore[arg-type]
    simulation.planner().run_wave(Phase.BFS, 1, "a")
    return simulation, made[-1]


def test_a_batch_that_failed_can_be_taken_up_at_once(tmp_path: Path) -> None:
    simulation, batches = broken(tmp_path, complete=StoreBusyError("no answer"))
    (job,) = simulation.jobs
    with pytest.raises(StoreBusyError, match="no answer"):
        simulation.deliver(job)
    batches.failing.clear()
    simulation.deliver(job)
    (row,) = batches.real.of_wave(job.id.crawl, 1)
    assert (row.done, row.attempts) == (True, 2)
    simulation.close()


def test_a_batch_whose_lease_cannot_be_given_back_is_known_to_be_stuck(tmp_path: Path) -> None:
    simulation, _ = broken(tmp_path, complete=StoreBusyError("no answer"), give_back=ThrottledError("not now"))
    with pytest.raises(BatchStuckError, match=r"batch 0 of wave 1 failed \(no answer\), and stays leased .* not now"):
        simulation.deliver(simulation.jobs[0])
    simulation.close()


@pytest.mark.parametrize(("error", "raised"), [(StoreBusyError, BatchStuckError), (ThrottledError, ThrottledError)])
def test_a_lease_without_an_answer_may_be_held(tmp_path: Path, error: type[Exception], raised: type[Exception]) -> None:
    simulation, _ = broken(tmp_path, lease=error("x"))
    with pytest.raises(raised) as caught:
        simulation.deliver(simulation.jobs[0])
    assert type(caught.value) is raised
    simulation.close()


def test_a_planner_that_was_given_up_puts_no_token_in_the_way(tmp_path: Path) -> None:
    simulation = Simulation(Web(((),)), tmp_path)
    planner, zombie = simulation.planner(), simulation.planner()
    planner.run_wave(Phase.BFS, 1, "new", order=900.0)
    sent = len(simulation.jobs)
    zombie.run_wave(Phase.BFS, 1, "old", order=100.0)
    assert len(simulation.jobs) == sent
    simulation.deliver(simulation.jobs[0])
    assert simulation.completed_tokens == {"new"}
    simulation.close()
