"""Waves that start later than the queue can delay their jobs."""

from pathlib import Path

from tests.support.simulation import ORIGIN, Simulation, Web

from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.politeness.windows import Turns

HOST = ORIGIN.removeprefix("http://")


def test_a_wave_that_starts_later_than_the_queue_can_wait_is_not_dispatched_yet(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1,), ()), {1: 1}, retry_after="1800"), tmp_path)
    simulation.web.now = simulation.clock.now
    simulation.longest_delay = 900.0
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    planner.run_wave(Phase.BFS, 2, "b")
    simulation.deliver(simulation.jobs.pop())  # the response has Retry-After
    answered_at = simulation.clock.now()

    late = planner.run_wave(Phase.BFS, 3, "c")
    assert (late.batches, simulation.jobs) == (1, [])
    assert late.pause_until == answered_at + 1800.0 - 900.0  # the queue can delay the job from then on

    simulation.clock.time += 900.0
    again = planner.run_wave(Phase.BFS, 3, "d")
    assert (again.batches, again.pause_until, len(simulation.jobs)) == (1, 0.0, 1)
    simulation.close()


def test_a_wave_that_starts_soon_is_dispatched_with_its_start(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1,), ()), {1: 1}, retry_after="600"), tmp_path)
    simulation.web.now = simulation.clock.now
    simulation.longest_delay = 900.0
    planner = simulation.planner()
    for wave in (1, 2):
        planner.run_wave(Phase.BFS, wave, "a")
        simulation.deliver(simulation.jobs.pop())
    answered_at = simulation.clock.now()
    assert planner.run_wave(Phase.BFS, 3, "c").pause_until == 0.0
    assert simulation.jobs[0].starts_at == answered_at + 600.0
    simulation.close()


def test_a_wave_that_waits_reserves_nothing(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1,), ())), tmp_path)
    simulation.longest_delay = 900.0
    simulation.hosts.reserve(HOST, Turns(holder="another crawl", count=3_600, interval=1.0), now=simulation.clock.now())
    taken = simulation.hosts.read(HOST)
    planner = simulation.planner()
    assert planner.run_wave(Phase.BFS, 1, "a").pause_until == taken.windows[-1].closes_at - 900.0
    assert simulation.hosts.read(HOST) == taken

    simulation.clock.time = taken.windows[-1].closes_at - 900.0
    assert planner.run_wave(Phase.BFS, 1, "b").pause_until == 0.0
    assert simulation.jobs[0].starts_at == taken.windows[-1].closes_at
    simulation.close()


def test_a_crawl_whose_time_ends_while_a_wave_waits_leaves_it(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1,), ())), tmp_path, max_seconds=1_000.0)
    simulation.clock.time = simulation.started_at
    simulation.longest_delay = 900.0
    simulation.hosts.reserve(HOST, Turns(holder="another crawl", count=3_600, interval=1.0), now=simulation.clock.now())
    planner = simulation.planner()
    assert planner.run_wave(Phase.BFS, 1, "a").pause_until
    simulation.clock.time += 1_001.0
    left = planner.run_wave(Phase.BFS, 1, "b")
    assert (left.batches, left.cancelled, left.pause_until, simulation.jobs) == (1, True, 0.0, [])
    over = planner.run_wave(Phase.BFS, 2, "c")
    assert (over.batches, over.stopped.value) == (0, "time_limit")
    simulation.close()


def test_a_crawl_that_is_cancelled_while_a_wave_waits_leaves_it(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1,), ())), tmp_path)
    simulation.longest_delay = 900.0
    simulation.hosts.reserve(HOST, Turns(holder="another crawl", count=3_600, interval=1.0), now=simulation.clock.now())
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    left = planner.run_wave(Phase.BFS, 1, "b", cancelled=True)
    assert (left.batches, left.cancelled, simulation.jobs) == (1, True, [])
    over = planner.run_wave(Phase.BFS, 2, "c", cancelled=True)
    assert (over.batches, over.stopped.value) == (0, "cancelled")
    simulation.close()
