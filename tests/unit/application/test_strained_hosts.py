"""Hosts that are overloaded, forbid everything, or require long delays."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Lock

import pytest
from msgspec import structs
from tests.support.campaign import ALL
from tests.support.simulation import ORIGIN, Simulation, Web

from wavecrawl.application.root_failure import failure_of
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.politeness.settings import PoliteSettings

PAGES = 400


@dataclass(slots=True)
class Strained(Web):
    """A site whose pages respond with a status that depends on the number of the request."""

    links: tuple[tuple[int, ...], ...] = (tuple(range(1, PAGES + 1)), *((),) * PAGES)
    status_of: Callable[[int], int] = lambda _: 500
    robots: str = ""
    starts: list[float] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def fetch(self, request: FetchRequest) -> Exchange:
        if request.url == f"{ORIGIN}/robots.txt" and self.robots:
            return _with_text(request.url, 200, self.robots)
        if request.method == "HEAD" or request.url in (f"{ORIGIN}/", f"{ORIGIN}/robots.txt"):
            return Web.fetch(self, request)
        with self.lock:
            self.starts.append(self.now())
            status = self.status_of(len(self.starts))
        return structs.replace(_with_text(request.url, status, "a page"), started_at=self.now())


def _with_text(url: str, status: int, text: str) -> Exchange:
    headers, body = (("Content-Type", "text/html"),), text.encode()
    return Exchange(url=url, method="GET", status=status, headers=headers, body=body, raw_body=body)


def crawl(web: Strained, folder: Path, polite: PoliteSettings | None = None) -> Simulation:
    simulation = Simulation(web, folder, batch_size=100, polite=polite or PoliteSettings(), one_process=True)
    web.now = simulation.clock.now
    return simulation


@pytest.mark.parametrize("status", [500, 403, 429] if ALL else [429])
def test_a_host_that_only_responds_with_errors_is_slowed_down_paused_and_given_up(status: int, tmp_path: Path) -> None:
    web = Strained(status_of=lambda _: status)
    simulation = crawl(web, tmp_path)
    outcome = simulation.crawl([])
    simulation.close()
    assert len(web.starts) <= 33 + 5 * 11 + 6 * 4, "more than what opens the circuit breaker six times"
    apart = [later - start for start, later in pairwise(web.starts)]
    assert sum(seconds > 25.0 for seconds in apart) >= 5
    reasons = [reason for _, _, reason, _, _ in outcome.ledger]
    assert reasons.count("host_unavailable") > PAGES / 2
    assert len(outcome.ledger) == PAGES + 1


def test_a_host_with_less_than_a_fifth_of_errors_keeps_its_pace(tmp_path: Path) -> None:
    web = Strained(status_of=lambda number: 500 if number % 6 == 0 else 200)
    simulation = crawl(web, tmp_path, PoliteSettings(in_flight=1))
    simulation.crawl([])
    assert simulation.hosts.read("site.example").strain.interval == 0.0
    simulation.close()


def test_forbidden_pages_among_others_do_not_slow_the_pace(tmp_path: Path) -> None:
    web = Strained(status_of=lambda number: 200 if number % 4 == 0 else 403)
    simulation = crawl(web, tmp_path, PoliteSettings(in_flight=1))
    simulation.crawl([])
    assert len(web.starts) == PAGES
    assert simulation.hosts.read("site.example").strain.interval == 0.0
    simulation.close()


@pytest.mark.parametrize("rule", ["Crawl-delay: 1000000000", "Request-rate: 1/3600s", "Crawl-delay: 301"])
def test_a_host_that_requires_too_long_a_delay_is_skipped_and_reserves_nothing(rule: str, tmp_path: Path) -> None:
    web = Strained(robots=f"User-agent: *\n{rule}\n")
    simulation = crawl(web, tmp_path)
    outcome = simulation.crawl([])
    assert [(state, reason) for _, state, reason, _, _ in outcome.ledger] == [("skipped", "delay_too_long")]
    (root,) = simulation.planner().state.frontier.ledger({})
    assert "raise polite.max_delay" in failure_of(root), "the crawl fails, and says why"
    assert simulation.hosts.read("site.example").windows == ()
    assert web.starts == []
    simulation.close()


def test_a_delay_within_the_limit_is_obeyed(tmp_path: Path) -> None:
    web = Strained(links=((1, 2), (), ()), status_of=lambda _: 200, robots="User-agent: *\nCrawl-delay: 300\n")
    simulation = crawl(web, tmp_path)
    assert simulation.crawl([]).fetched == 3
    first, second = web.starts
    assert second - first >= 300.0
    simulation.close()
