"""Depths and parents on the final graph, by an exact breadth-first search.

Nodes are numbers. A link leads one level down. A redirect is an edge of length 0: its target takes the depth and the
parent of the redirecting page. The queue of a level has the link targets of the level above, in queue order and link
order; targets of redirects within the level are appended.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from wavecrawl.domain.crawl.ledger import Phase

NO_NODE = -1
UNSEEN = -1
_VISITING, _ENDS, _LOOPS = 1, 2, 3  # states of a node's redirects


class Graph(msgspec.Struct, frozen=True, kw_only=True):
    """A site as numbers. The links of node n are those from `first[n]` to before `first[n + 1]`."""

    first: "array[int]"
    targets: "array[int]"
    followed: bytearray  # for each link, whether it may be followed
    redirects: "array[int]"  # for each node, its redirect target on the site, or NO_NODE
    outward: Mapping[int, int]  # redirects to URLs that cannot be crawled
    closed: bytearray  # for each node, whether its URL is never requested: out of scope, an asset or denied
    max_depth: int  # of link targets
    max_redirects: int  # in a row; 0 if redirects are not followed

    def __len__(self) -> int:
        return len(self.redirects)

    def ends(self) -> "array[int]":
        """Return the end of each node's redirects; the node itself if they form a loop."""
        ends = array("q", range(len(self)))
        marks = bytearray(len(self))
        for node in range(len(self)):
            passed: list[int] = []
            end = node
            while not marks[end] and self.redirects[end] != NO_NODE:
                marks[end] = _VISITING
                passed.append(end)
                end = self.redirects[end]
            loops = marks[end] in (_VISITING, _LOOPS)
            for step in passed:
                marks[step] = _LOOPS if loops else _ENDS
                ends[step] = step if loops else ends[end]
        return ends

    def chain_of(self, node: int, *, most: int) -> list[int]:
        """Return the nodes of a redirect chain from `node`, after at most `most` redirects.

        If the chain is a loop, the node that closes it is repeated at the end.
        """
        chain = {node: None}
        for _ in range(most):
            following = self.redirects[node]
            if following == NO_NODE:
                break
            if following in chain:
                return [*chain, following]
            chain[following] = None
            node = following
        return list(chain)


@dataclass(slots=True)
class Walk:
    """A walk over a graph; its results are lists by node."""

    graph: Graph
    depth: "array[int]" = field(init=False)  # UNSEEN if no path leads to the node
    parent: "array[int]" = field(init=False)
    phase: list[Phase] = field(init=False)
    order: "array[int]" = field(init=False)  # nodes in order of discovery
    admitted: bytearray = field(init=False)
    _chain: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.graph)
        self.depth = array("i", [UNSEEN]) * count
        self.parent = array("q", [NO_NODE]) * count
        self.phase = [Phase.BFS] * count
        self.order = array("q")
        self.admitted = bytearray(count)

    def start(self, seeds: Iterable[tuple[int, int]], *, phase: Phase) -> None:
        """Walk from (node, depth) seeds, ordered by depth; nodes that are already reached do not change."""
        found_in = Phase.BFS if phase is Phase.BFS else Phase.ORPHAN
        levels: dict[int, list[int]] = {}
        for node, depth in seeds:
            if self._reach(node, depth, NO_NODE, phase, admit=True):
                levels.setdefault(depth, []).append(node)
        while levels:
            depth = min(levels)
            below = self._walk_level(levels.pop(depth), depth, found_in)
            if below:
                levels.setdefault(depth + 1, []).extend(below)

    def _walk_level(self, queue: list[int], depth: int, phase: Phase) -> list[int]:
        graph = self.graph
        below: list[int] = []
        for node in queue:  # redirect targets are appended in the loop
            if self.depth[node] != depth:
                continue  # a redirect has moved it up
            if graph.redirects[node] != NO_NODE:
                self._follow_redirect(node, queue, phase)
            elif node in graph.outward:
                self._reach(graph.outward[node], depth, self.parent[node], phase, admit=False)
            may_go_deeper = depth < graph.max_depth
            for link in range(graph.first[node], graph.first[node + 1]):
                admit = may_go_deeper and bool(graph.followed[link])
                if self._reach(graph.targets[link], depth + 1, node, phase, admit=admit):
                    below.append(graph.targets[link])
        return below

    def _follow_redirect(self, node: int, queue: list[int], phase: Phase) -> None:
        target = self.graph.redirects[node]
        chain = self._chain.get(node, 0) + 1
        if self._reach(target, self.depth[node], self.parent[node], phase, admit=chain <= self.graph.max_redirects):
            self._chain[target] = chain
            queue.append(target)

    def _reach(self, node: int, depth: int, parent: int, phase: Phase, *, admit: bool) -> bool:
        """Record a path to a node; return whether to walk on from the node."""
        known = self.depth[node]
        admit = admit and not self.graph.closed[node]
        if self.admitted[node] and (not admit or known <= depth):
            return False
        if known == UNSEEN:
            self.order.append(node)
        if not admit and known != UNSEEN:
            return False
        self.depth[node], self.parent[node], self.phase[node] = depth, parent, phase
        self.admitted[node] |= admit
        self._chain.pop(node, None)
        return admit
