from typing import Any

import pytest
from msgspec import structs
from tests.support.short_keys import key_of, name_of

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl, change_of
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.score import Parts, packed_score
from wavecrawl.domain.focus.settings import Strategy


def way(name: str, depth: int = 1, **other: Any) -> FoundUrl:
    values: dict[str, Any] = {"parent": NO_PARENT, "found_by": FoundBy.LINK, "phase": Phase.BFS, "wave": 1} | other
    return FoundUrl(url=f"https://example.com/{name}", key=key_of(name), depth=depth, **values)


def new(*ways: FoundUrl, strategy: Strategy = Strategy.BFS) -> Frontier:
    frontier = Frontier(strategy)
    for one in ways:
        frontier.add(one)
    return frontier


def popped(frontier: Frontier) -> list[str]:
    found: list[str] = []
    while (index := frontier.pop("example.com")) is not None:
        found.append(name_of(frontier.key(index)))
    return found


def index_of(frontier: Frontier, key: str) -> int:
    index = frontier.find(key_of(key))
    assert index is not None
    return index


def test_crawl_order_is_depth_then_discovery() -> None:
    assert popped(new(way("c", 2), way("a", 1), way("b", 1), way("d", 0))) == ["d", "a", "b", "c"]


def test_the_next_url_of_each_host_is_known_without_taking_it() -> None:
    names = ("a", "b", "c", "d")
    hosts = ("one.example", "two.example", "one.example", "three.example")
    ways = (structs.replace(way(name), url=f"https://{host}/") for name, host in zip(names, hosts, strict=True))
    frontier = new(*ways)
    assert [name_of(frontier.key(index)) for index in frontier.first_by_host(2)] == ["a", "b"]
    assert [name_of(frontier.key(index)) for index in frontier.first_by_host(9)] == ["a", "b", "d"]
    assert frontier.waiting == 4


def test_a_url_seen_twice_is_there_once() -> None:
    frontier = new(way("a"), way("a"), way("a", 2))
    assert (len(frontier), frontier.waiting, popped(frontier)) == (1, 1, ["a"])


def test_a_shorter_way_moves_a_pending_url_up() -> None:
    frontier = new(way("a", 2), way("b", 1), way("a", 0, parent=1, chain=1))
    index = index_of(frontier, "a")
    assert (frontier.depth(index), frontier.parent(index), frontier.chain(index)) == (0, 1, 1)
    assert popped(frontier) == ["a", "b"]


def test_a_shorter_way_to_a_page_that_is_done_asks_for_its_links_again() -> None:
    frontier = new(way("a", 3))
    index = index_of(frontier, "a")
    frontier.plan(index, wave=1, batch=0)
    frontier.add(way("a", 2))
    assert frontier.relaxed == []  # its links are not gathered yet
    frontier.settle(index, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=1)
    frontier.add(way("a", 1))
    assert frontier.relaxed == [index]


@pytest.mark.parametrize(
    "reason",
    [Reason.ASSET, Reason.FEED, Reason.DATA,
     Reason.NOFOLLOW, Reason.MAX_DEPTH, Reason.REDIRECT_LIMIT, Reason.LINKS_NOT_FOLLOWED,
     Reason.REDIRECTS_NOT_FOLLOWED],
)  # fmt: skip
def test_a_better_way_brings_in_what_was_skipped_for_its_way(reason: Reason) -> None:
    frontier = new(way("a", 2, skip=reason))
    assert (frontier.state(0), frontier.lacks(key_of("a")), frontier.waiting) == (UrlState.SKIPPED, True, 0)
    frontier.add(way("a", 5, parent=7))
    assert (frontier.state(0), frontier.depth(0), frontier.parent(0)) == (UrlState.PENDING, 5, 7)
    assert not frontier.lacks(key_of("a"))
    assert popped(frontier) == ["a"]


@pytest.mark.parametrize("reason", [Reason.OUT_OF_SCOPE, Reason.EXCLUDED, Reason.TOO_LONG])
def test_no_way_brings_in_what_is_skipped_for_itself(reason: Reason) -> None:
    frontier = new(way("a", 2, skip=reason), way("a", 1))
    assert (frontier.state(0), popped(frontier)) == (UrlState.SKIPPED, [])


@pytest.mark.parametrize("reason", [Reason.ROBOTS_RULE, Reason.ROBOTS_UNREACHABLE])
def test_no_way_brings_in_what_robots_txt_denies(reason: Reason) -> None:
    frontier = new(way("a", 2, skip=reason), way("a", 1))
    assert (frontier.state(0), frontier.lacks(key_of("a")), popped(frontier)) == (UrlState.ROBOTS_DENIED, True, [])


