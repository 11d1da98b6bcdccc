"""Workers with a deadline: URLs they do not reach are postponed, not lost, and use no try."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.simulation import ORIGIN, Simulation, Web

from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.politeness.pace import Pace

TIMEOUT = 10.0  # seconds per request, by default
LONGEST = TIMEOUT + 5.0  # seconds for a page: its request, then reading it


def test_no_request_starts_that_could_outlast_its_worker(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1, 2, 3, 4), (), (), (), ())), tmp_path, batch_size=25, min_batches=1)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    planner.run_wave(Phase.BFS, 2, "b")

    def takes_four_seconds(_: int) -> None:
        simulation.clock.time += 4.0

    simulation.web.on_fetch = takes_four_seconds
    simulation.deliver(simulation.jobs.pop(), deadline=simulation.clock.now() + 5.0 + LONGEST)
    assert sorted(simulation.web.served) == [0, 1, 2]  # page 3 would have started after 8 s

    again = planner.run_wave(Phase.BFS, 3, "c")
    assert (again.batches, [item.url for item in simulation.jobs[0].items]) == (1, [f"{ORIGIN}/3", f"{ORIGIN}/4"])
    assert [item.tries for item in simulation.jobs[0].items] == [1, 1]
    simulation.deliver(simulation.jobs.pop())
    assert planner.run_wave(Phase.BFS, 4, "d").batches == 0
    assert [(row.state.value, row.tries) for row in planner.state.frontier.ledger({})] == [("fetched", 1)] * 5
    simulation.close()


@pytest.mark.parametrize("answering", [frozenset(), frozenset(range(5, 101, 5))], ids=["dead", "flaky"])
def test_a_full_batch_whose_requests_time_out_loses_nothing(tmp_path: Path, answering: frozenset[int]) -> None:
    silent = frozenset(range(1, 101)) - answering
    web = Web((tuple(range(1, 101)), *[()] * 100), silent=silent)
    simulation = Simulation(web, tmp_path, batch_size=100, min_batches=1, interval=0.04, worker_seconds=170.0)
    sizes: list[int] = []

    def takes_its_time(page: int) -> None:
        sizes.extend(len(job.items) for job in simulation.jobs)
        simulation.clock.time += TIMEOUT if page in silent else 0.1

    web.on_fetch = takes_its_time
    outcome = simulation.crawl([])  # checks after every wave that each URL was counted exactly once
    tries = simulation.planner().state.counters.tries
    simulation.close()
    assert max(sizes) == 100
    assert {page: web.served[page] for page in answering} == dict.fromkeys(answering, 1)
    assert all(web.requests[page] <= 3 for page in silent)
    assert tries == web.requests.total()
    ends = {int(url.removeprefix(f"{ORIGIN}/") or 0): state for url, state, *_ in outcome.ledger}
    assert len(ends) == 101
    assert {ends[page] for page in (0, *answering)} == {"fetched"}
    assert {ends[page] for page in silent} == {"failed"}


@dataclass(slots=True)
class Slashed(Web):
    """A site that redirects each page to its other spelling, with a slash at the end, or to another `ending`."""

    ending: str = "/"
    starts: list[float] = field(default_factory=list)
    asked_for: list[str] = field(default_factory=list)

    def fetch(self, request: FetchRequest) -> Exchange:
        if request.method == "HEAD" or request.url.endswith((f"{ORIGIN}/", "robots.txt")):
            return Web.fetch(self, request)
        self.starts.append(self.now())
        self.asked_for.append(request.url.removeprefix(ORIGIN))
        self.on_fetch(0)
        if not request.url.endswith(self.ending):
            to = f"{request.url}{self.ending}"
            return Exchange(url=request.url, method="GET", status=301, headers=(("Location", to),))
        return Web.fetch(self, request)


@pytest.fixture
def slashed(tmp_path: Path) -> Simulation:
    """A crawl whose root is fetched and whose second wave is page 1."""
    simulation = Simulation(Slashed(((1,), ())), tmp_path, batch_size=25, min_batches=1)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    planner.run_wave(Phase.BFS, 2, "b")
    simulation.web.now = simulation.clock.now
    return simulation


def test_each_request_of_a_page_keeps_the_pace(slashed: Simulation) -> None:
    slashed.deliver(replace(slashed.jobs.pop(), pace=Pace(interval=2.0, in_flight=1)))
    assert isinstance(slashed.web, Slashed)
    first, second = slashed.web.starts
    assert 2.0 <= second - first < 2.5  # with jitter
    slashed.close()


def test_a_redirect_is_not_followed_where_that_could_outlast_the_worker(slashed: Simulation) -> None:
    def takes_four_seconds(_: int) -> None:
        slashed.clock.time += 4.0

    web = slashed.web
    assert isinstance(web, Slashed)
    web.on_fetch = takes_four_seconds
    slashed.deliver(slashed.jobs.pop(), deadline=slashed.clock.now() + 3.0 + LONGEST)
    assert web.asked_for == ["/1"]

    planner = slashed.planner()
    assert planner.run_wave(Phase.BFS, 3, "c").urls == 1
    (job,) = slashed.jobs
    assert [(item.url, item.tries) for item in job.items] == [(f"{ORIGIN}/1/", 1)]
    slashed.deliver(slashed.jobs.pop())
    assert web.asked_for == ["/1", "/1/"]
    assert planner.run_wave(Phase.BFS, 4, "d").batches == 0
    ledger = [(row.url.removeprefix(ORIGIN), row.state.value, row.tries) for row in planner.state.frontier.ledger({})]
    assert ledger == [("/", "fetched", 1), ("/1", "redirected", 1), ("/1/", "fetched", 1)]
    slashed.close()


def test_a_page_is_not_read_after_the_deadline(slashed: Simulation) -> None:
    def takes_too_long(_: int) -> None:
        slashed.clock.time += LONGEST + 1.0

    assert isinstance(slashed.web, Slashed)
    slashed.web.ending = ""
    slashed.web.on_fetch = takes_too_long  # as if expensive pages had been read before it
    planner = slashed.planner()
    slashed.deliver(slashed.jobs.pop(), deadline=slashed.clock.now() + LONGEST)
    assert planner.run_wave(Phase.BFS, 3, "c").urls == 1
    assert [(item.url, item.tries) for item in slashed.jobs[0].items] == [(f"{ORIGIN}/1", 2)]
    slashed.deliver(slashed.jobs.pop())
    assert planner.run_wave(Phase.BFS, 4, "d").batches == 0
    assert [row.state.value for row in planner.state.frontier.ledger({})] == ["fetched", "fetched"]
    slashed.close()


def test_a_followed_redirect_counts_as_two_urls_of_one_batch(slashed: Simulation) -> None:
    planner = slashed.planner()
    slashed.deliver(slashed.jobs.pop())
    assert isinstance(slashed.web, Slashed)
    assert slashed.web.asked_for == ["/1", "/1/"]
    assert planner.run_wave(Phase.BFS, 3, "c").batches == 0
    ledger = [(row.url.removeprefix(ORIGIN), row.state.value, row.tries) for row in planner.state.frontier.ledger({})]
    assert ledger == [("/", "fetched", 1), ("/1", "redirected", 1), ("/1/", "fetched", 1)]
    assert planner.state.counters.fetched == 2
    slashed.close()


def test_a_page_that_no_worker_has_the_time_for_fails(slashed: Simulation) -> None:
    assert isinstance(slashed.web, Slashed)
    slashed.web.ending = "?ref=again"  # a redirect to the same identity is part of the try

    def takes_four_seconds(_: int) -> None:
        slashed.clock.time += 4.0

    slashed.web.on_fetch = takes_four_seconds
    planner = slashed.planner()
    for wave in (3, 4, 5):
        slashed.deliver(slashed.jobs.pop(), deadline=slashed.clock.now() + 3.0 + LONGEST)
        result = planner.run_wave(Phase.BFS, wave, f"wave {wave}")
    assert result.batches == 0
    last = list(planner.state.frontier.ledger({}))[-1]
    assert (last.state.value, last.reason.value, last.tries) == ("failed", "worker_out_of_time", 3)
    slashed.close()


def test_no_worker_waits_for_a_slot_after_its_deadline(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1, 2), (), ())), tmp_path, batch_size=25, min_batches=1)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    planner.run_wave(Phase.BFS, 2, "b")
    begun = simulation.clock.now()
    slow = replace(simulation.jobs.pop(), pace=Pace(interval=8.0, in_flight=1))
    simulation.deliver(slow, deadline=begun + 5.0 + LONGEST)  # page 2 could start after about 8 s
    assert sorted(simulation.web.served) == [0, 1]
    assert simulation.clock.now() - begun < 5.0

    assert planner.run_wave(Phase.BFS, 3, "c").urls == 1
    assert [(item.url, item.tries) for item in simulation.jobs[0].items] == [(f"{ORIGIN}/2", 1)]
    simulation.close()
