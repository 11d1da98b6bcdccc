from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.graph.walk import NO_NODE, UNSEEN, Graph, Walk


@dataclass(frozen=True, kw_only=True)
class Site:
    """A site as plain lists, from which `Graph` is built."""

    links: Sequence[Sequence[int]]
    redirects: Mapping[int, int] = field(default_factory=dict)
    outward: Mapping[int, int] = field(default_factory=dict)
    unfollowed: frozenset[tuple[int, int]] = frozenset()
    closed: frozenset[int] = frozenset()
    max_depth: int = 100
    max_redirects: int = 5

    def graph(self) -> Graph:
        first = array("q", [0])
        targets = array("q")
        for row in self.links:
            targets.extend(row)
            first.append(len(targets))
        pairs = [(node, target) for node, row in enumerate(self.links) for target in row]
        return Graph(
            first=first,
            targets=targets,
            followed=bytearray(pair not in self.unfollowed for pair in pairs),
            redirects=array("q", [self.redirects.get(node, NO_NODE) for node in range(len(self.links))]),
            outward=self.outward,
            closed=bytearray(node in self.closed for node in range(len(self.links))),
            max_depth=self.max_depth,
            max_redirects=self.max_redirects,
        )

    def walked(self, *roots: int) -> Walk:
        walk = Walk(self.graph())
        walk.start([(root, 0) for root in roots or (0,)], phase=Phase.BFS)
        return walk


def test_depth_and_parent_are_those_of_the_shortest_way() -> None:
    walk = Site(links=[[1, 2], [3], [3, 4], [0], []]).walked()
    assert list(walk.depth) == [0, 1, 1, 2, 2]
    assert list(walk.parent) == [NO_NODE, 0, 0, 1, 2]
    assert list(walk.order) == [0, 1, 2, 3, 4]


def test_what_nothing_leads_to_is_not_seen() -> None:
    walk = Site(links=[[], [0]]).walked()
    assert (list(walk.depth), list(walk.order), list(walk.admitted)) == ([0, UNSEEN], [0], [1, 0])


def test_a_redirect_costs_no_depth_and_keeps_the_parent() -> None:
    walk = Site(links=[[1], [], [3], []], redirects={1: 2}).walked()
    assert list(walk.depth) == [0, 1, 1, 2]
    assert list(walk.parent) == [NO_NODE, 0, 0, 2]


def test_a_redirect_may_bring_a_page_nearer_than_its_links_do() -> None:
    walk = Site(links=[[1, 2], [3], [], [4], []], redirects={2: 4, 4: 3}).walked()
    assert list(walk.depth) == [0, 1, 1, 1, 1]
    assert list(walk.parent) == [NO_NODE, 0, 0, 0, 0]


def test_a_page_that_was_brought_nearer_is_walked_once() -> None:
    # 3 is queued at depth 2 (by the late seed) when the redirect of 1 moves it to depth 1.
    walk = Walk(Site(links=[[1], [], [], [4], []], redirects={1: 3}).graph())
    walk.start([(0, 0), (3, 2)], phase=Phase.BFS)
    assert (list(walk.depth), list(walk.order)) == ([0, 1, UNSEEN, 1, 2], [0, 3, 1, 4])


@pytest.mark.parametrize(("most", "admitted"), [(0, [1, 1, 0, 0]), (1, [1, 1, 1, 0]), (2, [1, 1, 1, 1])])
def test_redirects_in_a_row_are_followed_up_to_the_limit(most: int, admitted: list[int]) -> None:
    walk = Site(links=[[1], [], [], []], redirects={1: 2, 2: 3}, max_redirects=most).walked()
    assert list(walk.admitted) == admitted


def test_a_link_begins_a_new_row_of_redirects() -> None:
    walk = Site(links=[[1], [], [3], [], []], redirects={1: 2, 3: 4}, max_redirects=1).walked()
    assert list(walk.depth) == [0, 1, 1, 2, 2]
    assert list(walk.admitted) == [1, 1, 1, 1, 1]


def test_redirects_in_a_circle_end() -> None:
    walk = Site(links=[[1], [], []], redirects={1: 2, 2: 1}).walked()
    assert (list(walk.depth), list(walk.order)) == ([0, 1, 1], [0, 1, 2])


def test_where_a_redirect_leads_outside_is_seen_and_not_walked() -> None:
    walk = Site(links=[[1], [], [3], []], outward={1: 2}, closed=frozenset({2})).walked()
    assert (list(walk.depth), list(walk.parent)) == ([0, 1, 1, UNSEEN], [NO_NODE, 0, 0, NO_NODE])
    assert list(walk.admitted) == [1, 1, 0, 0]


@pytest.mark.parametrize("limits", [{"unfollowed": frozenset({(0, 1)})}, {"closed": frozenset({1})}, {"max_depth": 0}])
def test_a_link_that_may_not_be_followed_is_seen_and_not_walked(limits: dict[str, frozenset[int]]) -> None:
    walk = Site(links=[[1], [2], []], **limits).walked()  # type: ignore[arg-type]
    assert (list(walk.depth), list(walk.admitted)) == ([0, 1, UNSEEN], [1, 0, 0])