def test_a_way_that_must_not_be_taken_changes_nothing() -> None:
    frontier = new(way("a", 2), way("a", 1, skip=Reason.NOFOLLOW))
    assert (frontier.state(0), frontier.depth(0)) == (UrlState.PENDING, 2)


def test_most_links_are_settled_at_a_glance() -> None:
    frontier = new(way("a", 2), way("b", 1, skip=Reason.NOFOLLOW))
    assert frontier.ignores_link(key_of("a"), 2)
    assert not frontier.ignores_link(key_of("a"), 1)
    assert not frontier.ignores_link(key_of("b"), 3)
    assert not frontier.ignores_link(key_of("z"), 3)


def test_a_deferred_url_keeps_its_depth_and_comes_back_when_due() -> None:
    frontier = new(way("a", 1), way("b", 2))
    index = frontier.pop("example.com")
    assert index is not None
    frontier.plan(index, wave=1, batch=3)
    assert frontier.planned(index)
    assert frontier.state(index) is UrlState.PENDING
    assert frontier.batch(index) == (1, 3)
    frontier.defer(index, reason=Reason.STATUS, detail="HTTP 503", tries=1, due=9.0, not_before=99.0)
    assert (frontier.state(index), frontier.waiting, frontier.next_due()) == (UrlState.DEFERRED, 2, 9.0)
    frontier.wake(8.9)
    assert frontier.next_due() == 9.0
    frontier.wake(9.0)
    assert (frontier.next_due(), frontier.not_before(index), frontier.tries(index)) == (None, 99.0, 1)
    assert popped(frontier) == ["a", "b"]


def test_a_popped_url_can_be_put_back() -> None:
    frontier = new(way("a"), way("b"))
    index = frontier.pop("example.com")
    assert index is not None
    frontier.put_back(index)
    assert popped(frontier) == ["a", "b"]


def test_the_end_skips_everything_that_waits() -> None:
    frontier = new(way("a"), way("b"), way("c"), way("d", skip=Reason.ASSET))
    frontier.plan(0, wave=1, batch=0)
    frontier.defer(1, reason=Reason.TIMEOUT, detail="", tries=1, due=5.0, not_before=5.0)
    frontier.skip_waiting(Reason.MAX_PAGES)
    reasons = [row.reason for row in frontier.ledger({})]
    assert reasons == [Reason.MAX_PAGES, Reason.MAX_PAGES, Reason.MAX_PAGES, Reason.ASSET]
    assert (frontier.waiting, frontier.next_due(), popped(frontier)) == (0, None, [])


def reasons(frontier: Frontier) -> list[str]:
    return [row.reason.value for row in frontier.ledger({})]


def scored(name: str, lane: Lane, points: int, depth: int = 1, **other: Any) -> FoundUrl:
    return way(name, depth, score=packed_score(lane, points, Parts()), **other)


SCORED = (
    scored("a", Lane.P3, 900),
    scored("b", Lane.P3, 901, 5),
    scored("c", Lane.P1, 10, 9),
    scored("d", Lane.P1, 10, 0),
    scored("e", Lane.P0, 0, 7),
)


@pytest.mark.parametrize("strategy", Strategy)
def test_the_lowest_scores_of_the_last_lane_are_evicted_and_the_best_come_back_first(strategy: Strategy) -> None:
    frontier = new(*SCORED, strategy=strategy)
    frontier.limit_waiting(5)
    assert frontier.evicted() == 0
    frontier.limit_waiting(2)
    assert reasons(frontier) == ["frontier_cap", "frontier_cap", "", "frontier_cap", ""]
    assert (frontier.waiting, frontier.evicted(), frontier.counts()) == (
        2, 3, {UrlState.PENDING: 2, UrlState.SKIPPED: 3},
    )  # fmt: skip
    frontier.limit_waiting(4)
    assert reasons(frontier) == ["frontier_cap", "", "", "", ""]
    frontier.limit_waiting(9)
    assert (frontier.evicted(), popped(frontier)) == (0, popped(new(*SCORED, strategy=strategy)))


def test_of_equal_scores_the_urls_that_were_found_last_are_evicted() -> None:
    frontier = new(way("a", 3), way("b", 1), way("c", 2), way("d", 1))
    frontier.limit_waiting(2)
    assert reasons(frontier) == ["", "", "frontier_cap", "frontier_cap"]


