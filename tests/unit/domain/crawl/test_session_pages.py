"""Session tokens: a page is read once, whatever token its links have, and no page is lost."""

import re
from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wavecrawl.demo.prose import Prose
from wavecrawl.domain.crawl.batching import Speed
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.gradual import GradualWave
from wavecrawl.domain.crawl.ledger import FoundBy, LedgerRow, Phase
from wavecrawl.domain.crawl.plan import plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import FactsView, LinkView, RecordView
from wavecrawl.domain.crawl.settings import CrawlSettings, WaveSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.useful_links import UsefulLinks
from wavecrawl.domain.pages.simhash import simhash
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.rules import TrapRules
from wavecrawl.domain.traps.settings import SessionTrapSettings, TemplateTrapSettings, TrapSettings
from wavecrawl.domain.urls.url import Identity

SITE = "https://site.example"
MAX_EMPTY = SessionTrapSettings().max_empty
PRINTS = [simhash(Prose(str(number)).words(300)) for number in range(40)]

Address = Callable[[int, int], str]
"""The path of page n under the i-th token."""


def hex_token(i: int) -> str:
    return f"{i:04d}a1b2c3d4e5f6a7b8c9d0e1f2"


ADDRESSES: dict[str, Address] = {
    "a number in a parameter": lambda n, i: f"/p/{n}?sid={8374659 + i}",
    "a number beside another parameter": lambda n, i: f"/show?PHPSESSID={8374659 + i}&id={n}",
    "numbers in two parameters": lambda n, i: f"/p/{n}?CFID={1000 + i}&CFTOKEN={10**7 + i}",
    "a token in a parameter": lambda n, i: f"/p/{n}?visit={hex_token(i)}",
    "a segment of the path": lambda n, i: f"/s/{hex_token(i)}/p/{n}",
    "a segment of ASP.NET": lambda n, i: f"/(S({hex_token(i)}))/p/{n}",
    "a number in the path": lambda n, i: f"/session/{8374659 + i}/p/{n}",
    "a path parameter": lambda n, i: f"/p/{n};jsessionid={8374659 + i}",
    "a path parameter with letters": lambda n, i: f"/p/{n};visit={hex_token(i)}?x=1",
    "a path parameter in the middle": lambda n, i: f"/app;jsessionid={hex_token(i)}/p/{n}",
}


def key_of(url: str) -> str:
    page = Identity().page_url_of(url)
    assert page is not None
    return page.key


def page_of(path: str) -> int:
    found = re.search(r"(?:/p/|[?&]id=|/file/)(\d+)", path)
    return int(found[1]) if found else 0


class Crawl:
    """A crawl of pages 0, 1, 2 ... from page 0, whose links have a new token at each request."""

    def __init__(self, links: dict[int, list[int]], address: Address, traps: TrapSettings | None = None) -> None:
        self.links = links
        self.address = address
        self.traps = traps or TrapSettings()
        self.tokens = count(1)
        self.families = Families()
        self.frontier = Frontier()
        self.requested: list[str] = []
        self.redirects: dict[str, str] = {}  # path: where to
        self.failing: set[str] = set()
        self.print_of: Callable[[str], int] = lambda path: PRINTS[page_of(path)]
        self.gatherer().add(
            FoundUrl(
                url=f"{SITE}/",
                key=key_of(f"{SITE}/"),
                depth=0,
                parent=NO_PARENT,
                found_by=FoundBy.ROOT,
                phase=Phase.BFS,
                wave=1,
            )
        )

    def gatherer(self) -> Gatherer:
        """Return a new one for each wave, as a planner does that is restored."""
        return Gatherer(
            frontier=self.frontier,
            settings=CrawlSettings(),
            allowed=lambda _: Reason.NONE,
            robots_problem=lambda _: "",
            traps=TrapRules(self.traps, self.families),
            key_of=key_of,
        )

    def record(self, url: str) -> RecordView:
        path = url.removeprefix(SITE)
        self.requested.append(path)
        state, status, redirect = UrlState.FETCHED, 200, ""
        if path in self.failing:
            state, status = UrlState.HTTP_ERROR, 500
        elif path in self.redirects:
            state, status, redirect = UrlState.REDIRECTED, 302, SITE + self.redirects[path]
        is_page = state is UrlState.FETCHED
        found = (
            [SITE + self.address(n, next(self.tokens)) for n in self.links.get(page_of(path), ())] if is_page else []
        )
        return RecordView(
            key=key_of(url),
            url=url,
            state=state,
            status=status,
            redirect_to=redirect,
            redirect_key=key_of(redirect) if redirect else "",
            facts=FactsView(simhash=self.print_of(path)) if is_page else None,
            links=tuple(LinkView(url=one, key=key_of(one)) for one in found),
            tries=1,
        )

    def wave(self, number: int) -> bool:
        """Run one wave; return whether it had any URL."""
        rules = TrapRules(self.traps, self.families)
        plan = plan_wave(
            self.frontier,
            wave=number,
            waves=WaveSettings(),
            room=1_000,
            clock=float(number),
            interval=0.0,
            speed_of=lambda _: Speed(pace=Pace(interval=0.0, in_flight=1)),
            may_join=GradualWave(self.frontier, rules).may_join,
        )
        records = [self.record(item.url) for batch in plan.batches for item in batch.items]
        self.gather(records, wave=number)
        return bool(records)

    def gather(self, records: list[RecordView], *, wave: int) -> None:
        gatherer = self.gatherer()
        gatherer.settle(records, tried_in=Phase.BFS, clock=0.0)
        useful = UsefulLinks(gatherer)
        gatherer.follow_all([useful.of(one) for one in records], phase=Phase.BFS, wave=wave)
        self.families.delta()

    def run(self) -> "Crawl":
        number = 2
        while self.wave(number):
            number += 1
        return self

    def pages(self) -> set[int]:
        return set(map(page_of, self.requested))

    def ledger(self, state: UrlState = UrlState.SKIPPED) -> list[LedgerRow]:
        return [row for row in self.frontier.ledger({}) if row.state is state]


