"""URLs that the rules against traps suppress while links are followed."""

from hashlib import blake2b
from itertools import pairwise

import pytest
from msgspec import structs

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, REASONS, FoundUrl
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import FactsView, LinkView, RecordView
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.trap_evidence import evidence_of
from wavecrawl.domain.crawl.useful_links import UsefulLinks
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.rules import TrapRules
from wavecrawl.domain.traps.settings import CalendarTrapSettings, JsonTrapSettings, TemplateTrapSettings, TrapSettings

SITE = "https://site.example"


def key(url: str) -> str:
    return blake2b(url.encode(), digest_size=16).hexdigest()


def link(path: str) -> LinkView:
    return LinkView(url=SITE + path, key=key(SITE + path))


def record(path: str, *links: str, shape: int = 0) -> RecordView:
    return RecordView(
        key=key(SITE + path),
        url=SITE + path,
        state=UrlState.FETCHED,
        facts=None if shape else FactsView(simhash=int(key(SITE + path)[:15], 16)),
        json_shape=shape,
        links=tuple(map(link, links)),
    )


class Crawl:
    def __init__(self, traps: TrapSettings | None = None, settings: CrawlSettings | None = None) -> None:
        self.frontier = Frontier()
        self.gatherer = Gatherer(
            frontier=self.frontier,
            settings=settings or CrawlSettings(),
            allowed=lambda url: Reason.ROBOTS_RULE if "/denied/" in url else Reason.NONE,
            robots_problem=lambda _: "",
            traps=TrapRules(traps or TrapSettings(repeated_json=JsonTrapSettings(max_alike=2)), Families()),
        )
        self.seed("/", FoundBy.ROOT)

    def seed(self, path: str, found_by: FoundBy) -> None:
        url = SITE + path
        self.gatherer.add(
            FoundUrl(url=url, key=key(url), depth=0, parent=NO_PARENT, found_by=found_by, phase=Phase.BFS, wave=1)
        )

    def gather(self, *records: RecordView) -> None:
        """Gather pages, as if they were a wave."""
        for one in records:
            index = self.frontier.find(one.key)
            assert index is not None
            self.frontier.plan(index, wave=1, batch=0)
        self.gatherer.settle(records, tried_in=Phase.BFS, clock=0.0)
        useful = UsefulLinks(self.gatherer)
        self.gatherer.follow_all([useful.of(one) for one in records], phase=Phase.BFS, wave=2)

    def ending(self, path: str) -> tuple[UrlState, Reason, str]:
        row = next(row for row in self.frontier.ledger({}) if row.url == SITE + path)
        return row.state, row.reason, row.detail


def test_a_found_url_is_suppressed_with_its_evidence() -> None:
    crawl = Crawl()
    crawl.gather(record("/", "/a/a/a", "/denied/a/a/a", "/b"))
    evidence = f"the path has 'a' 3 times in a row; found on {SITE}/"
    assert crawl.ending("/a/a/a") == (UrlState.SKIPPED, Reason.TRAP_SEGMENTS, evidence)
    assert crawl.ending("/denied/a/a/a") == (UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE, "")
    assert crawl.ending("/b")[0] is UrlState.PENDING
    assert crawl.frontier.waiting == 1


def test_waiting_urls_are_suppressed_when_there_is_evidence_against_them() -> None:
    crawl = Crawl()
    crawl.gather(record("/", *(f"/api/{number}.json" for number in range(4)), "/b"))
    crawl.seed("/api/9.json", FoundBy.SITEMAP)
    crawl.gather(record("/api/0.json", shape=5), record("/b", "/api/7.json"))
    assert crawl.frontier.waiting == 5
    crawl.gather(record("/api/1.json", shape=5))
    states = {path: crawl.ending(path)[:2] for path in ("/api/2.json", "/api/3.json", "/api/7.json", "/api/9.json")}
    assert states == {
        "/api/2.json": (UrlState.SKIPPED, Reason.TRAP_JSON),
        "/api/3.json": (UrlState.SKIPPED, Reason.TRAP_JSON),
        "/api/7.json": (UrlState.SKIPPED, Reason.TRAP_JSON),
        "/api/9.json": (UrlState.PENDING, Reason.NONE),  # a sitemap lists it
    }
    assert crawl.frontier.waiting == 1
    assert crawl.frontier.pop("site.example") == crawl.frontier.find(key(f"{SITE}/api/9.json"))


