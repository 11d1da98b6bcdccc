"""Checks of URLs change no promise of a crawl: any crash, any order of deliveries, the same result."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.support.campaign import examples
from tests.support.simulation import Outcome, Simulation, Step, Web

from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest

OTHERS = ("http://one.example", "http://two.example")
PAGES = 5
KINDS = 5  # of URLs of other sites, by their number
REDIRECT = 4  # the kind that redirects

numbers = st.integers(0, 11)
graphs = st.lists(st.lists(st.integers(0, PAGES - 1), max_size=3).map(tuple), min_size=PAGES, max_size=PAGES).map(tuple)
outside = st.lists(st.lists(numbers, max_size=4).map(tuple), min_size=PAGES, max_size=PAGES).map(tuple)
crashes = st.sampled_from(("", "before fetch", "after fetch", "before record", "before completion", "after completion"))
steps = st.builds(
    Step, job=st.integers(0, 5), crash=crashes, after=st.integers(0, 3), again=st.booleans(), overtaken=st.booleans()
)


@dataclass(slots=True)
class LinkedWeb(Web):
    """A site whose page n also links to the URLs of other sites with the numbers `outside[n]`."""

    outside: tuple[tuple[int, ...], ...] = ()
    checked: Counter[tuple[str, str]] = field(default_factory=Counter)  # requests by method and URL

    def fetch(self, request: FetchRequest) -> Exchange:
        origin, _, path = request.url.rpartition("/")
        if origin not in OTHERS:
            return Web.fetch(self, request)
        self.checked[request.method, request.url] += 1
        if path == "robots.txt":
            return _answer(request, 404)
        kind = int(path) % KINDS
        if kind == REDIRECT:
            location = ("Location", f"{OTHERS[0]}/{int(path) - REDIRECT}")
            return structs.replace(_answer(request, 302), headers=(location,))
        return _answer(request, (200, 404, 405 if request.method == "HEAD" else 200, 503)[kind])

    def html(self, page: int) -> str:
        links = "".join(f"<a href='{OTHERS[number % 2]}/{number}'>x</a>" for number in self.outside[page])
        return Web.html(self, page) + links


def _answer(request: FetchRequest, status: int) -> Exchange:
    return Exchange(url=request.url, method=request.method, status=status)


def expected(number: int) -> tuple[str, str, str]:
    """Return the row of a URL of another site."""
    states = (("fetched", ""), ("not_found", "status"), ("fetched", ""), ("http_error", "status"))
    target = number - REDIRECT if number % KINDS == REDIRECT else number
    return (f"{OTHERS[number % 2]}/{number}", *states[target % KINDS])


def crawled(web: LinkedWeb, script: Sequence[Step], *, batch_size: int = 3) -> Outcome:
    with TemporaryDirectory() as folder:
        simulation = Simulation(web, Path(folder), batch_size=batch_size, checks=CheckSettings(external=True))
        try:
            return simulation.crawl(script)
        finally:
            simulation.close()


@settings(max_examples=examples(15))
@given(graphs, outside, st.lists(steps, max_size=10), st.integers(1, 4))
def test_every_url_of_another_site_has_one_result_whatever_crashes(
    links: tuple[tuple[int, ...], ...], outside: tuple[tuple[int, ...], ...], script: list[Step], batch_size: int
) -> None:
    outcome = crawled(LinkedWeb(links, outside=outside), script, batch_size=batch_size)
    reached = [int(url.rpartition("/")[2] or "0") for url, state, *_ in outcome.ledger if state == "fetched"]
    named = {number for page in reached for number in outside[page]}
    assert sorted(outcome.checks) == sorted(map(expected, named))
    calm = crawled(LinkedWeb(links, outside=outside), [])
    assert outcome.ledger == calm.ledger
    assert outcome.checks == calm.checks


def test_a_url_that_many_pages_link_to_is_requested_once() -> None:
    web = LinkedWeb(((1, 2), (0,), (1,), (), ()), outside=((0, 1), (0, 2), (1,), (), ()))
    crawled(web, [])
    assert {request: count for request, count in web.checked.items() if not request[1].endswith("robots.txt")} == {
        ("HEAD", f"{OTHERS[0]}/0"): 1,
        ("HEAD", f"{OTHERS[1]}/1"): 1,
        ("GET", f"{OTHERS[1]}/1"): 1,
        ("HEAD", f"{OTHERS[0]}/2"): 1,
        ("GET", f"{OTHERS[0]}/2"): 1,
    }