def test_an_evicted_url_changes_places_with_one_that_has_a_lower_score() -> None:
    frontier = new(scored("a", Lane.P3, 900), scored("b", Lane.P3, 500, 5))
    frontier.limit_waiting(1)
    frontier.plan(0, wave=1, batch=0)
    frontier.add(scored("c", Lane.P3, 499))
    frontier.limit_waiting(1)
    assert reasons(frontier) == ["", "", "frontier_cap"]


def test_a_shorter_way_to_an_evicted_url_changes_its_depth_only() -> None:
    frontier = new(way("a", 1), way("b", 2), way("c", 3))
    frontier.limit_waiting(1)
    assert not frontier.lacks(key_of("c"))
    assert frontier.ignores_link(key_of("c"), 3)
    frontier.add(way("c", 0, parent=5))
    assert (frontier.relaxed, frontier.depth(2), frontier.parent(2)) == ([], 0, 5)
    assert popped(frontier) == ["a"]
    frontier.plan(0, wave=1, batch=0)
    frontier.limit_waiting(2)
    assert popped(frontier) == ["c", "b"]


def test_deferred_urls_are_not_evicted() -> None:
    frontier = new(way("a"), way("b"), way("c"))
    for index in (1, 2):
        frontier.plan(index, wave=1, batch=0)
        frontier.defer(index, reason=Reason.TIMEOUT, detail="", tries=1, due=5.0, not_before=5.0)
    frontier.limit_waiting(1)
    assert reasons(frontier) == ["frontier_cap", "timeout", "timeout"]
    frontier.wake(5.0)
    frontier.limit_waiting(2)
    assert popped(frontier) == ["a", "b"]


def test_evicted_urls_survive_a_restart() -> None:
    frontier = new(scored("a", Lane.P3, 1), scored("b", Lane.P3, 3), scored("c", Lane.P3, 2))
    frontier.limit_waiting(1)
    rebuilt = Frontier()
    rebuilt.apply(frontier.changes())
    rebuilt.restore_queues()
    for one in (frontier, rebuilt):
        assert (one.waiting, one.evicted()) == (1, 2)
        one.limit_waiting(2)
        assert popped(one) == ["b", "c"]


def test_the_end_leaves_what_was_evicted_as_it_is() -> None:
    frontier = new(way("a"), way("b"))
    frontier.limit_waiting(1)
    frontier.skip_waiting(Reason.MAX_PAGES)
    assert reasons(frontier) == ["max_pages", "frontier_cap"]


def test_the_best_first_is_lane_then_score_then_discovery() -> None:
    assert popped(new(*SCORED, strategy=Strategy.BEST_FIRST)) == ["e", "c", "d", "b", "a"]
    assert popped(new(*SCORED)) == ["d", "a", "b", "e", "c"]  # breadth first ignores scores


def test_a_score_is_computed_once() -> None:
    frontier = new(scored("a", Lane.P3, 10), scored("b", Lane.P3, 20), strategy=Strategy.BEST_FIRST)
    frontier.add(scored("a", Lane.P0, 1_000, 0))
    assert (popped(frontier), frontier.depth(0)) == (["b", "a"], 0)


def test_a_skipped_url_gets_its_score_when_it_joins() -> None:
    frontier = new(way("a", skip=Reason.NOFOLLOW), scored("b", Lane.P3, 20), strategy=Strategy.BEST_FIRST)
    assert [row.lane for row in frontier.ledger({})] == [None, Lane.P3]
    frontier.add(scored("a", Lane.P3, 30))
    assert [row.score for row in frontier.ledger({})] == [0.03, 0.02]
    assert popped(frontier) == ["a", "b"]


@pytest.mark.parametrize("strategy", Strategy)
def test_an_evicted_url_has_its_lane_and_score_as_detail(strategy: Strategy) -> None:
    frontier = new(*SCORED, strategy=strategy)
    frontier.limit_waiting(3)
    changes = frontier.changes()
    details = ["lane p3, score 0.900", "lane p3, score 0.901", "", "", ""]
    assert [change_of(row, {}).detail for row in changes] == details
    assert [row.detail for row in frontier.ledger({})] == details
    rebuilt = Frontier(strategy)
    rebuilt.apply(changes)
    rebuilt.restore_queues()
    for one in (frontier, rebuilt):
        assert "e" in popped(one)
        one.plan(4, wave=1, batch=0)
        for index in (2, 3):
            one.put_back(index)
        one.add(scored("f", Lane.P3, 899))
        one.limit_waiting(3)
        assert sorted(popped(one)) == ["b", "c", "d"]  # the highest score came back
        assert one.evicted() == 2