def menu(pages: int) -> dict[int, list[int]]:
    """Return the links of pages that have a menu of four pages, and a link to the next page."""
    return {n: [0, 1, 2, 3, *([n + 1] if n + 1 < pages else [])] for n in range(pages)}


@pytest.mark.parametrize("kind", ADDRESSES)
def test_all_pages_are_read_and_few_twice(kind: str) -> None:
    crawl = Crawl(menu(12), ADDRESSES[kind]).run()
    assert crawl.pages() == set(range(12))
    assert len(crawl.requested) <= 12 + MAX_EMPTY + 1  # the root has no token, so it can be read once more
    suppressed = crawl.ledger()
    assert len(suppressed) > 40
    assert {row.reason for row in suppressed} == {Reason.TRAP_SESSION}


@pytest.mark.parametrize("kind", ADDRESSES)
def test_where_each_page_links_to_all_no_more_are_read_twice(kind: str) -> None:
    crawl = Crawl({n: list(range(12)) for n in range(12)}, ADDRESSES[kind]).run()
    assert crawl.pages() == set(range(12))
    assert len(crawl.requested) <= 12 + MAX_EMPTY + 1


@given(
    st.lists(st.lists(st.integers(0, 39), max_size=6), min_size=1, max_size=40),
    st.sampled_from(sorted(ADDRESSES)),
)
@settings(max_examples=40, deadline=None)
def test_no_page_is_lost_whatever_the_links_are(lists: list[list[int]], kind: str) -> None:
    links = {n: [target % len(lists) for target in targets] for n, targets in enumerate(lists)}
    reachable, waiting = {0}, [0]
    while waiting:
        new = set(links[waiting.pop()]) - reachable
        reachable |= new
        waiting += new
    crawl = Crawl(links, ADDRESSES[kind]).run()
    assert crawl.pages() == reachable
    read = {row.url: page_of(row.url.removeprefix(SITE)) for row in crawl.ledger(UrlState.FETCHED)}
    for row in crawl.ledger():
        standing = re.match(r"only a token differs from (\S+); 5 pages in a row had the same text", row.detail)
        assert standing
        assert read[standing[1]] == page_of(row.url.removeprefix(SITE))


def test_the_ledger_names_the_page_that_stands_for_the_others() -> None:
    crawl = Crawl(menu(12), ADDRESSES["a number in a parameter"]).run()
    read = {page_of(path): path for path in crawl.requested}
    last = next(row for row in crawl.ledger() if "/p/3?" in row.url and row.parent.startswith(f"{SITE}/p/11?"))
    assert re.fullmatch(
        rf"only a token differs from {re.escape(SITE)}/p/3\?sid=\d+; 5 pages in a row had the same text with another "
        rf"token, or without one: \S+ \S+ \S+",
        last.detail,
    )
    assert read[3] != last.url


def proven(address: Address = ADDRESSES["a number in a parameter"]) -> Crawl:
    """Return a crawl that has read pages 0 to 3, and knows that the tokens are sessions."""
    crawl = Crawl(menu(4), address).run()
    assert crawl.ledger()
    return crawl


def find(crawl: Crawl, *paths: str, on: str = "") -> list[UrlState]:
    """Let a page link to these paths, and return the states of their URLs."""
    page = SITE + (on or crawl.requested[-1])
    links = tuple(LinkView(url=SITE + path, key=key_of(SITE + path)) for path in paths)
    record = RecordView(key=key_of(page), url=page, state=UrlState.FETCHED, status=200, links=links)
    crawl.gatherer().follow_all([record], phase=Phase.BFS, wave=50)
    return [
        crawl.frontier.state(index) for path in paths if (index := crawl.frontier.find(key_of(SITE + path))) is not None
    ]


