"""Depths and parents on the final graph (spec [11]): exact breadth-first search, whatever order pages came in.

Nodes are numbers. Links lead one level down; a redirect is an edge of length 0, its target takes the depth and the
parent of the page that redirects. The queue of one level holds the targets of the links of the level before, in queue
order, then link position; targets of its own redirects follow as they come up.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wavecrawl.domain.crawl.ledger import Phase

NOBODY = -1
UNSEEN = -1
_PASSING, _ENDING, _TURNING = 1, 2, 3  # what is known of a node's redirects: under way, they end, they lead in a circle


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """A site as numbers. The links of node n are those from `first[n]` to before `first[n + 1]`."""

    first: "array[int]"
    targets: "array[int]"
    followed: bytearray  # for each link, whether it may be followed
    redirects: "array[int]"  # for each node, where on the site it redirects, or NOBODY
    outward: Mapping[int, int]  # redirects to what cannot be crawled
    closed: bytearray  # for each node, whether its URL can never be requested: outside, an asset, denied
    max_depth: int  # of what links lead to
    max_redirects: int  # in a row; 0 where redirects are not followed

    def __len__(self) -> int:
        return len(self.redirects)

    def ends(self) -> "array[int]":
        """Return for each node where its redirects end; the node itself where they lead round in a circle."""
        ends = array("q", range(len(self)))
        marks = bytearray(len(self))
        for node in range(len(self)):
            passed: list[int] = []
            end = node
            while not marks[end] and self.redirects[end] != NOBODY:
                marks[end] = _PASSING
                passed.append(end)
                end = self.redirects[end]
            turns = marks[end] in (_PASSING, _TURNING)
            for step in passed:
                marks[step] = _TURNING if turns else _ENDING
                ends[step] = step if turns else ends[end]
        return ends

    def chain_of(self, node: int, *, most: int) -> list[int]:
        """Return the nodes that redirects lead through, `node` first; the last one twice where they go in a circle.

        At most so many redirects are followed.
        """
        chain = {node: None}
        for _ in range(most):
            following = self.redirects[node]
            if following == NOBODY:
                break
            if following in chain:
                return [*chain, following]
            chain[following] = None
            node = following
        return list(chain)


@dataclass(slots=True)
class Walk:
    """What one walk found, by node."""

    graph: Graph
    depth: "array[int]" = field(init=False)  # UNSEEN where nothing leads
    parent: "array[int]" = field(init=False)
    phase: list[Phase] = field(init=False)
    order: "array[int]" = field(init=False)  # nodes as they were first seen
    admitted: bytearray = field(init=False)
    _chain: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.graph)
        self.depth = array("i", [UNSEEN]) * count
        self.parent = array("q", [NOBODY]) * count
        self.phase = [Phase.BFS] * count
        self.order = array("q")
        self.admitted = bytearray(count)

    def start(self, seeds: Iterable[tuple[int, int]], *, phase: Phase) -> None:
        """Walk from (node, depth) seeds, given by rising depth; those that are reached already stay as they are."""
        found_in = Phase.BFS if phase is Phase.BFS else Phase.ORPHAN
        levels: dict[int, list[int]] = {}
        for node, depth in seeds:
            if self._see(node, depth, NOBODY, phase, admit=True):
                levels.setdefault(depth, []).append(node)
        while levels:
            depth = min(levels)
            below = self._walk_level(levels.pop(depth), depth, found_in)
            if below:
                levels.setdefault(depth + 1, []).extend(below)

    def _walk_level(self, queue: list[int], depth: int, phase: Phase) -> list[int]:
        graph = self.graph
        below: list[int] = []
        for node in queue:  # which grows while redirects come up
            if self.depth[node] != depth:
                continue  # a redirect has brought it nearer meanwhile
            if graph.redirects[node] != NOBODY:
                self._follow_redirect(node, queue, phase)
            elif node in graph.outward:
                self._see(graph.outward[node], depth, self.parent[node], phase, admit=False)
            may_go_deeper = depth < graph.max_depth
            for link in range(graph.first[node], graph.first[node + 1]):
                admit = may_go_deeper and bool(graph.followed[link])
                if self._see(graph.targets[link], depth + 1, node, phase, admit=admit):
                    below.append(graph.targets[link])
        return below

    def _follow_redirect(self, node: int, queue: list[int], phase: Phase) -> None:
        target = self.graph.redirects[node]
        chain = self._chain.get(node, 0) + 1
        if self._see(target, self.depth[node], self.parent[node], phase, admit=chain <= self.graph.max_redirects):
            self._chain[target] = chain
            queue.append(target)

    def _see(self, node: int, depth: int, parent: int, phase: Phase, *, admit: bool) -> bool:
        """Take note of a way to a node; return whether the node has to be walked on from, by this way."""
        seen = self.depth[node]
        admit = admit and not self.graph.closed[node]
        if self.admitted[node] and (not admit or seen <= depth):
            return False
        if seen == UNSEEN:
            self.order.append(node)
        if not admit and seen != UNSEEN:
            return False
        self.depth[node], self.parent[node], self.phase[node] = depth, parent, phase
        self.admitted[node] |= admit
        self._chain.pop(node, None)
        return admit
