"""Nothing is lost by a hiccup: whatever fails for a while during a recrawl, no page counts as gone.

The site is the same in all crawls. So it is an error if a page is deleted, leaves the search index, or is an orphan in
one of them only. The last test breaks the build on purpose and shows that the checks find it.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.campaign import examples, slow
from tests.support.crawling import QUICK, Done, table
from tests.support.faulty_site import (
    EMPTY,
    FAULTS,
    JSON_ERROR,
    LOGIN,
    NO_ENTRIES,
    SITEMAPS,
    FaultySite,
    SiteShape,
    crawl_faulty,
    page_of,
    path_of,
)
from tests.support.knowledge import knowledge_ports

from wavecrawl.adapters.analytics import memory_queries
from wavecrawl.adapters.crawled_texts import texts_of_crawl
from wavecrawl.application.index_site import index_site
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import Discovery, ScopeSettings
from wavecrawl.domain.crawl.site_changes import CLOCKS
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.domain.recrawl.deletion import Answer
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings
from wavecrawl.errors import RootFailedError
from wavecrawl.ports.knowledge import CrawlTexts

PAGES = 7
SETTINGS = replace(QUICK, max_retries=0, polite=replace(QUICK.polite, max_robots_waits=0))
READ = ("fetched", "unchanged")

pages = st.integers(0, PAGES - 1)
some_pages = st.frozensets(pages, max_size=3)
shapes = st.builds(
    SiteShape,
    links=st.lists(st.lists(pages, max_size=3).map(tuple), min_size=PAGES, max_size=PAGES).map(tuple),
    listed=st.frozensets(pages),
    sitemap=st.sampled_from(sorted(SITEMAPS)),
    shells=some_pages.map(lambda found: found - {0}),
    denied=st.frozensets(pages.filter(bool), max_size=1),
)


@st.composite
def stories(draw: st.DrawFn) -> tuple[SiteShape, dict[str, str]]:
    """Return a site, and what fails during the second crawl."""
    shape = draw(shapes)
    failing = draw(st.lists(st.sampled_from(shape.paths), min_size=1, max_size=3, unique=True))
    faults = {path: FAULTS if path == "/robots.txt" else (*FAULTS, EMPTY) for path in failing}
    return shape, {path: draw(st.sampled_from(some)) for path, some in faults.items()}


class Story:
    """Crawls of one site into one folder, with its search index."""

    def __init__(self, root: Path, shape: SiteShape) -> None:
        self.root = root
        self.shape = shape

    def crawl(self, faults: Mapping[str, str] | None = None, **changes: Any) -> Done:
        """Crawl the site long after the last crawl, and index the texts."""
        with closing(LocalStore(self.root)) as store:
            store.database.change("DELETE FROM robots")
        done = crawl_faulty(FaultySite(self.shape, faults or {}), self.root, replace(SETTINGS, **changes))
        with closing(LocalStore(self.root)) as store:
            index_site(
                self._site_of(done),
                texts_of_crawl(done.row.id, done.exports, parts=store.parts, hidden=frozenset()),
                knowledge_ports(self.root),
                KnowledgeSettings(),
                texts=CrawlTexts(crawl=done.row.id.crawl),
                deleted=chain(store.memories.deleted(done.row.id), store.media_memories.deleted(done.row.id)),
            )
        return done

    def indexed(self, done: Done) -> dict[str, str]:
        """Return the texts in the index by path."""
        passages = knowledge_ports(self.root).passages.all(self._site_of(done))
        return {page_of(one.url): one.text for _, one in passages}

    def deleted(self, done: Done) -> set[str]:
        """Return the paths of deleted pages."""
        with closing(LocalStore(self.root)) as store:
            return {page_of(one.url) for one in store.memories.histories(done.row.id) if one.deleted_at}

    def differences(self, before: Done, now: Done) -> dict[str, int]:
        """Return the differences of pages by kind."""
        with closing(LocalStore(self.root)) as store:
            kinds = store.results.compare(before.row.id, now.row.id).kinds
        return {kind: kinds[kind] for kind in ("new", "gone", "moved", "changed", "not_seen")}

    def _site_of(self, done: Done) -> SiteId:
        return SiteId(tenant=done.row.id.tenant, site=done.row.id.site)


def orphans(done: Done) -> set[str]:
    """Return the paths of pages that are orphans, as far as a crawl that may not read everything can tell."""
    rows = table(done.exports / "orphans.csv")
    return {page_of(row["url"]) for row in rows if row["verdict"] != "inconclusive"}


def read(done: Done) -> set[str]:
    """Return the paths of the pages that were read."""
    return {page_of(row["url"]) for row in done.ledger() if row["state"] in READ}


def unexplained(done: Done, missing: set[str]) -> set[str]:
    """Return the missing pages of which the results do not say why: each has a reason, or the crawl has a gap."""
    reasons = {page_of(row["url"]): row["reason"] for row in done.ledger()}
    has_gap = any(row["kind"] == "incomplete" for row in table(done.exports / "blockers.csv"))
    return {path for path in missing if not reasons.get(path) and (path in reasons or not has_gap)}


def check(shape: SiteShape, faults: Mapping[str, str]) -> None:
    """Crawl a site, crawl it again while something fails, and once more; compare all that the crawls say."""
    with TemporaryDirectory() as name:
        story = Story(Path(name), shape)
        first = story.crawl()
        texts = story.indexed(first)
        second = first
        with suppress(RootFailedError):  # the start page or robots.txt fails: the crawl says so, and has no results
            second = story.crawl(faults)
        assert story.deleted(second) == set()
        assert story.indexed(second) == texts
        assert orphans(second) - orphans(first) == set()
        assert unexplained(second, read(first) - read(second)) == set()
        found = story.differences(first, second)
        assert (found["new"], found["gone"], found["moved"]) == (0, 0, 0)
        assert found["not_seen"] == len(read(first) - read(second))
        assert (second.row.outcome is None) or not second.row.outcome.gone
        third = story.crawl()
        assert (read(third), orphans(third)) == (read(first), orphans(first))
        assert story.deleted(third) == set()
        assert story.indexed(third) == texts
        found = story.differences(second, third)
        assert (found["new"], found["gone"], found["moved"]) == (0, 0, 0)


@settings(max_examples=examples(2, long=60), deadline=None)  # each crawls three times, with an index: 3 CPU seconds
@given(story=stories())
def test_no_temporary_fault_makes_a_page_gone_or_an_orphan(story: tuple[SiteShape, dict[str, str]]) -> None:
    check(*story)


HUB, LEAF, LISTED, APP, MADE = (path_of(page) for page in range(1, 6))
SHAPE = SiteShape(links=((1, 4), (2,), (), (), (5,), ()), listed=frozenset({3}), sitemap="named", shells=frozenset({4}))
"""The start page leads to a hub, and this to a leaf; to an application, and this to a page. One page is only listed."""

ALL = (path_of(0), HUB, LEAF, LISTED, APP, MADE)


@pytest.fixture(scope="module", name="crawled")
def a_site_that_was_crawled_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    root = tmp_path_factory.mktemp("first")
    first = Story(root, SHAPE).crawl()
    assert read(first) == {*ALL}
    return root, first


@pytest.fixture(name="story")
def after_the_first_crawl(crawled: tuple[Path, Done], tmp_path: Path) -> Story:
    """Return the story of a copy of that site's folder."""
    copytree(crawled[0], tmp_path / "site")
    return Story(tmp_path / "site", SHAPE)


