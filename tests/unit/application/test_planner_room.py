"""Planners that have too little memory: another one plans the wave, or the crawl ends."""

from pathlib import Path

from tests.support.simulation import Simulation, Web

from wavecrawl.adapters.embedded.folder import crawl_folder
from wavecrawl.application.next_step import after_wave
from wavecrawl.application.run_wave import Planner
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.ports.signals import Following, NextStep

LINKS = ((1, 2), (3, 4), (), (), (5,), ())


def crawled(folder: Path, waves: int) -> Simulation:
    """Return a crawl whose first waves are planned and fetched."""
    simulation = Simulation(Web(LINKS), folder)
    planner = simulation.planner()
    for wave in range(1, waves + 1):
        planner.run_wave(Phase.BFS, wave, f"token {wave}")
        while simulation.jobs:
            simulation.deliver(simulation.jobs.pop(0))
    return simulation


def stored(simulation: Simulation, folder: Path, wave: int) -> bytes:
    return (crawl_folder(folder, simulation.crawl_id) / "frontier" / f"{wave:06d}.msgpack").read_bytes()


def test_a_planner_that_starts_plans_byte_for_byte_what_a_warm_one_plans(tmp_path: Path) -> None:
    plans = []
    for name in ("warm", "fresh"):
        simulation = crawled(tmp_path / name, 2)
        planner = simulation.planner()
        if name == "warm":
            assert planner.run_wave(Phase.BFS, 3, "token 3").urls == 2
        else:
            planner.plan(Phase.BFS, 3)
            planner.plan(Phase.BFS, 3)
        plans.append(stored(simulation, tmp_path / name, 3))
        simulation.close()
    warm, fresh = (plan.replace(b"site.example", b"") for plan in plans)
    assert fresh == warm


def test_a_wave_that_is_planned_is_dispatched_without_the_state_of_the_crawl(tmp_path: Path) -> None:
    simulation = crawled(tmp_path, 2)
    simulation.planner().plan(Phase.BFS, 3)
    assert simulation.jobs == []
    other = simulation.planner()
    assert other.bytes_for(3) == 0
    result = other.run_wave(Phase.BFS, 3, "token 3")
    assert (result.urls, result.again, result.pending, other.held_bytes) == (2, False, 2, 0)
    assert [item.url.rpartition("/")[2] for job in simulation.jobs for item in job.items] == ["3", "4"]
    assert other.run_wave(Phase.BFS, 3, "another token").again
    simulation.close()


def test_what_the_urls_take_is_known_before_the_state_is_restored(tmp_path: Path) -> None:
    simulation = crawled(tmp_path, 2)
    known = simulation.planner().bytes_for(3)
    planner = simulation.planner()
    assert (planner.held_bytes, planner.bytes_for(1), known > 0) == (0, 0, True)
    planner.restore(2)
    assert planner.held_bytes == planner.bytes_for(3) == known
    planner.restore(1)
    assert 0 < planner.held_bytes < known
    simulation.close()


def ended(planner: Planner) -> list[tuple[str, str]]:
    return [(row.url.rpartition("/")[2], row.reason.value) for row in planner.state.frontier.ledger({}) if row.reason]


def test_a_crawl_without_memory_ends_with_the_reason(tmp_path: Path) -> None:
    simulation = crawled(tmp_path, 2)
    planner = simulation.planner()
    result = planner.run_wave(Phase.BFS, 3, "token 3", full=True)
    assert (result.batches, result.stopped.value, result.wait_until, result.media) == (0, "planner_memory", 0.0, 0)
    assert ended(planner) == [("3", "planner_memory"), ("4", "planner_memory")]
    simulation.close()


def test_a_crawl_without_memory_reads_no_sitemaps(tmp_path: Path) -> None:
    simulation = crawled(tmp_path, 2)
    result = simulation.planner().run_wave(Phase.BFS, 3, "token 3", full=True)
    assert after_wave(result, Phase.BFS, Discovery.LINKS_FIRST) == Following(next=NextStep.FINISH)
    simulation.close()
