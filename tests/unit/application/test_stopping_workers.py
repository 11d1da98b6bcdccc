"""A worker stops within a batch if its crawl is cancelled, over, out of time, spent or deleted. The wave still ends."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace
from tests.support.simulation import Simulation, Web
from tests.support.still_clock import StillClock

from wavecrawl.application.stop_signal import LOOK_EVERY, StopSignal
from wavecrawl.application.throttle import LONGEST_SLEEP, Throttle
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchJob, CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.batches import Waves
from wavecrawl.ports.crawls import CrawlRow

PAGES = 40
STOPPED_AT = 10
MAX_SECONDS = 1_000.0
BUDGET = 1.0  # dollars
NO_WAVES = cast("Waves", None)  # read only if there is a budget

Ending = Callable[[Simulation], object]


def cancel(simulation: Simulation) -> None:
    assert simulation.crawls.ask_to_cancel(simulation.crawl_id)


def finish(simulation: Simulation) -> None:
    assert simulation.crawls.finish(simulation.crawl_id, status=CrawlStatus.FAILED, now=simulation.clock.now())


def use_up_the_time(simulation: Simulation) -> None:
    simulation.clock.time = simulation.started_at + MAX_SECONDS


def spend_the_budget(simulation: Simulation) -> None:
    simulation.charge(1, Usage(write_units=1_600_000.0))


def delete(simulation: Simulation) -> None:
    finish(simulation)
    simulation.crawls.delete(simulation.crawl_id)


def stopped(folder: Path, ending: Ending) -> tuple[Simulation, BatchJob]:
    """Deliver a batch of 40 pages. During the tenth the crawl ends, and a few seconds pass."""
    web = Web((tuple(range(1, PAGES + 1)), *[()] * PAGES))
    simulation = Simulation(
        web, folder, batch_size=100, min_batches=1, interval=0.04, max_seconds=MAX_SECONDS, budget_usd=BUDGET
    )
    simulation.clock.time = simulation.started_at
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    planner.run_wave(Phase.BFS, 2, "b")

    def end_in_between(page: int) -> None:
        if page == STOPPED_AT:
            ending(simulation)
            simulation.clock.time += LOOK_EVERY + 0.1

    web.on_fetch = end_in_between
    job = simulation.jobs.pop()
    assert len(job.items) == PAGES
    simulation.deliver(job)
    return simulation, job


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        (cancel, Reason.CANCELLED),
        (finish, Reason.CANCELLED),
        (use_up_the_time, Reason.TIME_LIMIT),
        (spend_the_budget, Reason.BUDGET),
    ],
)
def test_a_worker_stops_with_its_crawl_and_the_wave_ends(tmp_path: Path, ending: Ending, reason: Reason) -> None:
    simulation, _ = stopped(tmp_path, ending)
    assert len(simulation.web.served) == 1 + STOPPED_AT
    assert "b" in simulation.completed_tokens
    planner = simulation.planner()
    assert planner.run_wave(Phase.BFS, 3, "c", cancelled=reason is Reason.CANCELLED).batches == 0
    ledger = [(row.state.value, row.reason) for row in planner.state.frontier.ledger({})]
    assert ledger.count(("fetched", Reason.NONE)) + ledger.count(("fetched", Reason.STATUS)) == 1 + STOPPED_AT
    assert ledger.count(("skipped", reason)) == PAGES - STOPPED_AT
    simulation.close()


def test_a_worker_of_a_deleted_crawl_ends_quietly_and_completes_nothing(tmp_path: Path) -> None:
    simulation, _ = stopped(tmp_path, delete)
    assert len(simulation.web.served) == 1 + STOPPED_AT
    assert simulation.completed_tokens == {"a"}
    simulation.close()


def test_a_postponed_url_is_planned_again_if_the_crawl_goes_on(tmp_path: Path) -> None:
    """Clocks of machines differ: a worker may see the time limit before the planner does."""
    simulation, _ = stopped(tmp_path, use_up_the_time)
    simulation.clock.time = simulation.started_at + MAX_SECONDS - 20.0
    planner = simulation.planner()
    assert planner.run_wave(Phase.BFS, 3, "c").urls == PAGES - STOPPED_AT
    simulation.deliver(simulation.jobs.pop())
    assert set(simulation.web.served.values()) == {1}
    assert [row.tries for row in planner.state.frontier.ledger({})][-1] == 0
    simulation.close()


def test_a_wait_for_a_start_ends_with_the_crawl() -> None:
    clock = StillClock(1_000.0)
    throttle = Throttle(clock)
    pace = Pace(interval=300.0, in_flight=1)

    def stop() -> bool:
        return clock.now() >= 1_010.0

    with throttle.slot("example.com", pace, not_before=0.0) as first:
        assert first
        assert not throttle.next_start("example.com", pace, not_after=2_000.0, stop=stop)
    assert clock.now() <= 1_010.0 + LONGEST_SLEEP
    with throttle.slot("example.com", pace, not_before=0.0, stop=stop) as second:
        assert not second


class Rows:
    """`ports.crawls.Crawls` that counts its reads and does not respond to some."""

    def __init__(self, row: CrawlRow | None) -> None:
        self.row = row
        self.reads = 0
        self.is_busy = False

    def read(self, _id: CrawlId) -> CrawlRow | None:
        self.reads += 1
        if self.is_busy:
            raise StoreBusyError("no answer")
        return self.row

    def note_pauses(self, _id: CrawlId, pauses: dict[str, float]) -> None:
        assert self.row is not None
        self.row = replace(self.row, pauses=pauses)


def a_row() -> CrawlRow:
    id_ = CrawlId(tenant="t", site="example.com", crawl="c")
    return CrawlRow(id=id_, start_url="http://s/", root_url="http://s/", settings=CrawlSettings(), started_at=100.0)


def test_the_row_is_read_every_few_seconds_and_not_for_each_page() -> None:
    row, clock = a_row(), StillClock(100.0)
    rows = Rows(row)
    signal = StopSignal(row, rows, NO_WAVES, clock)  # type: ignore[arg-type]
    for _ in range(100):
        assert not signal.is_set()
    assert rows.reads == 1
    rows.row = replace(row, cancel_asked=True)
    assert not signal.is_set()
    clock.time += LOOK_EVERY + 0.1
    assert signal.is_set()
    assert (rows.reads, signal.crawl_is_deleted) == (2, False)


def test_a_store_that_does_not_respond_stops_no_worker() -> None:
    row, clock = a_row(), StillClock(100.0)
    rows = Rows(None)
    rows.is_busy = True
    signal = StopSignal(row, rows, NO_WAVES, clock)  # type: ignore[arg-type]
    assert not signal.is_set()
    rows.is_busy = False
    clock.time += LOOK_EVERY + 0.1
    assert signal.is_set()
    assert signal.crawl_is_deleted


def test_pauses_that_two_workers_note_at_once_are_both_kept() -> None:
    row, clock = a_row(), StillClock(100.0)
    rows = Rows(row)
    one, other = (StopSignal(row, rows, NO_WAVES, clock) for _ in range(2))  # type: ignore[arg-type]
    one.note_pause("a.example", 160.0)
    other.note_pause("b.example", 170.0)
    assert rows.row is not None
    assert rows.row.pauses == {"a.example": 160.0, "b.example": 170.0}
    assert other.paused_until("a.example") == 160.0
    other.note_pause("a.example", 150.0)  # another worker knows of a longer one
    assert rows.row.pauses["a.example"] == 160.0


def test_a_pause_of_a_deleted_crawl_is_not_noted() -> None:
    rows = Rows(None)
    signal = StopSignal(a_row(), rows, NO_WAVES, StillClock(100.0))  # type: ignore[arg-type]
    signal.note_pause("a.example", 160.0)
    assert (rows.row, signal.crawl_is_deleted) == (None, True)
