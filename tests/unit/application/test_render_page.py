"""The record of a rendered page, and what it has if rendering fails."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.support.canned import Canned, answer
from tests.support.fake_browser import JPEG, FakeBrowser

from wavecrawl.application.fetch_page import PageFetcher
from wavecrawl.application.render_page import PageRenderer, page_renderer
from wavecrawl.application.site_rules import site_rules
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.archive.settings import ArchiveContent, ArchiveSettings
from wavecrawl.domain.brand.brand import BrandColour, BrandFont
from wavecrawl.domain.brand.computed import ComputedStyles
from wavecrawl.domain.crawl.job import BatchId, CrawlId, JobItem, Validators
from wavecrawl.domain.crawl.record import IdsAdded, PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import link_hash
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.media.kinds import MediaKind, MediaSource
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.pages.page import Extraction, PageFacts, Region
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings, Screenshots
from wavecrawl.domain.rendering.trouble import OVER_BUDGET
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import ReadingStoppedError, TooExpensiveError
from wavecrawl.ports.browser import RenderedPage, RenderRequest
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_parser import PageParser, UnlimitedParser, never

ORIGIN = "http://site.example"
URL = f"{ORIGIN}/shop"
KEY = Identity().page_url(URL).key
CRAWL = CrawlId(tenant="t", site="s", crawl="c1")
SHELL = "<html><head><title>Shop</title></head><body><div id=root></div><script src=/a.js></script></body></html>"
STATIC = (
    "<html><head><title>Old</title></head><body><div id=root><p>The words of the server.</p><a href=/old>old</a></div>"
    "<script src=/a.js></script></body></html>"
)
DOM = (
    "<html><head><title>New</title></head><body><div id=root><p>The words that scripts wrote, and many more.</p>"
    "<a href=/old>old</a><a href=/new>new</a><a href=http://other.example/>other</a></div></body></html>"
)


@dataclass(slots=True)
class Worker:
    """A worker that fetches pages, then renders them."""

    store: LocalStore
    settings: CrawlSettings
    batch: int = 0

    @property
    def crawl(self) -> CrawlRow:
        return CrawlRow(id=CRAWL, start_url=f"{ORIGIN}/", root_url=f"{ORIGIN}/", settings=self.settings)

    def fetch(self, item: JobItem, exchange: Exchange) -> tuple[str, PageRecord]:
        """Fetch a page; return the place of its record, and the record."""
        client = Canned({item.url: [exchange]})
        rules = site_rules(self.crawl, client=client, cache=self.store.robots, clock=self.store.clock)
        fetcher = PageFetcher(
            client=client,
            links=rules.links,
            media=rules.media,
            robots=rules.robots,
            archive=self.store.archive,
            settings=self.settings,
            root=rules.root.key,
        )
        page = fetcher.fetch(item)
        return self.keep(page.record, page.exchanges), page.record

    def keep(self, record: PageRecord, exchanges: tuple[Exchange, ...] = ()) -> str:
        """Store a record; return its place."""
        self.batch += 1
        id_ = BatchId(crawl=CRAWL, wave=self.batch, batch=0)
        batch = self.store.archive.open(id_, attempt=1)
        batch.add(record, exchanges)
        batch.commit()
        return self.store.archive.place(id_, attempt=1, key=record.key)

    def renderer(self, browser: FakeBrowser, parser: PageParser | None = None) -> PageRenderer:
        return page_renderer(self.crawl, self.store, browser, parser)


ITEM = JobItem(url=URL, key=KEY, depth=2, tries=1, render=True)


@pytest.fixture(name="worker")
def a_worker(tmp_path: Path) -> Iterator[Worker]:
    store = LocalStore(tmp_path)
    yield Worker(store, CrawlSettings())
    store.close()


def rendered(
    worker: Worker,
    html: str = SHELL,
    scripts: Callable[[RenderRequest], str | RenderedPage] = lambda _: DOM,
    *,
    failed_before: int = 2,
) -> tuple[PageRecord, FakeBrowser]:
    """Render a page for the last time, unless it `failed_before` less often."""
    place, record = worker.fetch(ITEM, answer(200, html))
    assert (record.state, record.reason) == (UrlState.DEFERRED, Reason.RENDER)
    browser = FakeBrowser(scripts)
    item = replace(ITEM, tries=2, document=place, failed_renders=failed_before)
    return worker.renderer(browser).render(item).record, browser


def test_the_record_has_the_response_and_the_content_of_the_dom(worker: Worker) -> None:
    record, browser = rendered(worker, STATIC)
    assert (record.state, record.reason, record.tries, record.depth) == (UrlState.FETCHED, Reason.NONE, 1, 2)
    assert (record.status, record.bytes, record.rendered, record.render_added) == (200, len(STATIC), True, True)
    assert record.facts is not None
    assert record.facts.title == "New"
    assert [(link.url, link.dom) for link in record.links] == [
        (f"{ORIGIN}/old", False),
        (f"{ORIGIN}/new", True),
        ("http://other.example/", True),
    ]
    (request,) = browser.requests
    assert (request.url, request.status, request.body.decode()) == (URL, 200, STATIC)
    assert dict(request.headers) == {"Content-Type": "text/html; charset=utf-8"}


def test_links_to_other_sites_and_the_same_text_are_no_gain(worker: Worker) -> None:
    same = STATIC.replace("</div>", "<a href=http://other.example/>another</a></div>")
    record, _ = rendered(worker, STATIC, lambda _: same)
    assert (record.rendered, record.render_added) == (True, False)


def test_a_page_that_cannot_be_rendered_has_the_content_of_its_response(worker: Worker) -> None:
    broken = RenderedPage(html=DOM, url=URL, problem="the page was not complete after 60 s")
    record, _ = rendered(worker, STATIC, lambda _: broken)
    assert (record.state, record.rendered, record.render_problem) == (UrlState.FETCHED, False, broken.problem)
    assert record.render_failed
    assert record.facts is not None
    assert record.facts.title == "Old"
    assert record.exchange_at


def test_scripts_that_empty_a_page_do_not_count(worker: Worker) -> None:
    record, _ = rendered(worker, STATIC, lambda _: "<html><body></body></html>")
    assert (record.rendered, record.render_problem) == (False, "the rendered page has no content")
    assert record.render_failed


EMPTY_ROOT = "<html><body><nav><a href=/>Home</a></nav><div id=root></div><script src=/a.js></script></body></html>"
FAILURE = "its request for http://site.example/api responded with 500"


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        (RenderedPage(html="<body></body>", url=URL), "the page is empty after its scripts ran"),
        (RenderedPage(html=SHELL, url=URL), "the page is empty after its scripts ran"),
        (RenderedPage(html=EMPTY_ROOT, url=URL), "#root is empty after the scripts of the page ran"),
        (RenderedPage(html=SHELL, url=URL, failure=FAILURE, is_passing=True), FAILURE),
        (RenderedPage(html=SHELL, url=URL, failure=FAILURE), FAILURE),
        (RenderedPage(html=SHELL, url=URL, error="a script of the page failed: x"), "a script of the page failed: x"),
        (RenderedPage(html=SHELL, url=URL, loading="it is loading"), "it is loading"),
        (RenderedPage(url=URL, problem="the page was not complete after 60 s", is_late=True), "the page was not comp"),
    ],
)
def test_a_shell_that_stays_empty_is_rendered_again_and_then_has_a_problem(
    worker: Worker, page: RenderedPage, problem: str
) -> None:
    for failed_before in (0, 1):
        again, _ = rendered(worker, SHELL, lambda _: page, failed_before=failed_before)
        assert (again.state, again.reason, again.links) == (UrlState.DEFERRED, Reason.RENDER_FAILED, ())
        assert again.detail.startswith(problem)
    last, _ = rendered(worker, SHELL, lambda _: page)
    assert (last.state, last.rendered or not last.render_failed) == (UrlState.FETCHED, "root" in problem)
    assert last.render_problem.startswith(problem)


def scripts_of(page: RenderedPage) -> Callable[[RenderRequest], RenderedPage]:
    return lambda _: page


def test_each_try_counts_the_bytes_that_its_page_received(worker: Worker) -> None:
    """A page that is rendered again, and one that keeps its response, received them too."""
    empty = RenderedPage(html=SHELL, url=URL, bytes=70)
    late = RenderedPage(url=URL, problem="the page was not complete after 60 s", is_late=True, bytes=80)
    whole = RenderedPage(html=DOM, url=URL, bytes=90)
    tries = [(empty, 0), (empty, 2), (late, 0), (late, 2), (whole, 0)]
    found = [rendered(worker, SHELL, scripts_of(page), failed_before=before)[0] for page, before in tries]
    assert [record.render_bytes for record in found] == [70, 70, 80, 80, 90]
    place = worker.keep(structs.replace(found[0], facts=PageFacts()))
    given_up = (
        worker.renderer(FakeBrowser()).render(replace(ITEM, document=place, render=False, over_budget=True)).record
    )
    assert (given_up.render_bytes, given_up.render_problem) == (0, OVER_BUDGET)


def test_a_page_that_was_rendered_in_part_keeps_what_it_gained(worker: Worker) -> None:
    record, _ = rendered(worker, SHELL, lambda _: RenderedPage(html=DOM, url=URL, failure=FAILURE, is_passing=True))
    assert (record.state, record.rendered, record.render_added) == (UrlState.FETCHED, True, True)
    assert (record.render_problem, len(record.links)) == (FAILURE, 3)


def test_a_page_in_part_is_rendered_again_only_if_its_problem_may_pass(worker: Worker) -> None:
    passing = RenderedPage(html=DOM, url=URL, failure=FAILURE, is_passing=True, retry_after=7.0)
    again, _ = rendered(worker, SHELL, lambda _: passing, failed_before=0)
    assert (again.reason, again.retry_after) == (Reason.RENDER_FAILED, 7.0)
    lasting = RenderedPage(html=DOM, url=URL, failure="its request for /api responded with 404")
    record, _ = rendered(worker, SHELL, lambda _: lasting, failed_before=0)
    assert (record.state, record.rendered) == (UrlState.FETCHED, True)
    assert record.render_problem


SERVED = (
    f"<html><head><title>Shop</title></head><body><main><p>{'We sell fine things for the house. ' * 20}</p></main>"
    "<a href=/old>old</a><script src=/a.js></script></body></html>"
)
SAMPLE = replace(ITEM, sample=True, has_browser=True)


def sampled(worker: Worker, page: str | RenderedPage, item: JobItem = SAMPLE) -> PageRecord:
    place, record = worker.fetch(SAMPLE, answer(200, SERVED))
    assert (record.state, record.reason, record.shell) == (UrlState.DEFERRED, Reason.RENDER_SAMPLE, "")
    return worker.renderer(FakeBrowser(lambda _: page)).render(replace(item, tries=2, document=place)).record


def test_a_complete_page_without_gain_keeps_the_content_of_its_response(worker: Worker) -> None:
    record = sampled(worker, SERVED.replace("</main>", "<button>Copy</button></main>"))
    assert (record.state, record.rendered, record.sampled, record.scripts_not_run) == (
        UrlState.FETCHED, False, True, False,
    )  # fmt: skip


def test_a_complete_page_to_which_scripts_add_links_has_them(worker: Worker) -> None:
    record = sampled(worker, SERVED.replace("</main>", "<a href=/new>new</a></main>"))
    assert (record.rendered, record.render_added, record.text_added, record.sampled) == (True, True, False, False)
    assert [link.url for link in record.links if link.dom] == [f"{ORIGIN}/new"]


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("<button>Copy</button>", IdsAdded.NONE),
        ("<button id=copy>Copy</button>", IdsAdded.SOME),
        ("<a href=/new id=new>new</a>", IdsAdded.SOME),
        ("<a href=/new>new</a>", IdsAdded.NONE),
        ("".join(f"<i id=n{number}></i>" for number in range(20_001)), IdsAdded.UNKNOWN),
    ],
)
def test_a_complete_page_has_whether_scripts_add_ids(worker: Worker, added: str, expected: IdsAdded) -> None:
    assert sampled(worker, SERVED.replace("</main>", f"{added}</main>")).ids_added is expected


def test_ids_of_a_shell_or_of_a_page_with_a_problem_show_nothing(worker: Worker) -> None:
    assert rendered(worker, SHELL, lambda _: DOM)[0].ids_added is IdsAdded.UNKNOWN
    error = RenderedPage(html=SERVED, url=URL, error="a script of the page failed: TypeError")
    assert sampled(worker, error, replace(SAMPLE, failed_renders=2)).ids_added is IdsAdded.UNKNOWN


def test_an_error_of_a_script_counts_only_if_a_complete_page_gains_nothing(worker: Worker) -> None:
    error = "a script of the page failed: TypeError"
    gains = RenderedPage(html=SERVED.replace("</main>", "<a href=/new>new</a></main>"), url=URL, error=error)
    assert sampled(worker, gains).render_problem == ""
    again = sampled(worker, RenderedPage(html=SERVED, url=URL, error=error))
    assert (again.state, again.reason) == (UrlState.DEFERRED, Reason.RENDER_FAILED)
    last = sampled(worker, RenderedPage(html=SERVED, url=URL, error=error), replace(SAMPLE, failed_renders=2))
    assert (last.render_problem, last.render_failed, last.rendered) == (error, True, False)


def test_a_page_that_grows_when_it_is_scrolled_says_so(worker: Worker) -> None:
    more = "it shows more links when it is scrolled"
    assert sampled(worker, RenderedPage(html=SERVED, url=URL, scrolls=True)).needed_action == more
    record, _ = rendered(worker, SHELL, lambda _: RenderedPage(html=DOM, url=URL, scrolls=True))
    assert record.needed_action == more


def test_a_shell_of_a_template_that_fails_stays_one_and_says_so(worker: Worker) -> None:
    why = "not rendered, as the rendering of pages like it failed several times in a row"
    _, fetched = worker.fetch(replace(ITEM, render=False, failing=True), answer(200, SHELL))
    assert (fetched.state, fetched.shell != "", fetched.render_problem) == (UrlState.FETCHED, True, why)
    place, _ = worker.fetch(ITEM, answer(200, SHELL))
    waited = worker.renderer(FakeBrowser()).render(replace(ITEM, document=place, render=False, failing=True)).record
    assert (waited.state, waited.shell != "", waited.render_problem) == (UrlState.FETCHED, True, why)
    assert not waited.render_failed


def test_scripts_of_complete_pages_are_not_run_without_a_browser(worker: Worker) -> None:
    for item, expected in ((replace(ITEM, render=False), True), (replace(ITEM, render=False, has_browser=True), False)):
        _, record = worker.fetch(item, answer(200, SERVED))
        assert (record.state, record.scripts_not_run) == (UrlState.FETCHED, expected)
    _, plain = worker.fetch(replace(ITEM, render=False), answer(200, "<p>No script is here.</p>"))
    assert not plain.scripts_not_run


def test_a_page_whose_address_scripts_change_leads_there(worker: Worker) -> None:
    moved = RenderedPage(html=DOM, url=f"{ORIGIN}/shop/start")
    record, _ = rendered(worker, SHELL, lambda _: moved)
    first = record.links[0]
    assert (first.url, first.kind.value, first.dom) == (f"{ORIGIN}/shop/start", "refresh", True)
    same = RenderedPage(html=DOM, url=f"{URL}#top")
    assert len(rendered(worker, SHELL, lambda _: same)[0].links) == 3


@pytest.mark.parametrize(
    ("html", "problem", "rendered_with"),
    [
        (DOM, "", ["/login", "/old", "/new", "//other"]),
        (DOM, "the page was not complete after 60 s", ["/login", "/old"]),
        ("<html><body></body></html>", "the rendered page has no content", ["/login", "/old"]),
    ],
)
def test_a_page_that_navigates_by_itself_leads_there(
    worker: Worker, html: str, problem: str, rendered_with: list[str]
) -> None:
    reported = problem if html == DOM else ""
    away = RenderedPage(html=html, url=URL, away=f"{ORIGIN}/login", problem=reported)
    record, _ = rendered(worker, STATIC, lambda _: away)
    assert (record.rendered, record.render_problem) == (not problem, problem)
    targets = [link.url.removeprefix(ORIGIN).removeprefix("http:").removesuffix(".example/") for link in record.links]
    assert targets == rendered_with
    assert (record.links[0].kind.value, record.links[0].dom, record.links[1].dom) == ("refresh", True, False)
    assert record.link_hash == link_hash(record.links, key=ITEM.key, url=ITEM.url)


@pytest.mark.parametrize("problem", ["", "the page was not complete after 60 s"])
def test_links_to_parts_keep_their_page_if_a_page_also_leads_elsewhere(worker: Worker, problem: str) -> None:
    html = STATIC.replace("</body>", '<a href="/old#part">part</a><a href="#own">own</a></body>')
    away = RenderedPage(html=html, url=URL, away=f"{ORIGIN}/login", problem=problem)
    record, _ = rendered(worker, html, lambda _: away)
    assert record.links[0].url == f"{ORIGIN}/login"
    own, part = sorted((one.link, one.fragment) for one in record.fragments)
    assert (own, part[1]) == ((0, "own"), "part")
    assert record.links[part[0] - 1].url == f"{ORIGIN}/old"


def test_a_page_that_loads_itself_again_has_no_further_link(worker: Worker) -> None:
    again = RenderedPage(html=DOM, url=URL, away=f"{URL}#top")
    assert len(rendered(worker, STATIC, lambda _: again)[0].links) == 3


def test_a_page_that_the_plan_does_not_render_any_more_is_stored_as_it_is(worker: Worker) -> None:
    place, _ = worker.fetch(ITEM, answer(200, STATIC))
    item = replace(ITEM, document=place, render=False, barren=True)
    browser = FakeBrowser()
    record = worker.renderer(browser).render(item).record
    assert not browser.requests
    assert (record.state, record.shell, record.rendered, record.render_problem) == (UrlState.FETCHED, "", False, "")


def test_a_lost_document_is_fetched_again(worker: Worker) -> None:
    renderer = worker.renderer(FakeBrowser())
    item = replace(ITEM, tries=2, document="tenants/t/sites/s/crawls/c1/records/000009-0000-1.jsonl.gz#0")
    for page in (renderer.render(item), renderer.give_up(item)):
        assert (page.record.state, page.record.reason) == (UrlState.DEFERRED, Reason.RECORDS_LOST)
        assert page.record.tries == 1


def test_a_response_that_cannot_be_read_is_a_problem(worker: Worker) -> None:
    place, record = worker.fetch(ITEM, answer(200, STATIC))
    for path in worker.store.root.rglob("*.warc.gz"):
        path.unlink()
    found = worker.renderer(FakeBrowser()).render(replace(ITEM, document=place)).record
    assert (found.state, found.render_problem) == (UrlState.FETCHED, "the stored response cannot be read")
    assert not found.render_failed  # no browser loaded it, so this says nothing about its path template
    assert found.facts == record.facts


def test_a_page_that_kills_its_workers_keeps_its_response(worker: Worker) -> None:
    place, _ = worker.fetch(ITEM, answer(200, STATIC))
    item = replace(ITEM, document=place)
    record = worker.renderer(FakeBrowser()).give_up(item).record
    assert (record.state, record.rendered) == (UrlState.FETCHED, False)
    assert record.render_problem == "the worker ended each time that the page was rendered"
    assert record.render_failed
    assert worker.renderer(FakeBrowser()).give_up(replace(item, render=False)).record.render_problem == ""


def again(worker: Worker, record: PageRecord, exchange: Exchange) -> tuple[str, PageRecord]:
    """Fetch the page in a later crawl, which remembers its rendered record."""
    before = worker.keep(record)
    validators = Validators(etag='"1"', body_hash=record.body_hash, record=before)
    return worker.fetch(replace(ITEM, validators=validators), exchange)


@pytest.mark.parametrize("status", [304, 200])
def test_an_unchanged_shell_with_the_same_dom_is_unchanged(worker: Worker, status: int) -> None:
    first, _ = rendered(worker)
    place, document = again(worker, first, answer(status, SHELL if status == 200 else ""))
    assert (document.state, document.reason, document.facts) == (UrlState.DEFERRED, Reason.RENDER, None)
    browser = FakeBrowser(lambda _: DOM)
    record = worker.renderer(browser).render(replace(ITEM, tries=2, document=place)).record
    assert browser.requests[0].body.decode() == SHELL
    assert (record.state, record.facts, record.links) == (UrlState.UNCHANGED, None, ())
    assert record.body_at == document.body_at


def test_links_of_opened_menus_are_links_of_the_page(worker: Worker) -> None:
    menu = f"<nav><a href={ORIGIN}/new>again</a><a rel=nofollow href={ORIGIN}/opened>Opened</a></nav>"
    record, _ = rendered(worker, scripts=lambda request: RenderedPage(html=DOM, opened=menu, url=request.url))
    links = {link.url: link for link in record.links}
    assert list(links) == [f"{ORIGIN}/old", f"{ORIGIN}/new", "http://other.example/", f"{ORIGIN}/opened"]
    opened = links[f"{ORIGIN}/opened"]
    assert (opened.text, opened.region, opened.nofollow, opened.dom) == ("Opened", Region.NAV, True, True)
    assert links[f"{ORIGIN}/new"].text == "new"
    assert record.opened == (opened.key,)
    assert "Opened" not in (record.facts or PageFacts()).text


def test_queries_of_the_dom_are_in_the_encoding_of_the_response(worker: Worker) -> None:
    headers = (("Content-Type", "text/html; charset=windows-1251"),)
    place, _ = worker.fetch(ITEM, structs.replace(answer(200, SHELL), headers=headers))
    menu = f"<a href='{ORIGIN}/menu?\u0431'>b</a>"
    browser = FakeBrowser(lambda one: RenderedPage(html=f"{DOM}<a href='/a?\u0430'>a</a>", opened=menu, url=one.url))
    record = worker.renderer(browser).render(replace(ITEM, tries=2, document=place)).record
    assert [link.url for link in record.links][-2:] == [f"{ORIGIN}/a?%E0", f"{ORIGIN}/menu?%E1"]


def test_links_of_opened_menus_alone_are_no_gain(worker: Worker) -> None:
    menu = f"<a href={ORIGIN}/opened></a><a href={ORIGIN}/old></a><a href=http://other.example/></a>"
    record, _ = rendered(worker, STATIC, lambda one: RenderedPage(html=STATIC, opened=menu, url=one.url))
    assert (record.rendered, record.render_added) == (True, False)
    assert record.opened == (Identity().page_url(f"{ORIGIN}/opened").key,)
    assert [link.url for link in record.links if link.dom] == [f"{ORIGIN}/opened", "http://other.example/"]


def test_links_of_opened_menus_count_for_the_limit_of_links(worker: Worker) -> None:
    worker.settings = CrawlSettings(max_links=3)
    menu = f"<a href={ORIGIN}/opened>Opened</a>"
    record, _ = rendered(worker, scripts=lambda request: RenderedPage(html=DOM, opened=menu, url=request.url))
    assert [link.url for link in record.links] == [f"{ORIGIN}/old", f"{ORIGIN}/new", "http://other.example/"]


def test_an_unchanged_shell_with_another_dom_has_changed(worker: Worker) -> None:
    first, _ = rendered(worker)
    place, _ = again(worker, first, answer(304))
    browser = FakeBrowser(lambda _: DOM.replace("/new", "/newest"))
    page = worker.renderer(browser).render(replace(ITEM, tries=2, document=place))
    record = page.record
    assert (record.state, record.rendered, record.render_added, record.body_at) == (UrlState.FETCHED, True, True, "")
    assert (record.is_html, record.body_hash, record.shell) == (True, first.body_hash, first.shell)
    assert record.exchange_at == first.exchange_at
    assert page.conversion is not None
    assert b"/newest" in page.conversion.html


def test_an_unchanged_shell_that_cannot_be_rendered_keeps_the_earlier_content(worker: Worker) -> None:
    first, _ = rendered(worker)
    place, document = again(worker, first, answer(304))
    browser = FakeBrowser(lambda _: RenderedPage(problem="crashed"))
    record = worker.renderer(browser).render(replace(ITEM, document=place)).record
    assert (record.state, record.render_problem, record.body_at) == (
        UrlState.UNCHANGED,
        "crashed",
        document.body_at,
    )


def test_an_unchanged_page_whose_earlier_record_is_gone_is_fetched_again(worker: Worker) -> None:
    first, _ = rendered(worker)
    _, document = again(worker, first, answer(304))
    place = worker.keep(structs.replace(document, body_at=document.body_at.replace("000", "009")))
    record = worker.renderer(FakeBrowser()).render(replace(ITEM, document=place)).record
    assert record.reason is Reason.RECORDS_LOST


def test_an_unchanged_page_without_scripts_is_not_rendered_again(worker: Worker) -> None:
    record = PageRecord(key=KEY, url=URL, depth=2, state=UrlState.FETCHED, is_html=True, body_hash="h", rendered=True)
    assert again(worker, record, answer(304))[1].state is UrlState.UNCHANGED
    worker.settings = CrawlSettings(render=RenderSettings(screenshots=Screenshots.ALL))
    assert again(worker, record, answer(304))[1].reason is Reason.RENDER
    kept = structs.replace(record, screenshot="name")
    assert again(worker, kept, answer(304))[1].state is UrlState.UNCHANGED
    worker.settings = CrawlSettings(render=RenderSettings(mode=RenderMode.ALWAYS))
    assert again(worker, kept, answer(304))[1].reason is Reason.RENDER
    assert again(worker, structs.replace(kept, is_html=False), answer(304))[1].state is UrlState.UNCHANGED


def test_a_screenshot_is_stored_under_the_url_key(worker: Worker) -> None:
    worker.settings = CrawlSettings(render=RenderSettings(screenshots=Screenshots.ALL))
    record, browser = rendered(worker, STATIC)
    assert browser.requests[0].screenshot
    assert record.screenshot == f"tenants/t/sites/s/crawls/c1/screenshots/{KEY}.jpg"
    assert (worker.store.root / record.screenshot).read_bytes() == JPEG


def test_the_brand_is_that_of_the_response_and_of_the_rendered_root(worker: Worker) -> None:
    key = Identity().page_url(f"{ORIGIN}/").key
    item = replace(ITEM, url=f"{ORIGIN}/", key=key)
    html = "<link rel=icon href=/i.png><style>:root{--primary:#aa0000}</style>" + SHELL
    styles = ComputedStyles(background="rgb(0, 0, 0)", colour="rgb(255, 255, 255)", body_font="Rubik")
    page = RenderedPage(html=DOM, url=item.url, styles=styles)
    place, fetched = worker.fetch(item, answer(200, html))
    browser = FakeBrowser(lambda _: page)
    brand = worker.renderer(browser).render(replace(item, tries=2, document=place)).record.brand
    assert fetched.brand is not None
    assert browser.requests[0].styles
    assert brand == structs.replace(
        fetched.brand,
        background=BrandColour(hex="#000000", source="computed body", confidence=0.95),
        text=BrandColour(hex="#ffffff", source="computed body", confidence=0.95),
        text_contrast=21.0,
        fonts=(BrandFont(family="Rubik", role="body", source="computed body", confidence=0.95),),
    )


def test_other_pages_have_no_brand(worker: Worker) -> None:
    record, browser = rendered(worker, scripts=lambda _: DOM.replace("<head>", "<link rel=icon href=/i.png>"))
    assert (record.brand, browser.requests[0].styles) == (None, False)


def test_the_media_are_those_of_the_dom_and_of_the_response_if_it_cannot_be_rendered(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    worker = Worker(store, CrawlSettings(media=MediaSettings(include=(MediaGroup.IMAGES,))))
    static = STATIC.replace("</div>", "<img src=/static.png></div>")
    shown = DOM.replace("</div>", "<img src=/shown.png></div>")
    record, _ = rendered(worker, static, lambda _: shown)
    assert [one.url for one in record.media or ()] == [f"{ORIGIN}/shown.png"]
    broken = RenderedPage(html=shown, url=URL, problem="the page was not complete after 60 s")
    record, _ = rendered(worker, static, lambda _: broken)
    assert [one.url for one in record.media or ()] == [f"{ORIGIN}/static.png"]
    store.close()


def test_an_unchanged_page_whose_dom_has_other_media_has_a_record_of_its_own(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    worker = Worker(store, CrawlSettings(media=MediaSettings(include=(MediaGroup.IMAGES,))))
    dom = DOM.replace("</div>", "<img src=/{}.png></div>")
    first, _ = rendered(worker, SHELL, lambda _: dom.format("one"))
    place = worker.keep(first)
    item = replace(ITEM, validators=Validators(etag='"1"', record=place))
    for name, state in (("one", UrlState.UNCHANGED), ("two", UrlState.FETCHED)):
        before, record = worker.fetch(item, answer(304))
        assert (record.state, record.reason) == (UrlState.DEFERRED, Reason.RENDER)
        browser = FakeBrowser(lambda _, name=name: dom.format(name))  # type: ignore[misc]  # called in this loop
        after = worker.renderer(browser).render(replace(item, tries=2, document=before)).record
        assert (after.state, [one.url for one in after.media or ()]) == (state, [f"{ORIGIN}/{name}.png"])
    store.close()


def test_a_full_archive_has_what_a_page_requested_but_other_requests_do_not_change_the_page(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    worker = Worker(store, CrawlSettings(archive=ArchiveSettings(content=ArchiveContent.FULL)))

    def page(*requested: str) -> FakeBrowser:
        urls = tuple(f"{ORIGIN}{path}" for path in requested)
        return FakeBrowser(lambda one: RenderedPage(html=DOM, url=one.url, requested=urls))

    first, _ = rendered(worker, SHELL, page("/a.js", "/api?n=1").scripts)
    script, data = first.media or ()
    assert (script.url, script.source) == (f"{ORIGIN}/a.js", MediaSource.BROWSER)  # the DOM of this test has no script
    assert (data.url, data.kind, data.skip) == (f"{ORIGIN}/api?n=1", MediaKind.RESOURCE, Reason.NONE)
    item = replace(ITEM, validators=Validators(etag='"1"', record=worker.keep(first)))
    before, _ = worker.fetch(item, answer(304))
    after = worker.renderer(page("/api?n=2")).render(replace(item, tries=2, document=before)).record
    assert after.state is UrlState.UNCHANGED
    assert [one.url for one in after.media or ()] == [f"{ORIGIN}/api?n=2"]
    store.close()


class _Refusing(UnlimitedParser):
    """A parser that reads no page."""

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:  # noqa: ARG002 - the error is the point
        """Raise an error."""
        assert (html, how.is_dom) == (DOM, True)
        raise TooExpensiveError("reading it takes more than 5 s of processor time")


def test_a_dom_that_is_too_expensive_to_read_leaves_the_content_of_the_response(worker: Worker) -> None:
    place, fetched = worker.fetch(ITEM, answer(200, SHELL))
    browser = FakeBrowser(lambda _: DOM)
    record = worker.renderer(browser, _Refusing()).render(replace(ITEM, tries=2, document=place)).record
    assert (record.state, record.reason, record.rendered, record.render_failed) == (
        UrlState.FETCHED, Reason.NONE, False, True,
    )  # fmt: skip
    assert record.render_problem == "reading it takes more than 5 s of processor time"
    assert record.facts == fetched.facts


class _Stopping(UnlimitedParser):
    """A parser that stops if the work is not wanted any more."""

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:
        """Raise an error if the work is stopped."""
        if is_stopped():
            raise ReadingStoppedError("the work ends")
        return super().read(html, how)


def test_a_page_whose_crawl_ends_before_its_dom_is_read_waits(worker: Worker) -> None:
    place, _ = worker.fetch(ITEM, answer(200, SHELL))
    renderer = worker.renderer(FakeBrowser(lambda _: DOM), _Stopping())
    item = replace(ITEM, tries=2, document=place)
    assert renderer.render(item, ending=lambda: Reason.NONE).record.rendered
    record = renderer.render(item, ending=lambda: Reason.TIME_LIMIT).record
    assert (record.state, record.reason, record.tries) == (UrlState.DEFERRED, Reason.TIME_LIMIT, 1)


def test_a_page_whose_worker_ends_before_its_dom_is_read_is_rendered_again(worker: Worker) -> None:
    place, fetched = worker.fetch(ITEM, answer(200, SHELL))
    renderer = worker.renderer(FakeBrowser(lambda _: DOM), _Stopping())
    for failed, expected in ((0, (UrlState.DEFERRED, Reason.RENDER_FAILED)), (9, (UrlState.FETCHED, Reason.NONE))):
        item = replace(ITEM, tries=2, document=place, failed_renders=failed)
        record = renderer.render(item, ending=lambda: Reason.WORKER_OUT_OF_TIME).record
        assert (record.state, record.reason) == expected
    assert record.facts == fetched.facts
    assert (record.render_problem, record.render_failed) == (
        "the worker ran out of time before it had read the rendered page", True,
    )  # fmt: skip