def test_evidence_against_a_calendar_leaves_other_waiting_urls() -> None:
    crawl = Crawl(TrapSettings(calendar=CalendarTrapSettings(max_empty=2)))
    views = [f"/cal/2026-{month:02}" for month in range(1, 5)]
    crawl.gather(record("/", views[0], "/c"))
    for view, following in pairwise(views):
        crawl.gather(record(view, following))
    assert crawl.ending(views[3])[1] is Reason.TRAP_CALENDAR
    assert crawl.ending("/c")[:2] == (UrlState.PENDING, Reason.NONE)


def test_evicted_urls_are_suppressed_too() -> None:
    crawl = Crawl()
    crawl.gather(record("/", "/x", "/y", "/api/0.json", "/api/1.json", "/api/2.json"))
    crawl.gather(record("/api/0.json", shape=5))
    crawl.frontier.limit_waiting(3)
    assert crawl.ending("/api/2.json")[1] is Reason.FRONTIER_CAP
    crawl.gather(record("/api/1.json", shape=5))
    assert crawl.ending("/api/2.json")[1] is Reason.TRAP_JSON
    crawl.frontier.limit_waiting(10)
    assert crawl.ending("/api/2.json")[1] is Reason.TRAP_JSON


def test_a_link_on_a_list_counts_beside_one_on_a_view_of_the_same_wave() -> None:
    """The first link of a wave to a URL is kept; if a rule may suppress it, the first one on another page too."""
    crawl = Crawl(TrapSettings(calendar=CalendarTrapSettings(max_empty=2), template=TemplateTrapSettings(max_alike=2)))
    views = [f"/cal/2026-{month:02}" for month in range(1, 10)]
    crawl.gather(record("/", views[0]))
    for view, following in pairwise(views[:3]):
        crawl.gather(record(view, following))
    crawl.gather(record(views[2], views[3], "/events"))
    crawl.gather(record(views[3], views[4]), record("/events", "/all"))
    crawl.gather(record(views[4], views[5], views[6]), record("/all", views[6]))
    assert crawl.ending(views[5])[1] is Reason.TRAP_CALENDAR
    assert crawl.ending(views[6])[:2] == (UrlState.PENDING, Reason.NONE)


def test_a_url_that_a_copy_and_another_page_of_one_wave_link_to_is_found_on_the_other_page() -> None:
    crawl = Crawl(TrapSettings(template=TemplateTrapSettings(max_copies=2)))

    def copy(path: str, *links: str) -> RecordView:
        return structs.replace(record(path, *links), facts=FactsView(simhash=7))

    crawl.gather(record("/", "/a"))
    crawl.gather(copy("/a", "/b/a", "/other"))
    crawl.gather(copy("/b/a", "/c/b/a", "/d/b/a"))
    crawl.gather(copy("/c/b/a", "/new", "/e"), copy("/d/b/a", "/new", "/e"), record("/other", "/new"))
    assert crawl.ending("/e")[1] is Reason.TRAP_TEMPLATE
    assert crawl.ending("/new")[:2] == (UrlState.PENDING, Reason.NONE)


def missing(path: str) -> RecordView:
    return structs.replace(record(path), state=UrlState.NOT_FOUND, facts=None)


def test_urls_of_folders_without_pages_are_suppressed_once_the_crawl_requested_as_many_as_it_may_have_pages() -> None:
    crawl = Crawl(settings=CrawlSettings(max_pages=9))
    old = [f"/old/{number}.html" for number in range(20)]
    for path in old[:10]:
        crawl.seed(path, FoundBy.SITEMAP)
    crawl.seed(old[10], FoundBy.LIST)
    crawl.seed(old[11], FoundBy.MEMORY)
    crawl.gather(record("/", "/a", "/b", "/c", "/c/1", old[12]))
    crawl.gather(record("/a"), record("/b"), *map(missing, old[:5]))
    assert crawl.ending(old[5])[0] is UrlState.PENDING  # three pages and five missing URLs
    crawl.gather(record("/c"))
    evidence = f"none of 5 requested URLs of {SITE}/old/* exists"
    assert crawl.ending(old[5]) == (UrlState.SKIPPED, Reason.MAX_PAGES, evidence)
    assert crawl.ending(old[12]) == (UrlState.SKIPPED, Reason.MAX_PAGES, evidence)
    assert {crawl.ending(path)[0] for path in (old[10], old[11], "/c/1")} == {UrlState.PENDING}


