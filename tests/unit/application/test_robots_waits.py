"""URLs of a host whose robots.txt cannot be fetched wait for it, and no other host waits with them."""

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import structs
from tests.support.simulation import ORIGIN, Simulation, Web

from wavecrawl.application.next_step import after_wave
from wavecrawl.application.run_wave import WaveResult
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery, ScopeMode
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.ports.signals import Following, NextStep

OTHER = "http://h.site.example"
RULES = b"User-agent: *\nDisallow: /private\n"


@dataclass(slots=True)
class TwoHosts(Web):
    """A site of a few pages in a row. Its first page also links to another host, whose robots.txt fails at first."""

    failures: int = 0  # requests for the other host's robots.txt that fail; each look of the crawler makes up to three
    fault: TransportFault | None = None  # how they fail; None = with status 503
    robots_requested: list[float] = field(default_factory=list)  # times in Unix seconds
    fetched: list[str] = field(default_factory=list)  # URLs of the other host

    def fetch(self, request: FetchRequest) -> Exchange:
        if request.url == f"{OTHER}/robots.txt":
            self.robots_requested.append(self.now())
            if len(self.robots_requested) <= self.failures:
                return Exchange(
                    url=request.url, status=None if self.fault else 503, fault=self.fault, fault_detail="it failed"
                )
            return Exchange(url=request.url, status=200, body=RULES, raw_body=RULES)
        if request.url.startswith(OTHER):
            self.fetched.append(request.url)
            return Exchange(url=request.url, status=200, body=b"<p>x", headers=(("Content-Type", "text/html"),))
        exchange = Web.fetch(self, request)
        if request.url == f"{ORIGIN}/" and request.method == "GET":
            page = exchange.body + "".join(f"<a href='{OTHER}/{name}'>x</a>" for name in ("a", "private")).encode()
            return structs.replace(exchange, body=page, raw_body=page)
        return exchange


class Crawl:
    """A crawl over both hosts. Every wave is planned by a new planner, from the snapshots alone."""

    def __init__(self, folder: Path, web: TwoHosts, *, longest_crawl: float = 1e9) -> None:
        self.web = web
        self.simulation = Simulation(web, folder, scope=ScopeMode.SUBDOMAINS, longest_crawl=longest_crawl)
        self.simulation.clock.time = self.simulation.started_at
        web.now = self.simulation.clock.now
        self.waits: list[int] = []  # seconds
        self.urls: list[list[str]] = []  # of each wave
        self.faults = 0  # URLs with errors, by the progress of the crawl

    def run(self) -> dict[str, tuple[str, str, str]]:
        """Crawl to the end; return state, reason and detail of each URL."""
        simulation, wave = self.simulation, 0
        while True:
            wave += 1
            result = simulation.planner().run_wave(Phase.BFS, wave, f"token {wave}")
            assert simulation.planner().run_wave(Phase.BFS, wave, f"token {wave}") == result  # from its snapshot
            if result.wait_until:
                assert result.batches == 0
                self.waits.append(round(result.wait_until - simulation.clock.time))
                simulation.clock.time = result.wait_until
                continue
            if not result.batches:
                break
            jobs = {job.id: job for job in simulation.jobs}
            self.urls.append(sorted(item.url for job in jobs.values() for item in job.items))
            simulation.jobs.clear()
            for job in jobs.values():
                simulation.deliver(job)
        rows = list(simulation.planner().state.frontier.ledger({}))
        self.faults = simulation.waves.progress(simulation.crawl_id).faults
        simulation.close()
        return {row.url: (row.state.value, row.reason.value, row.detail) for row in rows}


def test_urls_wait_until_the_robots_txt_of_their_host_can_be_fetched(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, TwoHosts(links=((1,), (2,), ()), failures=6))
    ledger = crawl.run()
    assert ledger[f"{OTHER}/a"] == ("fetched", "", "")
    assert ledger[f"{OTHER}/private"] == ("robots_denied", "robots_rule", "")
    assert len(crawl.web.robots_requested) == 7
    assert crawl.web.fetched == [f"{OTHER}/a"]


def test_no_other_host_waits_for_it(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, TwoHosts(links=((1,), (2,), ()), failures=6))
    crawl.run()
    assert crawl.urls == [[f"{ORIGIN}/"], [f"{ORIGIN}/1"], [f"{ORIGIN}/2"], [f"{OTHER}/a"]]


def test_the_waits_grow_and_end(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, TwoHosts(links=((),), failures=1_000))
    ledger = crawl.run()
    for path in ("a", "private"):
        assert ledger[f"{OTHER}/{path}"] == ("robots_denied", "robots_unreachable", "HTTP 503")
    requested = crawl.web.robots_requested
    assert len(requested) == 3 * 6
    apart = [later - first for first, later in pairwise(requested[::3])]
    assert apart == pytest.approx([15, 30, 60, 120, 240], abs=3)
    assert len(crawl.waits) == 5


@pytest.mark.parametrize("fault", [TransportFault.URL, TransportFault.DNS, TransportFault.TLS])
def test_urls_of_a_host_that_cannot_be_reached_fail_at_once_without_a_request(
    tmp_path: Path, fault: TransportFault
) -> None:
    crawl = Crawl(tmp_path, TwoHosts(links=((),), failures=1_000, fault=fault))
    assert crawl.run()[f"{OTHER}/a"] == ("failed", fault.value, "it failed")
    assert (crawl.waits, crawl.web.fetched, crawl.faults) == ([], [], 2)


def test_urls_of_a_host_that_accepts_no_connection_wait_and_then_fail(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, TwoHosts(links=((),), failures=1_000, fault=TransportFault.CONNECT))
    ledger = crawl.run()
    assert [ledger[f"{OTHER}/{path}"] for path in ("a", "private")] == [("failed", "connect", "it failed")] * 2
    assert (len(crawl.waits), crawl.faults) == (5, 2)


def test_urls_whose_robots_txt_alone_breaks_off_are_denied(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, TwoHosts(links=((),), failures=1_000, fault=TransportFault.RESET))
    assert crawl.run()[f"{OTHER}/a"] == ("robots_denied", "robots_unreachable", "it failed")
    assert crawl.faults == 0


def test_a_wait_ends_when_the_time_of_the_crawl_is_over(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, TwoHosts(links=((),), failures=1_000), longest_crawl=40.0)
    assert crawl.run()[f"{OTHER}/a"] == ("skipped", "time_limit", "")
    assert crawl.simulation.clock.time == pytest.approx(crawl.simulation.started_at + 40.0, abs=1)


def test_another_wave_follows_a_wait() -> None:
    result = WaveResult(wave=1, batches=0, urls=0, stopped=Reason.NONE, wait_until=7.0)
    assert after_wave(result, Phase.BFS, Discovery.LINKS_FIRST) == Following(next=NextStep.WAIT, until=7.0)


def test_a_resumed_crawl_checks_the_urls_that_waited(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, TwoHosts(links=((),), failures=3))
    simulation = crawl.simulation
    simulation.planner().run_wave(Phase.BFS, 1, "1")
    for job in list(simulation.jobs):
        simulation.deliver(job)
    assert simulation.planner().run_wave(Phase.BFS, 2, "2").wait_until
    assert simulation.planner().run_wave(Phase.BFS, 3, "3", cancelled=True).batches == 0
    simulation.jobs.clear()
    simulation.clock.time += 60.0
    assert simulation.planner().run_wave(Phase.BFS, 4, "4").urls == 1
    assert [item.url for job in simulation.jobs for item in job.items] == [f"{OTHER}/a"]
    simulation.close()