def test_of_urls_that_differ_by_the_token_one_is_planned() -> None:
    crawl = proven()
    first, second = "/p/9?sid=1000001&b=2&a=1", "/p/9?a=1&b=2&sid=1000002"
    assert find(crawl, first, second, "/p/9?sid=1000003&b=2") == [
        UrlState.PENDING, UrlState.SKIPPED, UrlState.PENDING,
    ]  # fmt: skip
    assert find(crawl, "/p/9?sid=1000004&a=1&b=2") == [UrlState.SKIPPED]


def test_the_address_without_a_token_stands_for_the_others() -> None:
    crawl = proven()
    assert find(crawl, "/p/8", "/p/8?sid=1000001") == [UrlState.PENDING, UrlState.SKIPPED]
    assert find(crawl, "/p/9?sid=1000001", "/p/9") == [UrlState.PENDING, UrlState.PENDING]  # it has no token


def test_the_address_is_compared_by_its_key() -> None:
    crawl = proven()
    find(crawl, "/p/8")
    judge = Gatherer(
        frontier=crawl.frontier,
        settings=CrawlSettings(),
        allowed=lambda _: Reason.NONE,
        robots_problem=lambda _: "",
        traps=TrapRules(crawl.traps, crawl.families),
    ).judge
    path = "/p/8?sid=1000001"
    assert judge.suppression(SITE + path, key_of(SITE + path), parent=SITE) is None  # keys are not known


def test_a_page_that_was_not_found_is_not_requested_again_with_other_tokens() -> None:
    crawl = proven()
    path = "/p/8?sid=1000001"
    find(crawl, path)
    index = crawl.frontier.find(key_of(SITE + path))
    assert index is not None
    crawl.frontier.settle(index, UrlState.NOT_FOUND, reason=Reason.STATUS, detail="", tries=1)
    assert find(crawl, "/p/8?sid=1000002") == [UrlState.SKIPPED]


def test_a_redirect_to_a_new_token_is_followed() -> None:
    crawl = proven()
    old, new = "/p/9?sid=1000001", "/p/9?sid=1000002"
    crawl.redirects = {old: new}
    find(crawl, old)
    crawl.run()
    assert crawl.requested[-2:] == [old, new]
    assert find(crawl, "/p/9?sid=1000003") == [UrlState.SKIPPED]


def test_urls_that_are_no_pages_are_tried_a_few_times() -> None:
    crawl = proven()
    paths = [f"/p/9?sid={1000001 + i}" for i in range(6)]
    crawl.failing = set(paths)
    tried = []
    for path in paths:
        find(crawl, path)
        before = len(crawl.requested)
        crawl.run()
        tried += crawl.requested[before:]
    assert tried == paths[:3]
    rows = {row.url.removeprefix(SITE): row.detail for row in crawl.ledger()}
    assert rows[paths[3]].startswith(f"only a token differs from {SITE}{paths[0]}; ")


def test_a_url_that_waits_for_room_stands_for_the_others() -> None:
    crawl = proven()
    find(crawl, "/p/8?sid=1000001")
    crawl.frontier.limit_waiting(0)
    assert find(crawl, "/p/8?sid=1000002") == [UrlState.SKIPPED]


def test_a_url_that_another_rule_suppressed_does_not_stand_for_others() -> None:
    crawl = proven()
    first = "/p/8?sid=1000001"
    find(crawl, first)
    index = crawl.frontier.find(key_of(SITE + first))
    assert index is not None
    crawl.frontier.suppress(index, Reason.TRAP_TEMPLATE, "")
    assert find(crawl, "/p/8?sid=1000002") == [UrlState.PENDING]


def test_other_rules_judge_the_url_that_would_be_read() -> None:
    traps = TrapSettings(template=TemplateTrapSettings(max_alike=2))
    crawl = Crawl(menu(4), ADDRESSES["a number in a parameter"], traps).run()
    crawl.families.close(crawl.families.use(f"{SITE}/x/{{n}}?sid"), "3 near-identical pages")
    crawl.gatherer().add(
        FoundUrl(
            url=f"{SITE}/x/8?sid=1000009",
            key=key_of(f"{SITE}/x/8?sid=1000009"),
            depth=1,
            parent=NO_PARENT,
            found_by=FoundBy.LIST,
            phase=Phase.BFS,
            wave=1,
        )
    )
    assert find(crawl, "/x/9?sid=1000001", on="/x/8?sid=1000009") == [UrlState.SKIPPED]
    row = next(row for row in crawl.ledger() if row.url.endswith("/x/9?sid=1000001"))
    assert row.reason is Reason.TRAP_TEMPLATE


@pytest.mark.parametrize("links", [menu(20), {n: list(range(20)) for n in range(20)}])
def test_identifiers_are_all_read_also_beside_session_tokens(links: dict[int, list[int]]) -> None:
    def both(n: int, i: int) -> str:
        return f"/file/{n:04d}a1b2c3d4e5f6a7b8c9d0e1f2?sid={8374659 + i}"

    crawl = Crawl(links, both).run()
    assert crawl.pages() == set(range(20))
    assert len(crawl.requested) < 20 + 4 * MAX_EMPTY
    assert set(crawl.families.closed) == {"session https://site.example ?sid"}
