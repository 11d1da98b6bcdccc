"""Workers that have to end: what they do not come to is postponed, not lost, and costs no try."""

from pathlib import Path

from tests.support.simulation import ORIGIN, Simulation, Web

from wavecrawl.domain.ledger import Phase

TIMEOUT = 10.0  # seconds a request may take, by default


def test_no_request_starts_that_could_outlast_its_worker(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1, 2, 3, 4), (), (), (), ())), tmp_path, batch_size=25, min_batches=1)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    planner.run_wave(Phase.BFS, 2, "b")

    def takes_four_seconds(_: int) -> None:
        simulation.clock.seconds += 4.0

    simulation.web.on_fetch = takes_four_seconds
    simulation.deliver(simulation.jobs.pop(), deadline=simulation.clock.now() + 5.0 + TIMEOUT)
    assert sorted(simulation.web.served) == [0, 1, 2]  # 3 would have started 8 seconds in

    again = planner.run_wave(Phase.BFS, 3, "c")
    assert (again.batches, [item.url for item in simulation.jobs[0].items]) == (1, [f"{ORIGIN}/3", f"{ORIGIN}/4"])
    assert [item.tries for item in simulation.jobs[0].items] == [1, 1]
    simulation.deliver(simulation.jobs.pop())
    assert planner.run_wave(Phase.BFS, 4, "d").batches == 0
    assert [(row.state.value, row.tries) for row in planner.state.frontier.ledger({})] == [("fetched", 1)] * 5
    simulation.close()