@pytest.mark.parametrize(
    ("faults", "changes"),
    [
        pytest.param(dict.fromkeys(ALL, LOGIN), {}, id="all pages redirect to a login"),
        pytest.param(dict.fromkeys(ALL[1:], LOGIN), {}, id="all pages but the first redirect to a login", marks=slow),
        pytest.param(dict.fromkeys(ALL, "403"), {}, id="a wall before all pages", marks=slow),
        pytest.param({"/": "503"}, {}, id="the start page fails", marks=slow),
        pytest.param({HUB: "403"}, {}, id="a wall before the hub"),
        pytest.param({HUB: "cut"}, {}, id="the hub arrives in part", marks=slow),
        pytest.param({HUB: EMPTY}, {}, id="the hub is empty", marks=slow),
        pytest.param({"/": EMPTY}, {}, id="the start page is empty", marks=slow),
        pytest.param({"/robots.txt": "404"}, {}, id="no robots.txt names the sitemap", marks=slow),
        pytest.param({"/robots.txt": "500"}, {}, id="robots.txt cannot be fetched"),
        pytest.param({"/map.xml": "cut"}, {}, id="the sitemap arrives in part"),
        pytest.param({f"{APP}.data": "500"}, {}, id="the data of an application fails"),
        pytest.param({}, {"max_pages": 2}, id="fewer pages", marks=slow),
        pytest.param({}, {"max_depth": 1}, id="less depth", marks=slow),
        pytest.param({}, {"mode": Mode.DUE_ONLY}, id="due pages", marks=slow),
        pytest.param({}, {"discovery": Discovery.LINKS_ONLY}, id="links only", marks=slow),
        pytest.param({}, {"scope": ScopeSettings(exclude=(f"{HUB}*",))}, id="a hub is excluded", marks=slow),
        pytest.param({}, {"render": RenderSettings(mode=RenderMode.NEVER)}, id="no rendering", marks=slow),
    ],
)
def test_nothing_is_deleted(
    story: Story, crawled: tuple[Path, Done], faults: dict[str, str], changes: dict[str, Any]
) -> None:
    first = crawled[1]
    texts = story.indexed(first)
    second = first
    with suppress(RootFailedError):
        second = story.crawl(faults, **changes)
    assert story.deleted(second) == set()
    assert {path: text for path, text in story.indexed(second).items() if path != LOGIN} == texts
    found = story.differences(first, second)
    assert (found["gone"], found["moved"]) == (0, 0)