def test_a_folder_with_a_page_or_with_temporary_errors_is_none_without_pages() -> None:
    crawl = Crawl(settings=CrawlSettings(max_pages=7))
    old = [f"/old/{number}" for number in range(9)]
    busy = [f"/busy/{number}" for number in range(9)]
    for path in (*old, *busy):
        crawl.seed(path, FoundBy.SITEMAP)
    errors = [structs.replace(missing(path), state=UrlState.HTTP_ERROR) for path in busy[:6]]
    crawl.gather(record("/"), *map(missing, old[:6]), record(old[6]), *errors)
    assert crawl.ending(old[7])[0] is crawl.ending(busy[7])[0] is UrlState.PENDING


def test_a_sitemap_adds_a_suppressed_url() -> None:
    crawl = Crawl()
    crawl.gather(record("/", "/a/a/a"))
    crawl.seed("/a/a/a", FoundBy.SITEMAP)
    assert crawl.ending("/a/a/a")[:2] == (UrlState.PENDING, Reason.NONE)


def test_a_redirect_into_a_trap_is_suppressed() -> None:
    crawl = Crawl()
    crawl.gather(record("/", "/old"))
    url = f"{SITE}/new/new/new"
    moved = RecordView(
        key=key(f"{SITE}/old"), url=f"{SITE}/old", state=UrlState.REDIRECTED, redirect_to=url, redirect_key=key(url)
    )
    crawl.gather(moved)
    assert crawl.ending("/new/new/new")[1] is Reason.TRAP_SEGMENTS


def test_pages_are_learned_with_those_through_which_they_were_found() -> None:
    crawl = Crawl()
    learned: list[tuple[str, ...]] = []
    rules = crawl.gatherer.traps

    class Spy(TrapRules):
        def __init__(self) -> None:
            self.missing = rules.missing

        def learn(self, page: object, *, ancestors: tuple[str, ...]) -> None:  # noqa: ARG002
            learned.append(ancestors)

        def count(self, url: str, *, parent: str) -> None:
            rules.count(url, parent=parent)

        def has_evidence_of(self, url: str) -> bool:
            return bool(url)

        def suppression(self, url: str, *, parent: str, but: Reason = Reason.NONE) -> None:
            rules.suppression(url, parent=parent, but=but)

        def is_copy(self, url: str) -> bool:
            return rules.is_copy(url)

        def would_be_copy(self, page: PageEvidence, *, parent: str) -> bool:
            return rules.would_be_copy(page, parent=parent)

        def has_new_evidence(self) -> bool:
            return False

    crawl.gatherer.traps = Spy()
    crawl.gather(record("/", "/a"))
    crawl.gather(record("/a", "/b"))
    crawl.gather(record("/b", "/c"))
    crawl.gather(record("/c"))
    assert learned == [(), (f"{SITE}/",), (f"{SITE}/a", f"{SITE}/"), (f"{SITE}/b", f"{SITE}/a")]


@pytest.mark.parametrize(
    ("path", "links", "counted"),
    [
        ("/plain", ("/a", "/b"), 0),
        ("/list?page=2", ("/a", "/b"), 2),
        ("/list?page=2", ("/list?page=3", "/cal/2024-05", f"/s/{'a1' * 10}/x", "/a"), 1),
        ("/list?page=2", ("/list?page=3", "/other?page=3", "/list/page/3"), 2),
        ("/list/page/2", ("/list/page/3", "/other/page/3"), 1),
        ("/cal/2024-05", ("/list?page=3", "/list/page/3", "/a"), 1),
    ],
)
def test_only_links_to_content_are_counted(path: str, links: tuple[str, ...], counted: int) -> None:
    found = evidence_of(record(path, *links))
    assert found is not None
    assert found.targets.bit_count() == counted


def test_what_was_not_fetched_or_is_neither_html_nor_json_is_no_evidence() -> None:
    assert evidence_of(RecordView(key="", url=SITE, state=UrlState.NOT_FOUND, facts=FactsView())) is None
    assert evidence_of(RecordView(key="", url=SITE, state=UrlState.FETCHED)) is None


def test_reasons_keep_their_codes() -> None:
    assert REASONS.index(Reason.TRAP_CALENDAR) > REASONS.index(Reason.RECORDS_LOST)