def test_hosts_are_in_the_order_of_their_first_url() -> None:
    frontier = Frontier()
    for url, depth in (("https://b.example/1", 2), ("https://a.example/2", 1), ("https://a.example:81/3", 3)):
        frontier.add(
            FoundUrl(
                url=url,
                key=key_of(url[8:]),
                depth=depth,
                parent=NO_PARENT,
                found_by=FoundBy.LINK,
                phase=Phase.BFS,
                wave=1,
            )
        )
    assert frontier.hosts() == ["a.example", "b.example", "a.example:81"]
    assert frontier.pop("a.example") == 1
    assert frontier.hosts() == ["b.example", "a.example:81"]
    assert frontier.pop("a.example") is None
    assert frontier.pop("c.example") is None


def test_counts_are_by_state() -> None:
    frontier = new(way("a"), way("b"), way("c", skip=Reason.ASSET))
    frontier.plan(0, wave=1, batch=0)
    assert frontier.counts() == {UrlState.PENDING: 2, UrlState.SKIPPED: 1}
    assert frontier.waiting_indices() == [1]


def test_the_ledger_has_all_facts_about_a_url() -> None:
    frontier = new(way("a", 0, found_by=FoundBy.ROOT), way("b", 1, parent=0, wave=2))
    frontier.plan(1, wave=2, batch=0)
    frontier.settle(1, UrlState.FAILED, reason=Reason.DNS, detail="no such host", tries=300)
    first, second = frontier.ledger({1: 10.0, 2: 20.0})
    assert (first.url, first.parent, first.found_by, first.found_at) == (
        "https://example.com/a",
        "",
        FoundBy.ROOT,
        10.0,
    )
    assert (second.state, second.reason, second.detail, second.parent, second.found_at, second.tries, second.order) == (
        UrlState.FAILED, Reason.DNS, "no such host", "https://example.com/a", 20.0, 255, 1,
    )  # fmt: skip


def test_a_frontier_is_rebuilt_from_its_deltas() -> None:
    frontier = new(way("a", 0), way("b", 2), way("c", 1, skip=Reason.NOFOLLOW), way("d", 3))
    deltas = [list(frontier.changes())]
    for key in ("a", "d"):
        frontier.plan(index_of(frontier, key), wave=1, batch=0)
    deltas.append(list(frontier.changes()))
    frontier.settle(0, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=1)
    frontier.defer(3, reason=Reason.RESET, detail="broken", tries=1, due=4.0, not_before=40.0)
    frontier.add(way("c", 1))
    frontier.add(way("e", 1))
    deltas.append(list(frontier.changes()))
    frontier.wake(4.0)
    deltas.append(list(frontier.changes()))
    assert [len(rows) for rows in deltas] == [4, 2, 4, 1]
    rebuilt = Frontier()
    for rows in deltas:
        rebuilt.apply(rows)
    rebuilt.restore_queues()
    assert list(rebuilt.ledger({})) == list(frontier.ledger({}))
    assert (rebuilt.waiting, rebuilt.counts(), rebuilt.not_before(3)) == (frontier.waiting, frontier.counts(), 40.0)
    assert popped(rebuilt) == popped(frontier) == ["c", "e", "b", "d"]
    assert list(rebuilt.changes()) == []


def test_a_rebuilt_frontier_still_waits_for_what_is_deferred() -> None:
    frontier = new(way("a"))
    frontier.defer(0, reason=Reason.RESET, detail="broken", tries=1, due=4.0, not_before=40.0)
    rebuilt = Frontier()
    rebuilt.apply(frontier.changes())
    rebuilt.restore_queues()
    assert rebuilt.next_due() == 4.0
    assert [row.detail for row in rebuilt.ledger({})] == ["broken"]
    frontier.settle(0, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=2)
    rebuilt.apply(frontier.changes())
    assert rebuilt.next_due() is None
    assert [row.detail for row in rebuilt.ledger({})] == [""]


def test_a_held_url_is_due_at_no_time_of_the_plans_clock() -> None:
    frontier = new(way("a"), way("b"))
    held = index_of(frontier, "a")
    frontier.hold(held, reason=Reason.ROBOTS_UNREACHABLE, detail="HTTP 503")
    frontier.wake(1e300)
    assert (popped(frontier), frontier.held(), frontier.next_due(), frontier.waiting) == (["b"], [held], None, 2)
    row = next(frontier.ledger({}))
    assert (row.state, row.reason, row.detail) == (UrlState.DEFERRED, Reason.ROBOTS_UNREACHABLE, "HTTP 503")
    restored = Frontier()
    restored.apply(frontier.changes())
    restored.restore_queues()
    assert restored.held() == [held]
    restored.release(held)
    assert (restored.held(), popped(restored)) == ([], ["a", "b"])