def test_a_followed_way_outweighs_a_shorter_one_that_is_not() -> None:
    walk = Site(links=[[2, 1], [2], [2]], unfollowed=frozenset({(0, 2)})).walked()
    assert (walk.depth[2], walk.parent[2], list(walk.admitted)) == (2, 1, [1, 1, 1])
    assert list(walk.order) == [0, 2, 1]


def test_the_first_way_that_is_not_followed_is_remembered() -> None:
    site = Site(links=[[2, 1], [2], []], unfollowed=frozenset({(0, 2), (1, 2)}))
    assert (site.walked().depth[2], site.walked().parent[2]) == (1, 0)


def test_a_later_phase_leaves_what_was_reached_as_it_is() -> None:
    walk = Site(links=[[1], [], [3, 1], [0]]).walked()
    walk.start([(1, 2), (2, 2)], phase=Phase.SITEMAP)
    assert list(walk.depth) == [0, 1, 2, 3]
    assert list(walk.parent) == [NO_NODE, 0, NO_NODE, 2]
    assert walk.phase == [Phase.BFS, Phase.BFS, Phase.SITEMAP, Phase.ORPHAN]


@pytest.mark.parametrize(
    ("redirects", "node", "end", "chain"),
    [
        ({}, 0, 0, [0]),
        ({0: 1, 1: 2}, 0, 2, [0, 1, 2]),
        ({0: 1, 1: 2, 2: 0}, 0, 0, [0, 1, 2, 0]),
        ({0: 1, 1: 2, 2: 1}, 0, 0, [0, 1, 2, 1]),
        ({0: 0}, 0, 0, [0, 0]),
    ],
)
def test_a_chain_of_redirects_ends_where_it_leads_or_turns(
    redirects: dict[int, int], node: int, end: int, chain: list[int]
) -> None:
    graph = Site(links=[[], [], []], redirects=redirects).graph()
    assert (graph.ends()[node], graph.chain_of(node, most=9), len(graph)) == (end, chain, 3)


@given(st.integers(1, 8).flatmap(lambda count: st.lists(st.integers(-1, count - 1), min_size=count, max_size=count)))
def test_redirects_end_where_following_each_by_itself_ends(redirects: list[int]) -> None:
    site = Site(links=[[] for _ in redirects], redirects={n: to for n, to in enumerate(redirects) if to != NO_NODE})
    ends = site.graph().ends()
    assert len(ends) == len(redirects)
    for node, end in enumerate(ends):
        here = node
        for _ in redirects:
            here = redirects[here] if redirects[here] != NO_NODE else here
        assert end == (here if redirects[here] == NO_NODE else node)


def test_a_chain_is_followed_so_far() -> None:
    graph = Site(links=[[], [], []], redirects={0: 1, 1: 2}).graph()
    assert [graph.chain_of(0, most=most) for most in (1, 2, 3)] == [[0, 1], [0, 1, 2], [0, 1, 2]]


@st.composite
def sites(draw: st.DrawFn) -> Site:
    count = draw(st.integers(1, 8))
    nodes = st.integers(0, count - 1)
    pairs = st.tuples(nodes, nodes)
    return Site(
        links=draw(st.lists(st.lists(nodes, max_size=4), min_size=count, max_size=count)),
        redirects=draw(st.dictionaries(nodes, nodes, max_size=3)),
        unfollowed=draw(st.frozensets(pairs, max_size=4)),
        closed=draw(st.frozensets(nodes.filter(bool), max_size=2)),
        max_depth=draw(st.integers(0, 9)),
        max_redirects=count,
    )


def shortest_ways(site: Site) -> dict[int, int]:
    """0-1 breadth-first search: redirects go to the front of the queue, links to its end."""
    depths = {0: 0}
    queue = deque([0])
    while queue:
        node = queue.popleft()
        steps = [(site.redirects[node], 0)] if node in site.redirects else []
        steps += [(target, 1) for target in site.links[node] if (node, target) not in site.unfollowed]
        for target, length in steps:
            depth = depths[node] + length
            if target in site.closed or (length and depth > site.max_depth) or depth >= depths.get(target, 99):
                continue
            depths[target] = depth
            (queue.append if length else queue.appendleft)(target)
    return depths


@given(sites())
def test_depths_are_those_of_a_plain_search(site: Site) -> None:
    walk = site.walked()
    assert {node: walk.depth[node] for node, admitted in enumerate(walk.admitted) if admitted} == shortest_ways(site)


@given(sites())
def test_every_node_is_seen_once_and_one_below_its_parent(site: Site) -> None:
    walk = site.walked()
    assert sorted(walk.order) == [node for node, depth in enumerate(walk.depth) if depth != UNSEEN]
    for node in walk.order:
        parent = walk.parent[node]
        assert (walk.depth[node] == 0) if parent == NO_NODE else (walk.depth[node] == walk.depth[parent] + 1)
