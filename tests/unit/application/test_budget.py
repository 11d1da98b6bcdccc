"""A crawl with a budget in dollars ends when it is spent and keeps its results."""

from pathlib import Path

from tests.support.simulation import ORIGIN, Simulation, Step, Web

from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason

LINKS = ((1, 2, 3), (4,), (5,), (6,), (), (), ())


class Tolls:
    """A meter that charges the same amount for every batch."""

    def __init__(self, usage: Usage) -> None:
        self._usage = usage

    def take(self) -> Usage:
        return self._usage


def crawled(folder: Path, *, budget: float, toll: Usage) -> list[tuple[str, str, str]]:
    simulation = Simulation(Web(LINKS), folder, budget_usd=budget, meter=Tolls(toll), batch_size=25, min_batches=1)
    try:
        outcome = simulation.crawl([Step() for _ in range(20)])
    finally:
        simulation.close()
    return [(row[0].removeprefix(ORIGIN), row[1], row[2]) for row in outcome.ledger]


def test_a_crawl_ends_when_its_dollars_are_spent(tmp_path: Path) -> None:
    # The root's batch alone costs a dollar. Nothing more is planned, and each URL found has the reason.
    ledger = crawled(tmp_path, budget=1.0, toll=Usage(write_units=1_600_000.0))
    assert ledger == [("/", "fetched", "")] + [(f"/{page}", "skipped", "budget") for page in (1, 2, 3)]


def test_a_crawl_within_its_budget_is_whole(tmp_path: Path) -> None:
    ledger = crawled(tmp_path, budget=1.0, toll=Usage(write_units=100.0))
    assert [state for _, state, _ in ledger] == ["fetched"] * 7


def test_a_budget_sees_what_was_charged_to_a_wave_that_is_over(tmp_path: Path) -> None:
    # Sitemaps are charged to the first wave. An abandoned batch is charged to its own wave, however late.
    simulation = Simulation(Web(LINKS), tmp_path, budget_usd=1.0, batch_size=25, min_batches=1)
    planner = simulation.planner()
    for wave in (1, 2):
        assert planner.run_wave(Phase.BFS, wave, "token").batches == 1
        simulation.deliver(simulation.jobs.pop())
    simulation.charge(1, Usage(write_units=1_600_000.0))
    result = planner.run_wave(Phase.BFS, 3, "token")
    assert (result.batches, result.stopped) == (0, Reason.BUDGET)
    simulation.close()


def test_a_wave_is_cut_to_what_the_rest_of_the_budget_pays_for(tmp_path: Path) -> None:
    # A batch costs 1e-5 dollars. What is left after the root's batch pays for two pages at the typical 3e-6 dollars.
    # Three pages are known. The second batch spends the rest.
    ledger = crawled(tmp_path, budget=1.65e-5, toll=Usage(gets=25.0))
    assert [(url, state) for url, state, _ in ledger] == [
        ("/", "fetched"), ("/1", "fetched"), ("/2", "fetched"), ("/3", "skipped"), ("/4", "skipped"), ("/5", "skipped"),
    ]  # fmt: skip
    assert {reason for _, state, reason in ledger if state == "skipped"} == {"budget"}
