"""Crawls of two tenants at one host that serves one of them and refuses the other."""

from pathlib import Path

import pytest
from tests.support.simulation import ORIGIN, Simulation, Web

from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.waits import Wait
from wavecrawl.domain.politeness.windows import Turns

LINKS = (tuple(range(1, 31)), *((),) * 30)
TURNS = 2.0
"""Seconds that the turns of all pages take at most. Threads decide in which of them the first response is received."""


class Answering(Web):
    """A site whose pages respond with one status and headers; `None` = as usual."""

    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()

    def fetch(self, request: FetchRequest) -> Exchange:
        if self.status is None or request.url in (f"{ORIGIN}/", f"{ORIGIN}/robots.txt"):
            return Web.fetch(self, request)
        return Exchange(url=request.url, method="GET", status=self.status, headers=self.headers, started_at=self.now())


def crawl(folder: Path, suffix: str, beside: Simulation | None = None, *, status: int | None = None) -> Simulation:
    web = Answering(links=LINKS)
    web.status, web.headers = status, (("Retry-After", "600"),) if status in (429, 403, 503) else ()
    simulation = Simulation(
        web, folder, beside=beside, polite=PoliteSettings(), user_agent_suffix=suffix, max_retries=0
    )
    web.now = simulation.clock.now
    return simulation


def plan(simulation: Simulation, wave: int) -> float:
    """Gather the wave before and plan a wave; return for how many seconds its first batch waits."""
    simulation.jobs.clear()
    simulation.planner().run_wave(Phase.BFS, wave, f"token {wave}")
    return min((job.starts_at - simulation.clock.now() for job in simulation.jobs), default=0.0)


def run(simulation: Simulation, wave: int) -> None:
    plan(simulation, wave)
    for job in list(simulation.jobs):
        simulation.clock.time = max(simulation.clock.time, job.starts_at)
        simulation.deliver(job)


@pytest.mark.parametrize(("status", "interval"), [(429, 0.04), (403, 0.04), (503, 0.04), (500, 0.2)])
def test_a_refusal_of_one_suffix_makes_no_other_crawl_wait(status: int, interval: float, tmp_path: Path) -> None:
    refused = crawl(tmp_path, "audit/1.0", status=status)
    other = crawl(tmp_path, "", beside=refused)
    run(refused, 1)
    run(refused, 2)
    assert plan(refused, 3) > 600.0 - TURNS or status == 500
    assert plan(other, 1) < 1.0
    assert {job.pace.interval for job in other.jobs} == {interval}, "errors that all crawls see slow them all down"
    refused.close()


def test_a_refusal_of_the_product_makes_all_its_crawls_wait(tmp_path: Path) -> None:
    refused = crawl(tmp_path, "", status=429)
    same = crawl(tmp_path, "", beside=refused)
    other = crawl(tmp_path, "audit/1.0", beside=same)
    run(refused, 1)
    run(refused, 2)
    assert 600.0 - TURNS < plan(refused, 3) <= 600.0, "Retry-After counts from the response"
    assert plan(other, 1) < 1.0
    assert 600.0 - TURNS < plan(same, 1) < 600.0 + TURNS, "after the turns of the first crawl"
    refused.close()


def wait_of(simulation: Simulation) -> Wait | None:
    return simulation.waves.progress(simulation.crawl_id).wait


def test_a_paused_wave_says_which_host_asked_for_it_and_until_when(tmp_path: Path) -> None:
    refused = crawl(tmp_path, "audit/1.0", status=429)
    run(refused, 1)
    run(refused, 2)
    assert wait_of(refused) is None
    plan(refused, 3)
    wait = wait_of(refused)
    assert wait is not None
    assert wait.text == "site.example asked for it (Retry-After 600 s)"
    assert 600.0 - TURNS < wait.until - refused.clock.now() <= 600.0
    refused.close()


def test_a_wave_behind_other_crawls_says_so(tmp_path: Path) -> None:
    first = crawl(tmp_path, "")
    first.hosts.reserve("site.example", Turns(holder="another", count=100, interval=1.0), now=first.clock.now())
    plan(first, 1)
    wait = wait_of(first)
    assert wait is not None
    assert wait.text == "waits for other crawls at site.example"
    assert wait.until == pytest.approx(first.clock.now() + 100.0)
    for job in list(first.jobs):
        first.deliver(job)
    assert wait_of(first) is None, "its batches are done"
    first.close()
