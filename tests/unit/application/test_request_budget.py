"""The limit on the requests of a crawl, of every kind."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.support.campaign import examples
from tests.support.simulation import ORIGIN, Simulation, Step, Web

from wavecrawl.application.next_step import after_wave
from wavecrawl.application.run_wave import WaveResult
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.ports.signals import NextStep


@dataclass(slots=True)
class Counted(Web):
    """A site whose pages link to other sites. It counts all requests, also those for robots.txt and other hosts."""

    sent: Counter[str] = field(default_factory=Counter)
    outside: Sequence[str] = ()
    redirects: dict[str, str] = field(default_factory=dict)

    def fetch(self, request: FetchRequest) -> Exchange:
        self.sent[request.url] += 1
        target = self.redirects.get(request.url)
        if target:
            return Exchange(url=request.url, method=request.method, status=302, headers=(("Location", target),))
        if not request.url.startswith(f"{ORIGIN}/"):
            status = 404 if request.url.endswith("/robots.txt") else 200 if request.method == "GET" else 405
            return Exchange(url=request.url, method=request.method, status=status)
        exchange = Web.fetch(self, request)
        if request.url != f"{ORIGIN}/" or request.method == "HEAD":
            return exchange
        links = "".join(f'<a href="{url}">x</a>' for url in self.outside).encode()
        return structs.replace(exchange, body=exchange.body + links, raw_body=exchange.raw_body + links)


def outside(count: int) -> list[str]:
    return [f"http://host{number}.example/page" for number in range(count)]


States = dict[str, tuple[str, str]]


def crawled(web: Counted, folder: Path, most: int) -> tuple[States, States, int]:
    """Return the states of pages and of checked URLs, and how many requests the planner counted."""
    simulation = Simulation(web, folder, max_requests=most, checks=CheckSettings(external=bool(web.outside)))
    try:
        outcome = simulation.crawl([])
        state = simulation.planner().state
        counted = state.counters.requests + state.media_counters.requests
    finally:
        simulation.close()
    pages = {row[0].removeprefix(ORIGIN): (row[1], row[2]) for row in outcome.ledger}
    return pages, {url: (state_, reason) for url, state_, reason in outcome.checks}, counted


def star(pages: int) -> tuple[tuple[int, ...], ...]:
    return (tuple(range(1, pages)), *[()] * (pages - 1))


def test_a_crawl_never_sends_more_requests_than_its_limit_and_says_which_pages_it_left_out(tmp_path: Path) -> None:
    web = Counted(star(60))
    pages, _, _ = crawled(web, tmp_path, 30)
    assert 25 <= web.sent.total() <= 30
    assert Counter(pages.values()) == {
        ("fetched", ""): web.served.total(),
        ("skipped", "max_requests"): 60 - web.served.total(),
    }


def test_checks_count_with_their_robots_txt_and_those_not_done_are_not_checked(tmp_path: Path) -> None:
    web = Counted(star(3), outside=outside(40))
    _, checks, _ = crawled(web, tmp_path, 50)
    done = Counter(checks.values())
    assert 40 <= web.sent.total() <= 50
    assert set(done) == {("fetched", ""), ("skipped", "max_requests")}
    assert done["fetched", ""] == 14, "3 requests each, after 2 for the root and 3 for the pages"
    assert len(checks) == 40


def test_a_crawl_within_its_limit_is_the_same_as_without_one(tmp_path: Path) -> None:
    found = []
    for most in (0, 1_000):
        web = Counted(star(20), outside=outside(10), redirects={"http://host3.example/page": "http://moved.example/"})
        pages, checks, counted = crawled(web, tmp_path / str(most), most)
        found.append((pages, checks))
        assert not most or counted + 1 == web.sent.total(), "the root was looked at before"
    assert found[0] == found[1]


def test_redirects_of_a_url_end_with_the_requests_that_its_wave_has_for_it(tmp_path: Path) -> None:
    chain = {f"http://host0.example/{n}": f"http://host0.example/{n + 1}" for n in range(5)}
    web = Counted(star(1), outside=["http://host0.example/0"], redirects=chain)
    _, checks, _ = crawled(web, tmp_path, 8)
    assert web.sent.total() <= 8
    assert checks == {"http://host0.example/0": ("skipped", "max_requests")}


def test_the_pages_left_out_keep_the_sitemaps_from_being_read() -> None:
    result = WaveResult(wave=3, batches=0, urls=0, stopped=Reason.MAX_REQUESTS)
    assert after_wave(result, Phase.BFS, Discovery.LINKS_FIRST).next is NextStep.FINISH


@dataclass(frozen=True, slots=True)
class Case:
    """A site, and the limit of its crawl."""

    pages: int
    hosts: int  # of the links to other sites
    fails: dict[int, int]  # page -> number of requests that fail
    most: int


CASES = st.builds(
    Case,
    pages=st.integers(1, 12),
    hosts=st.integers(0, 12),
    fails=st.dictionaries(st.integers(1, 11), st.integers(1, 3), max_size=3),
    most=st.integers(1, 60),
)


@given(
    case=CASES,
    steps=st.lists(st.builds(Step, job=st.integers(0, 5), seconds=st.sampled_from([0.0, 30.0])), max_size=8),
)
@settings(max_examples=examples(12), deadline=None)
def test_the_limit_holds_and_what_is_read_does_not_depend_on_the_workers(
    tmp_path_factory: pytest.TempPathFactory,
    case: Case,
    steps: list[Step],
) -> None:
    ledgers = []
    for script in ([], steps):
        web = Counted(star(case.pages), outside=outside(case.hosts), fails=dict(case.fails))
        simulation = Simulation(
            web,
            tmp_path_factory.mktemp("crawl"),
            max_requests=case.most,
            checks=CheckSettings(external=case.hosts > 0),
        )
        try:
            outcome = simulation.crawl(script)
        finally:
            simulation.close()
        ledgers.append((outcome.ledger, outcome.checks))
        assert web.sent.total() <= max(case.most, 2), "opening a crawl takes a robots.txt and a look at the root"
    assert ledgers[0] == ledgers[1]
