"""What a wave sends if it runs again: a message that waits is not sent a second time."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.support.simulation import LEASE, Simulation, Web

from wavecrawl.domain.crawl.job import BatchJob
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.errors import ThrottledError

BATCHES = 10
LINKS = (tuple(range(1, 1 + BATCHES)), *[()] * BATCHES)


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    """A crawl whose second wave was sent: ten batches of one page."""
    made = Simulation(Web(LINKS), tmp_path, batch_size=1)
    made.planner().run_wave(Phase.BFS, 1, "first")
    made.deliver(made.jobs.pop())
    made.planner().run_wave(Phase.BFS, 2, "second")
    assert len(made.jobs) == BATCHES
    made.holding = True
    yield made
    made.close()


def sent_again(simulation: Simulation) -> list[int]:
    """Run the wave again, as after a time-out; return the numbers of the batches that are sent."""
    simulation.clock.time += 1_800.0
    simulation.jobs.clear()
    simulation.planner().run_wave(Phase.BFS, 2, "again", order=simulation.clock.time)
    return [job.id.batch for job in simulation.jobs]


def test_time_outs_send_nothing_that_waits_in_the_queue(simulation: Simulation) -> None:
    assert [sent_again(simulation) for _ in range(8)] == [[]] * 8


def test_what_the_queue_cannot_hold_any_more_is_sent_again(simulation: Simulation) -> None:
    done, dead, leased, postponed = simulation.jobs[:4]
    simulation.deliver(done)
    simulation.deliver_elsewhere(dead, "before fetch")
    now = simulation.clock.now()
    simulation.batches.lease(leased.id, owner="alive", now=now, seconds=1_800.0 + LEASE)
    simulation.batches.postpone(postponed.id, starts_at=now + 1_900.0)
    simulation.holding = False
    open_ = {*range(BATCHES)} - {done.id.batch, leased.id.batch, postponed.id.batch}
    assert sent_again(simulation) == sorted(open_)


def test_a_late_batch_keeps_its_turns_while_others_are_sent_again(simulation: Simulation) -> None:
    late = simulation.jobs[0]
    opens_at = simulation.clock.now() + 1_900.0
    turns = Turns(holder=str(late.id.crawl), part="2/0", count=1, interval=1.0, not_before=opens_at)
    simulation.hosts.reserve(late.host, turns, now=opens_at)
    simulation.batches.postpone(late.id, starts_at=opens_at)
    simulation.holding = False
    assert len(sent_again(simulation)) == BATCHES - 1
    kept = [held.closes_at for held in simulation.hosts.read(late.host).windows if held.part == "2/0"]
    assert kept == [opens_at + 1.0]


def test_what_starts_later_is_sent_again_to_a_queue_that_has_lost_it(simulation: Simulation) -> None:
    """The queue of one machine ends with its process."""
    simulation.holding = False
    first = simulation.jobs[0].id
    simulation._store.waves.mark_sent(first.crawl, first.wave, at=simulation.clock.now() + 7_200.0)
    assert sent_again(simulation) == [*range(BATCHES)]


def test_a_wave_whose_sending_was_interrupted_is_sent(tmp_path: Path) -> None:
    class Interrupted(Simulation):
        failing = True

        def send(self, jobs: Sequence[BatchJob]) -> None:
            super().send(jobs[:1])
            if self.failing:
                raise ThrottledError("the planner was killed here")

    made = Interrupted(Web(LINKS), tmp_path, batch_size=1)
    made.holding = True
    with pytest.raises(ThrottledError):
        made.planner().run_wave(Phase.BFS, 1, "first")
    made.failing = False
    made.jobs.clear()
    made.planner().run_wave(Phase.BFS, 1, "first")
    assert len(made.jobs) == 1
    made.close()
