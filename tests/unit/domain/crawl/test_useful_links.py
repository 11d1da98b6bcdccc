from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.short_keys import key_of, name_of

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import LinkView, RecordView
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.useful_links import UsefulLinks

KEYS = "abcdefgh"
LINKS = st.builds(lambda key, nofollow: link(key, nofollow=nofollow), st.sampled_from(KEYS), st.booleans())
OUTSIDE = st.sampled_from("xyz").map(lambda key: link(key, skip=Reason.OUT_OF_SCOPE))
FEEDS = st.sampled_from("abfg").map(lambda key: link(key, skip=Reason.FEED))
PAGES = st.dictionaries(
    st.sampled_from(KEYS), st.tuples(st.integers(1, 3), st.lists(LINKS | OUTSIDE | FEEDS, max_size=6)), max_size=6
)


def link(key: str, **other: Any) -> LinkView:
    return LinkView(url=f"https://example.com/{key}", key=key_of(key), **other)


def gatherer(pages: dict[str, tuple[int, list[LinkView]]]) -> Gatherer:
    """Return a gatherer whose frontier has these pages at their depths, all fetched."""
    found = Gatherer(
        frontier=Frontier(),
        settings=CrawlSettings(max_depth=3),
        allowed=lambda _: Reason.NONE,
        robots_problem=lambda _: "",
    )
    for key, (depth, _) in pages.items():
        url = f"https://example.com/{key}"
        found.add(
            FoundUrl(
                url=url, key=key_of(key), depth=depth, parent=NO_PARENT, found_by=FoundBy.LINK, phase=Phase.BFS, wave=1
            )
        )
    for index in range(len(pages)):
        found.frontier.plan(index, wave=1, batch=0)
        found.frontier.settle(index, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=1)
    return found


def record(key: str, links: list[LinkView]) -> RecordView:
    return RecordView(
        key=key_of(key), url=f"https://example.com/{key}", state=UrlState.FETCHED, status=200, links=tuple(links)
    )


def followed(pages: dict[str, tuple[int, list[LinkView]]], *, useful: bool) -> dict[str, tuple[str, str, str, int]]:
    """Follow the links of the pages, and again those of pages that moved nearer. Return what is known of each URL."""
    planner = gatherer(pages)
    records = [record(key, links) for key, (_, links) in pages.items()]
    links = UsefulLinks(planner)
    kept = [links.of(one) for one in records] if useful else records
    planner.follow_all(kept, phase=Phase.BFS, wave=2)
    frontier = planner.frontier
    whole = {one.key: one for one in records}
    while frontier.relaxed:
        index = frontier.relaxed.pop(0)
        planner.follow(index, whole[frontier.key(index)], phase=Phase.BFS, wave=2)
    return {name_of(row.key): (row.state.value, row.reason.value, row.detail, row.depth) for row in frontier.ledger({})}


@given(pages=PAGES)
def test_the_dropped_links_change_nothing(pages: dict[str, tuple[int, list[LinkView]]]) -> None:
    assert followed(pages, useful=True) == followed(pages, useful=False)


def test_of_many_links_to_new_pages_the_first_are_kept() -> None:
    planner = gatherer({"a": (1, []), "b": (1, []), "c": (0, [])})
    links = UsefulLinks(planner)
    found = [link("new"), link("a"), link("x", skip=Reason.ASSET)]
    kept = [[name_of(one.key) for one in links.of(record(key, found)).links]
            for key in ("a", "b", "c")]  # fmt: skip
    assert kept == [["new", "x"], [], ["new"]]  # c is nearer to the root, so its links matter


def test_a_link_that_must_not_be_followed_does_not_replace_one_that_may_be() -> None:
    planner = gatherer({"a": (1, []), "b": (2, [])})
    links = UsefulLinks(planner)
    assert len(links.of(record("a", [link("new", nofollow=True)])).links) == 1
    assert len(links.of(record("b", [link("new")])).links) == 1
    assert links.of(record("b", [link("new", nofollow=True)])).links == ()


def test_a_feed_of_several_pages_is_one_of_the_site() -> None:
    planner = gatherer({"a": (0, []), "b": (1, []), "c": (1, [])})
    root, shared, own = (link(key, skip=Reason.FEED) for key in ("root", "shared", "own"))
    useful = UsefulLinks(planner)
    pages = {"a": [root], "b": [shared], "c": [shared, own, root]}
    kept = [useful.of(record(key, links)) for key, links in pages.items()]
    assert [len(one.links) for one in kept] == [1, 1, 3]
    assert useful.of(record("b", [shared, root])).links == ()  # two are enough
    planner.follow_all(kept, phase=Phase.BFS, wave=2)
    assert planner.frontier.site_feeds(9) == ("https://example.com/root", "https://example.com/shared")
    assert planner.frontier.site_feeds(1) == ("https://example.com/root",)
    planner.follow_all([record("b", [own])], phase=Phase.BFS, wave=3)
    assert planner.frontier.site_feeds(9)[-1] == "https://example.com/own"
    planner.follow_all([record("b", [link("own")])], phase=Phase.BFS, wave=3)
    assert len(planner.frontier.site_feeds(9)) == 2  # a link makes a page of it


def test_the_feed_of_one_page_stays_its_own_if_the_page_is_followed_again() -> None:
    planner = gatherer({"a": (0, []), "b": (1, [])})
    for _ in range(2):
        planner.follow_all([record("b", [link("own", skip=Reason.FEED)])], phase=Phase.BFS, wave=2)
    assert planner.frontier.site_feeds(9) == ()


def test_an_unknown_page_is_left_as_it_is() -> None:
    planner = gatherer({})
    stranger = record("stranger", [link("a")])
    assert UsefulLinks(planner).of(stranger) is stranger
    assert planner.without_ignored_links(stranger) is stranger


@pytest.mark.parametrize(
    ("order", "kept"),
    [
        (("item/1", "item/2", "list", "lists"), ["item/1", "list"]),
        (("list", "lists", "item/1", "item/2"), ["list", "item/1"]),  # the item is nearer to the root
    ],
)
def test_a_link_on_a_page_of_another_template_is_kept_beside_that_of_a_similar_page(
    order: tuple[str, ...], kept: list[str]
) -> None:
    """Rules against traps may suppress the URL if it is found on a page of its own template only."""
    depths = {"item/1": 1, "item/2": 1, "list": 2, "lists": 2}
    useful = UsefulLinks(gatherer({key: (depths[key], []) for key in order}))
    assert [key for key in order if useful.of(record(key, [link("item/9")])).links] == kept
