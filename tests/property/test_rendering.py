"""Rendering changes no promise of a crawl: any crash, any order of deliveries, one or many workers, the same result."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.support.campaign import examples, slow
from tests.support.fake_browser import FakeBrowser
from tests.support.simulation import ORIGIN, Outcome, Simulation, Step, Web, WorkerDiedError

from wavecrawl.application.run_wave import Planner
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings
from wavecrawl.ports.browser import RenderedPage, RenderRequest

PAGES = 7
RENDER = RenderSettings(timeout=30.0, learn_after=2, sample_every=3)

graphs = st.lists(st.lists(st.integers(0, PAGES - 1), max_size=4).map(tuple), min_size=PAGES, max_size=PAGES).map(tuple)
some_pages = st.frozensets(st.integers(0, PAGES - 1))
crashes = st.sampled_from(("", "before fetch", "after fetch", "before record", "before completion", "after completion"))
steps = st.builds(
    Step, job=st.integers(0, 5), crash=crashes, after=st.integers(0, 3), again=st.booleans(), overtaken=st.booleans()
)


class KeptPlanner(Simulation):
    """A crawl whose planner keeps its state. That of a `Simulation` restores it for each wave."""

    _kept: Planner | None = None

    def planner(self) -> Planner:
        self._kept = self._kept or super().planner()
        return self._kept


def crawled(
    web: Web,
    script: Sequence[Step],
    *,
    max_pages: int = 1_000,
    render: RenderSettings = RENDER,
    browser: FakeBrowser | None = None,
    of: type[Simulation] = Simulation,
) -> Outcome:
    with TemporaryDirectory() as folder:
        browser = browser or FakeBrowser(web.dom)
        simulation = of(web, Path(folder), browser=browser, max_pages=max_pages, render=render, batch_size=3)
        try:
            return simulation.crawl(script)
        finally:
            simulation.close()


@settings(max_examples=examples(15))
@given(graphs, some_pages, st.lists(steps, max_size=8))
def test_no_crash_changes_the_result(
    links: tuple[tuple[int, ...], ...], shells: frozenset[int], script: list[Step]
) -> None:
    calm = crawled(Web(links, shells=shells), [])
    assert crawled(Web(links, shells=shells), script) == calm


@settings(max_examples=examples(15))
@given(graphs, some_pages)
def test_a_site_of_shells_has_the_pages_of_one_without(
    links: tuple[tuple[int, ...], ...], shells: frozenset[int]
) -> None:
    """Pages of one template that link to nothing new may stop asking for a browser, so all are rendered here."""
    always = RenderSettings(timeout=30.0, mode=RenderMode.ALWAYS)
    plain = crawled(Web(links), [])
    rendered = crawled(Web(links, shells=shells), [], render=always)
    assert {row[:3] for row in rendered.ledger} == {row[:3] for row in plain.ledger}
    assert {(row[0], row[3]) for row in rendered.ledger} == {(row[0], row[3]) for row in plain.ledger}, "depths"


@settings(max_examples=examples(15))
@given(graphs, some_pages, st.integers(1, PAGES), st.lists(steps, max_size=4))
def test_a_page_that_waits_for_a_browser_keeps_its_room(
    links: tuple[tuple[int, ...], ...], shells: frozenset[int], most: int, script: list[Step]
) -> None:
    outcome = crawled(Web(links, shells=shells), script, max_pages=most)
    states = [row[1] for row in outcome.ledger]
    assert states.count("fetched") == outcome.fetched <= most
    assert "skipped" not in states or outcome.fetched == most


@settings(max_examples=examples(8))
@given(st.lists(st.lists(st.integers(0, 19), max_size=3).map(tuple), min_size=20, max_size=20).map(tuple))
@slow
def test_a_restored_planner_renders_the_same_pages(links: tuple[tuple[int, ...], ...]) -> None:
    """All pages have one template, so the lessons decide which of them are rendered."""
    webs = [Web((tuple(range(1, 8)), *links[1:]), shells=frozenset(range(20))) for _ in range(2)]
    kept, restored = (FakeBrowser(web.dom) for web in webs)
    assert crawled(webs[0], [], browser=kept, of=KeptPlanner) == crawled(webs[1], [], browser=restored)
    assert [request.url for request in kept.requests] == [request.url for request in restored.requests]


def test_a_page_that_kills_every_worker_keeps_its_response() -> None:
    """Its batch is divided after too many deliveries; the page alone is given up, and nothing is lost."""
    web = Web(((1, 2), (3,), (4,), (), ()), shells=frozenset({1, 2}))

    def deadly(request: RenderRequest) -> str:
        if request.url.endswith("/1"):
            raise WorkerDiedError
        return web.dom(request)

    with TemporaryDirectory() as folder:
        browser = FakeBrowser(deadly)
        simulation = Simulation(web, Path(folder), browser=browser, render=RENDER, batch_size=3, max_attempts=2)
        try:
            outcome = simulation.crawl([Step(job=number) for number in range(40)])
        finally:
            simulation.close()
    assert [(row[0][-2:], row[1]) for row in outcome.ledger] == [
        ("e/", "fetched"),
        ("/1", "fetched"),
        ("/2", "fetched"),
        ("/4", "fetched"),
    ]


def test_pages_within_the_limit_of_tries_are_rendered() -> None:
    """To render a page is no try, so the crawl stops when the pages of its last tries are rendered."""
    web = Web(((1, 2), (3, 4), (5,), (), (), ()), shells=frozenset(range(6)))
    with TemporaryDirectory() as folder:
        simulation = Simulation(web, Path(folder), browser=FakeBrowser(web.dom), render=RENDER, max_tries=3)
        try:
            outcome = simulation.crawl([])
        finally:
            simulation.close()
    states = [row[1:3] for row in outcome.ledger]
    assert states == [("fetched", "")] * 3 + [("skipped", "max_tries")] * 3
    assert sum(web.requests.values()) == 3


def test_only_requests_are_feedback_of_the_host() -> None:
    """A rendered page has the status and the times of its request, which were counted before."""
    web = Web(((1, 2), (), ()), shells=frozenset({0, 1, 2}))
    with TemporaryDirectory() as folder:
        simulation = Simulation(web, Path(folder), browser=FakeBrowser(web.dom), render=RENDER)
        try:
            simulation.crawl([])
            assert len(simulation.hosts.read("site.example").strain.newest) == sum(web.requests.values()) == 3
        finally:
            simulation.close()


PATIENT = RenderSettings(timeout=30.0, learn_after=50, sample_every=0)
TEXT = "<p>A page of a shop with some words of its own, and with a list that scripts may fill if they like.</p>" * 3
FAILURE = "its request for http://site.example/api responded with 503"


@dataclass(slots=True)
class Shop(Web):
    """A site whose pages have text. Of the `complete` pages, scripts write the links alone."""

    complete: frozenset[int] = frozenset()

    def html(self, page: int) -> str:
        return TEXT + super(Shop, self).html(page)

    def fetch(self, request: FetchRequest) -> Exchange:
        found = super(Shop, self).fetch(request)
        page = _number(request.url)
        if page not in self.complete or found.status != 200:
            return found
        body = f"<title>{page}</title>{TEXT}<script src=/app.js></script>".encode()
        return structs.replace(found, body=body, raw_body=body)


def _number(url: str) -> int:
    name = url.removeprefix(ORIGIN).strip("/") or "0"
    return int(name) if name.isdigit() else -1


def failing(web: Web, fails: dict[int, int]) -> Callable[[RenderRequest], str | RenderedPage]:
    """Return the scripts of a site whose API fails at the first renderings of some pages: these stay empty."""
    tried: Counter[int] = Counter()

    def scripts(request: RenderRequest) -> str | RenderedPage:
        page = _number(request.url)
        tried[page] += 1
        if tried[page] <= fails.get(page, 0):
            return RenderedPage(html=request.body.decode(), url=request.url, failure=FAILURE, is_passing=True)
        return web.dom(request)

    return scripts


def found_pages(outcome: Outcome) -> set[tuple[str, str, int]]:
    return {(url, state, depth) for url, state, _, depth, _ in outcome.ledger}


@settings(max_examples=examples(20))
@given(
    graphs,
    some_pages,
    some_pages,
    st.dictionaries(st.integers(0, PAGES - 1), st.integers(1, 2), max_size=PAGES),
    st.lists(steps, max_size=4),
)
def test_renderings_that_fail_for_a_while_lose_no_page(
    links: tuple[tuple[int, ...], ...],
    shells: frozenset[int],
    complete: frozenset[int],
    fails: dict[int, int],
    script: list[Step],
) -> None:
    """Templates are never closed here, and all pages are sampled, so that each page is rendered that needs it."""
    render = RenderSettings(timeout=30.0, learn_after=50, sample_every=0, samples=PAGES)
    webs = [Shop(links, shells=shells - complete, complete=complete) for _ in range(3)]
    calm = crawled(webs[0], [], render=render)
    for web, some in ((webs[1], []), (webs[2], script)):
        disturbed = crawled(web, some, render=render, browser=FakeBrowser(failing(web, fails)))
        assert found_pages(disturbed) == found_pages(calm)


@settings(max_examples=examples(15))
@given(graphs, some_pages, st.lists(steps, max_size=8))
def test_no_crash_changes_which_complete_pages_are_sampled(
    links: tuple[tuple[int, ...], ...], complete: frozenset[int], script: list[Step]
) -> None:
    calm = crawled(Shop(links, complete=complete), [])
    assert crawled(Shop(links, complete=complete), script) == calm


def test_a_rendering_that_always_fails_is_tried_three_times_by_any_planner() -> None:
    """The planner is restored for each wave, so the number of failures is part of its state."""
    for of in (Simulation, KeptPlanner):
        web = Shop(((1, 2), (3,), (), ()), shells=frozenset({1}), complete=frozenset({2}))
        browser = FakeBrowser(failing(web, {1: 99, 2: 99}))
        outcome = crawled(web, [], render=PATIENT, browser=browser, of=of)
        assert Counter(_number(request.url) for request in browser.requests) == {1: 3, 2: 3}
        assert [(row[0][-2:], row[1]) for row in outcome.ledger] == [
            ("e/", "fetched"),
            ("/1", "fetched"),
            ("/2", "fetched"),
        ]
        assert set(web.requests.values()) == {1}, "a page is requested once"


def test_failures_at_first_do_not_close_a_template() -> None:
    """An API that fails for the first pages of a template says nothing of the others."""
    count = 30
    links = (tuple(range(1, count + 1)), *((n + count,) for n in range(1, count + 1)), *(() for _ in range(count)))
    web = Shop(links, shells=frozenset(range(1, count + 1)))
    render = RenderSettings(timeout=30.0, learn_after=2, sample_every=0)
    browser = FakeBrowser(failing(web, dict.fromkeys(range(1, count + 1), 2)))
    outcome = crawled(web, [], render=render, browser=browser)
    assert len(outcome.ledger) == 2 * count + 1
    assert {row[1] for row in outcome.ledger} == {"fetched"}


def test_a_template_that_keeps_failing_costs_few_renderings_and_is_no_trap() -> None:
    count = 60
    web = Shop((tuple(range(1, count + 1)), *(() for _ in range(count))), shells=frozenset(range(1, count + 1)))
    browser = FakeBrowser(failing(web, dict.fromkeys(range(1, count + 1), 99)))
    outcome = crawled(web, [], render=RenderSettings(timeout=30.0, learn_after=3, sample_every=0), browser=browser)
    assert [row[1] for row in outcome.ledger] == ["fetched"] * (count + 1)
    assert len(browser.requests) <= 3 * 6


def test_all_pages_of_a_template_are_rendered_if_the_first_ones_gain() -> None:
    """The links of complete pages that scripts write lead to pages that nothing else links to."""
    count = 20
    links = (tuple(range(1, count + 1)), *((n + count,) for n in range(1, count + 1)), *(() for _ in range(count)))
    web = Shop(links, complete=frozenset(range(1, count + 1)))
    outcome = crawled(web, [], render=PATIENT)
    assert len(outcome.ledger) == 2 * count + 1


def test_pages_without_scripts_are_never_rendered_and_others_of_a_template_only_twice() -> None:
    count = 20
    links = (tuple(range(1, count + 1)), *(() for _ in range(count)))
    for complete, renderings in ((frozenset[int](), 0), (frozenset(range(1, count + 1)), 2)):
        web = Shop(links, complete=complete)
        browser = FakeBrowser(web.dom)
        assert len(crawled(web, [], render=PATIENT, browser=browser).ledger) == count + 1
        assert len(browser.requests) == renderings
