"""Waves in unusual order: late pages, unfinished waves, abandoned hosts, cancelled crawls."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from msgspec import structs
from tests.support.patience import HANG
from tests.support.simulation import ORIGIN, Simulation, Step, Web, simulate

from wavecrawl.adapters.embedded.folder import FolderArchive
from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.politeness.host_state import Feedback
from wavecrawl.errors import ConflictError


def test_a_shorter_way_that_shows_late_brings_all_behind_it_nearer() -> None:
    # 0 -> 1 -> 5 is short, but 1 is slow. 0 -> 2 -> 3 -> 4 -> 5 is long. 5 -> 6 -> 7 follows.
    links = ((1, 2), (5,), (3,), (4,), (5,), (6,), (7,), ())
    outcome, web = simulate(Web(links, {1: 1}, retry_after="9"), [])
    assert {row[0].removeprefix(ORIGIN): row[3] for row in outcome.ledger} == {
        "/": 0, "/1": 1, "/2": 1, "/3": 2, "/4": 3, "/5": 2, "/6": 3, "/7": 4,
    }  # fmt: skip
    assert next(row for row in outcome.ledger if row[0].endswith("/5"))[4] == f"{ORIGIN}/1"
    assert set(web.served.values()) == {1}


def test_a_crawl_ends_before_what_is_stored_of_it_expires(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1, 2), (), ())), tmp_path, longest_crawl=28 * 86_400.0)
    planner = simulation.planner()
    simulation.clock.time = simulation.started_at + 28 * 86_400.0 - 1
    planner.run_wave(Phase.BFS, 1, "token")
    simulation.deliver(simulation.jobs.pop())
    simulation.clock.time += 1
    result = planner.run_wave(Phase.BFS, 2, "token")
    assert (result.batches, result.stopped.value) == (0, "time_limit")
    states = [(row.state.value, row.reason.value) for row in planner.state.frontier.ledger({})]
    assert states == [("fetched", ""), ("skipped", "time_limit"), ("skipped", "time_limit")]
    simulation.close()


def test_the_time_that_gathering_takes_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(Web(((1, 2), (), ())), tmp_path, max_seconds=600.0)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "token")
    simulation.deliver(simulation.jobs.pop())
    records = FolderArchive.records

    def slowly(*arguments: Any, **named: Any) -> Any:
        simulation.clock.time = simulation.started_at + 600.0
        return records(*arguments, **named)

    monkeypatch.setattr(FolderArchive, "records", slowly)
    result = planner.run_wave(Phase.BFS, 2, "token")
    assert (result.batches, result.stopped.value) == (0, "time_limit")
    simulation.close()


def test_a_wave_holds_what_a_slow_host_answers_in_ten_minutes(tmp_path: Path) -> None:
    simulation = Simulation(Web((tuple(range(1, 201)), *[()] * 200)), tmp_path, batch_size=25, min_batches=1)
    slow = Feedback(outcomes="g" * 10, occupied=10.0, of="another crawl")
    simulation.hosts.report("site.example", slow, holder="another crawl", now=0.0)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())  # fetched at once: the expected pace is now 7 s a page, one at a time
    assert planner.run_wave(Phase.BFS, 2, "b").urls == 85
    simulation.close()


class ManyHosts(Web):
    """A page that links to other hosts. Their robots.txt files arrive only if all are requested at the same time."""

    hosts = tuple(f"http://h{number}.site.example" for number in range(6))
    together = Barrier(len(hosts))

    def fetch(self, request: FetchRequest) -> Exchange:
        if request.url.startswith(self.hosts):
            self.together.wait(timeout=HANG)
        exchange = super().fetch(request)
        page = "".join(f"<a href='{host}/'>{host}</a>" for host in self.hosts).encode()
        return structs.replace(exchange, body=page, raw_body=page) if exchange.status == 200 else exchange


def test_the_robots_txt_of_many_new_hosts_is_asked_for_together(tmp_path: Path) -> None:
    simulation = Simulation(ManyHosts(((),)), tmp_path, scope=ScopeMode.SUBDOMAINS)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "a")
    simulation.deliver(simulation.jobs.pop())
    assert planner.run_wave(Phase.BFS, 2, "b").urls == len(ManyHosts.hosts)
    simulation.close()


def test_a_wave_that_is_not_over_cannot_be_followed(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1,), ())), tmp_path)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "token")
    with pytest.raises(ConflictError, match="wave 1 is not over: batch 0 is not done"):
        planner.run_wave(Phase.BFS, 2, "token")
    simulation.close()


def test_a_cancelled_crawl_plans_nothing_more_and_says_why(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1, 2), (), ())), tmp_path)
    planner = simulation.planner()
    planner.run_wave(Phase.BFS, 1, "token")
    result = planner.run_wave(Phase.BFS, 2, "token", cancelled=True)
    assert (result.batches, result.stopped.value) == (0, "cancelled")
    states = [(row.state.value, row.reason.value) for row in planner.state.frontier.ledger({})]
    assert states == [("skipped", "cancelled")]
    simulation.close()


def test_two_planners_agree_on_one_plan(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1, 2), (), ())), tmp_path)
    first, second = simulation.planner(), simulation.planner()
    assert (first.state.wave, second.state.wave) == (0, 0)
    assert first.run_wave(Phase.BFS, 1, "a") == second.run_wave(Phase.BFS, 1, "b")
    assert len(simulation.jobs) == 2  # the same batch twice, which the lease makes harmless
    simulation.close()


def test_a_batch_that_fails_again_and_again_is_given_up() -> None:
    script = [Step(crash="before fetch") for _ in range(60)]
    outcome, _ = simulate(Web(((),)), script)
    assert [(row[1], row[2]) for row in outcome.ledger] == [("failed", "poison")]


def test_a_host_that_never_answers_is_given_up() -> None:
    links = (tuple(range(1, 91)), *[()] * 90)
    outcome, web = simulate(Web(links, silent=frozenset(range(1, 91))), [], batch_size=30)
    reasons = {row[0].removeprefix(ORIGIN): (row[1], row[2]) for row in outcome.ledger}
    assert reasons["/"] == ("fetched", "")
    assert {reasons[f"/{page}"][0] for page in range(1, 91)} == {"failed"}
    assert reasons["/90"] == ("failed", "host_unavailable")
    assert web.requests.total() < 90  # most of them were never requested


def test_a_host_that_was_given_up_before_is_not_given_up_after_one_fault(tmp_path: Path) -> None:
    web = Web(((),))

    def silent_once(page: int) -> None:
        web.silent = frozenset() if web.requests[page] else frozenset({page})

    web.on_fetch = silent_once
    simulation = Simulation(web, tmp_path)
    for day in range(6):
        silent = Feedback(outcomes="ttt", ended_at=float(day), of=str(day))
        simulation._store.hosts.report("site.example", silent, holder="another", now=float(day))
    assert simulation._store.hosts.read("site.example").strikes == 6
    assert [row[1] for row in simulation.crawl([]).ledger] == ["fetched"]
    assert web.requests[0] == 2
    simulation.close()


def test_pages_that_move_nearer_cost_a_read_per_batch_and_not_per_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 0 -> 1 -> 2 -> 3 is long. 4 links to 3 too, but fails at first. 3 links to 40 pages, each of these to one more.
    links = ((1, 4), (2,), (3,), tuple(range(5, 45)), (3,), *((page + 40,) for page in range(5, 45)), *[()] * 40)
    simulation = Simulation(Web(links, {4: 1}, retry_after="9"), tmp_path, batch_size=20, interval=0.04, min_batches=1)
    reads: list[tuple[int, int]] = []
    records = FolderArchive.records

    def counted(self: FolderArchive, id_: BatchId, **named: Any) -> Iterator[Any]:
        reads.append((id_.wave, id_.batch))
        return records(self, id_, **named)

    monkeypatch.setattr(FolderArchive, "records", counted)
    wave = most = 0
    while True:
        wave += 1
        planner = simulation.planner()
        simulation.jobs.clear()
        reads.clear()
        batches = planner.run_wave(Phase.BFS, wave, f"token {wave}").batches
        most = max(most, len(reads))
        if not batches:
            break
        for job in list(simulation.jobs):
            simulation.deliver(job)
    depths = Counter(row.depth for row in planner.state.frontier.ledger({}))
    assert depths == {0: 1, 1: 2, 2: 2, 3: 40, 4: 40}
    assert 2 < most < 20  # 81 pages moved nearer, in 6 batches
    simulation.close()