@pytest.mark.parametrize(
    ("path", "status"), [(HUB, "404"), pytest.param(HUB, "410", marks=slow), pytest.param("/", "404", marks=slow)]
)
def test_a_page_that_is_gone_once_deletes_itself_and_comes_back(
    story: Story, crawled: tuple[Path, Done], path: str, status: str
) -> None:
    texts = story.indexed(crawled[1])
    second = story.crawl({path: status})
    assert story.deleted(second) == {path}
    assert story.indexed(second) == {one: text for one, text in texts.items() if one != path}
    found = story.differences(crawled[1], second)
    assert (found["gone"], found["moved"]) == (1, 0)
    third = story.crawl()
    assert story.deleted(third) == set()
    assert story.indexed(third) == texts


def test_a_page_that_is_no_html_any_more_deletes_the_pages_below_it_in_the_second_crawl(
    story: Story, crawled: tuple[Path, Done]
) -> None:
    assert read(crawled[1]) >= {HUB, LEAF}
    assert story.deleted(story.crawl({HUB: JSON_ERROR})) == set()
    assert story.deleted(story.crawl({HUB: JSON_ERROR})) == {LEAF}


def test_if_all_pages_vanish_that_a_page_led_to_the_second_crawl_deletes_them(tmp_path: Path) -> None:
    story = Story(tmp_path, SiteShape(links=((1,), (2, 3, 4), (), (), ())))
    assert read(story.crawl()) == {path_of(page) for page in range(5)}
    fewer = SiteShape(links=((1,), (2, 3), (), (), ()))
    without = SiteShape(links=((1,), (), (), (), ()))
    found: list[set[str]] = []
    for story.shape in (fewer, without, without):  # one of three is deleted at once
        time.sleep(CLOCKS)  # what a crawl saw less than that before the next one counts as seen by both
        found.append(story.deleted(story.crawl()))
    assert found == [{path_of(4)}, {path_of(4)}, {path_of(2), path_of(3), path_of(4)}]


def test_a_sitemap_that_lists_nothing_any_more_deletes_its_pages_in_the_second_crawl(tmp_path: Path) -> None:
    story = Story(tmp_path, SiteShape(links=((1,), (), (), ()), listed=frozenset((1, 2, 3)), sitemap="index"))
    assert read(story.crawl()) == {path_of(page) for page in range(4)}
    emptied = {"/map.xml": NO_ENTRIES, "/part-0.xml": NO_ENTRIES, "/part-1.xml": NO_ENTRIES}
    assert [story.deleted(story.crawl(emptied)) for _ in range(2)] == [set(), {path_of(2), path_of(3)}]


def test_pages_that_nothing_leads_to_any_more_are_deleted(story: Story, crawled: tuple[Path, Done]) -> None:
    without = replace(SHAPE, links=((1, 4), (), (), (), (5,), ()), listed=frozenset())
    story.shape = without
    second = story.crawl()
    assert story.deleted(second) == {LEAF, LISTED}
    assert set(story.indexed(second)) == {*ALL} - {LEAF, LISTED}
    assert story.differences(crawled[1], second)["gone"] == 2


BREAKS: dict[str, tuple[str, Callable[..., Any], dict[str, str]]] = {
    "a sitemap that fails counts as read": (
        "wavecrawl.application.crawl_end.blockers_of_sitemaps", lambda *_: (), {"/map.xml": "503"},
    ),
    "a sitemap that nothing names any more counts as read": (
        "wavecrawl.application.crawl_end._dropped_sitemaps", lambda *_: (), {"/robots.txt": "404"},
    ),
    "a page that fails is gone": (
        "wavecrawl.adapters.analytics.answers.answer_of", lambda *_: Answer.GONE, {LEAF: "500"},
    ),
    "a page that was read in part counts as read": (
        "wavecrawl.domain.graph.completeness._of_page", lambda *_: None, {HUB: "cut"},
    ),
    "pages below one that failed are gone": (
        "wavecrawl.adapters.analytics.blockers.blocker_of", lambda *_: None, {HUB: "timeout"},
    ),
    "other settings find the same": (
        "wavecrawl.domain.recrawl.reach.Reach.covers", lambda *_: True, {"/": LOGIN},
    ),
}  # fmt: skip
"""What is broken -> the function, what is in its place, and the faults of a crawl that show it."""


WITHOUT_KEPT = memory_queries.ABSENT.replace(" AND key NOT IN (SELECT key FROM kept)", "")


@slow
@pytest.mark.parametrize("name", BREAKS)
def test_the_checks_find_a_broken_build(
    story: Story, crawled: tuple[Path, Done], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    function, broken, faults = BREAKS[name]
    monkeypatch.setattr(function, broken)
    if name in ("pages below one that failed are gone", "other settings find the same"):  # three rules keep these
        monkeypatch.setattr(memory_queries, "HICCUPS", 1)
        monkeypatch.setattr(memory_queries, "ABSENT", WITHOUT_KEPT)
    assert story.deleted(story.crawl(faults)) - {LOGIN} != set()
    assert crawled
