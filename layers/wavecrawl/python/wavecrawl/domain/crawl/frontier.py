"""The frontier: every URL ever seen in one crawl, with its state, and those waiting in crawl order.

Crawl order is depth, then order of discovery. URLs live in columns, not objects, because a crawl may know millions.
A frontier is rebuilt from the deltas of its waves (`changes` and `apply`), so that no wave rewrites the whole.
"""

from array import array
from collections.abc import Iterator
from heapq import heappop, heappush

from msgspec import Struct

from wavecrawl.domain.crawl.ledger import FoundBy, LedgerRow, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState

NOBODY = -1  # the parent of the root and of URLs from sitemaps and lists

_STATES = tuple(UrlState)
_REASONS = tuple(Reason)
_FOUND_BY = tuple(FoundBy)
_PHASES = tuple(Phase)
_STATE_CODE = {state: code for code, state in enumerate(_STATES)}
_REASON_CODE = {reason: code for code, reason in enumerate(_REASONS)}
_FOUND_BY_CODE = {found: code for code, found in enumerate(_FOUND_BY)}
_PHASE_CODE = {phase: code for code, phase in enumerate(_PHASES)}

_PENDING = _STATE_CODE[UrlState.PENDING]
_DEFERRED = _STATE_CODE[UrlState.DEFERRED]
_SKIPPED = _STATE_CODE[UrlState.SKIPPED]
_DENIED = _STATE_CODE[UrlState.ROBOTS_DENIED]
_OUTSIDE = (_SKIPPED, _DENIED)  # not in the frontier
_WAITING = (_PENDING, _DEFERRED)
_PLANNED = 255  # in a batch of the wave under way; people see PENDING

# Reasons that lie in the way a URL was found: a better way brings it in after all.
_REVOCABLE = frozenset(
    _REASON_CODE[reason]
    for reason in (
        Reason.NOFOLLOW,
        Reason.MAX_DEPTH,
        Reason.REDIRECT_LIMIT,
        Reason.LINKS_NOT_FOLLOWED,
        Reason.REDIRECTS_NOT_FOLLOWED,
        Reason.FRONTIER_CAP,
    )
)
_ORDER_BITS = 40
_MOST_BATCHES = 1_000_000  # of one wave


class Sighting(Struct, frozen=True, kw_only=True, gc=False):
    """One way to a URL."""

    url: str
    key: str
    depth: int
    parent: int  # index of the page it stands on, or NOBODY
    found_by: FoundBy
    phase: Phase
    wave: int
    chain: int = 0  # redirects that led here, one after the other
    skip: Reason = Reason.NONE  # why this way must not be taken
    detail: str = ""  # more of that, for people


class Row(Struct, frozen=True, gc=False):
    """One URL as a delta stores it. Codes are positions in the enumerations, so those may only ever grow at the end."""

    index: int
    url: str
    key: str
    depth: int
    parent: int
    state: int
    reason: int
    found_by: int
    phase: int
    wave: int
    tries: int
    chain: int
    batch: int
    due: float
    not_before: float
    detail: str


class Frontier:
    """All URLs of one crawl. Indices are orders of discovery; they never change."""

    __slots__ = (
        "_batch", "_chain", "_depth", "_detail", "_due", "_first_new", "_found_by", "_heap", "_index", "_keys",
        "_not_before", "_parent", "_phase", "_reason", "_state", "_touched", "_tries", "_urls", "_wave",
        "relaxed", "waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._urls: list[str] = []
        self._keys: list[str] = []
        self._depth = array("i")
        self._parent = array("q")
        self._state = bytearray()
        self._reason = bytearray()
        self._found_by = bytearray()
        self._phase = bytearray()
        self._wave = array("i")
        self._tries = bytearray()
        self._chain = bytearray()
        self._batch = array("q")
        self._detail: dict[int, str] = {}
        self._due: dict[int, float] = {}
        self._not_before: dict[int, float] = {}
        self._heap: list[int] = []
        self._touched: set[int] = set()
        self._first_new = 0
        self.waiting = 0
        """How many URLs wait to be planned: pending and deferred ones."""
        self.relaxed: list[int] = []
        """Pages that were done before a shorter way to them was found: their links want another look."""

    def __len__(self) -> int:
        return len(self._urls)

    def find(self, key: str) -> int | None:
        """Return the index of a url key, or None where it was never seen."""
        return self._index.get(key)

    def url(self, index: int) -> str:
        """Return the fetch URL."""
        return self._urls[index]

    def key(self, index: int) -> str:
        """Return the url key."""
        return self._keys[index]

    def depth(self, index: int) -> int:
        """Return the links from the root on the shortest way known."""
        return self._depth[index]

    def parent(self, index: int) -> int:
        """Return the index of the page it was found on, or NOBODY."""
        return self._parent[index]

    def chain(self, index: int) -> int:
        """Return how many redirects in a row led to it."""
        return self._chain[index]

    def tries(self, index: int) -> int:
        """Return how often it has been tried."""
        return self._tries[index]

    def batch(self, index: int) -> tuple[int, int]:
        """Return wave and number of the batch it was last planned in."""
        return divmod(self._batch[index], _MOST_BATCHES)

    def planned(self, index: int) -> bool:
        """Tell whether it is in a batch of the wave under way."""
        return self._state[index] == _PLANNED

    def not_before(self, index: int) -> float:
        """Return the Unix time before which it may not be tried again; 0 where any time is right."""
        return self._not_before.get(index, 0.0)

    def state(self, index: int) -> UrlState:
        """Return the state as people see it."""
        code = self._state[index]
        return UrlState.PENDING if code == _PLANNED else _STATES[code]

    def settled_link(self, key: str, depth: int) -> bool:
        """Tell, quickly, whether a link to `key` at `depth` changes nothing: the fate of nearly every link."""
        index = self._index.get(key)
        return index is not None and self._depth[index] <= depth and self._state[index] != _SKIPPED

    def closed(self, key: str) -> bool:
        """Tell whether a URL is not, or not yet, in the frontier: never seen, skipped or denied."""
        index = self._index.get(key)
        return index is None or self._state[index] in _OUTSIDE

    def sight(self, way: Sighting) -> None:
        """Take note of a way to a URL: it joins the frontier, or comes nearer to the root, or nothing changes."""
        index = self._index.get(way.key)
        if index is None:
            self._append(way)
        elif way.skip:
            return
        elif self._state[index] in _OUTSIDE:
            if self._reason[index] in _REVOCABLE:
                self._move(index, way)
                self._set_state(index, _PENDING, Reason.NONE)
                self._wait(index)
        elif way.depth < self._depth[index]:
            self._move(index, way)
            if self._state[index] == _PENDING:
                self._wait(index)
            elif self._state[index] not in (_DEFERRED, _PLANNED):
                self.relaxed.append(index)

    def pop(self) -> int | None:
        """Take the next pending URL in crawl order, or None where none waits."""
        while self._heap:
            entry = heappop(self._heap)
            while self._heap and self._heap[0] == entry:
                heappop(self._heap)
            index = entry & ((1 << _ORDER_BITS) - 1)
            if self._state[index] == _PENDING and self._depth[index] == entry >> _ORDER_BITS:
                return index
        return None

    def put_back(self, index: int) -> None:
        """Give a popped URL back to its place."""
        self._wait(index)

    def plan(self, index: int, *, wave: int, batch: int) -> None:
        """Mark a URL that waits as part of a batch of the wave under way."""
        self._due.pop(index, None)
        self._set_state(index, _PLANNED, Reason.NONE)
        self._batch[index] = wave * _MOST_BATCHES + batch

    def settle(self, index: int, state: UrlState, *, reason: Reason, detail: str, tries: int) -> None:
        """Write down how a try ended for good."""
        self._tries[index] = min(tries, 255)
        self._set_state(index, _STATE_CODE[state], reason, detail)
        self._not_before.pop(index, None)
        self._due.pop(index, None)

    def defer(self, index: int, *, reason: Reason, detail: str, tries: int, due: float, not_before: float) -> None:
        """Let a URL wait for another try: `due` on the plan's clock, `not_before` in Unix seconds."""
        self._tries[index] = min(tries, 255)
        self._set_state(index, _DEFERRED, reason, detail)
        self._due[index] = due
        self._not_before[index] = not_before

    def wake(self, clock: float) -> None:
        """Bring back the deferred URLs whose time on the plan's clock has come."""
        for index in [i for i, due in self._due.items() if due <= clock]:
            del self._due[index]
            self._set_state(index, _PENDING, Reason.NONE)
            self._wait(index)

    def next_due(self) -> float | None:
        """Return when, on the plan's clock, the next deferred URL is due; None where none is deferred."""
        return min(self._due.values(), default=None)

    def skip_waiting(self, reason: Reason) -> None:
        """Skip everything that is not done: the crawl ends here."""
        for index, code in enumerate(self._state):
            if code in (_PENDING, _DEFERRED, _PLANNED):
                self._set_state(index, _SKIPPED, reason)
        self._due.clear()
        self._heap.clear()

    def waiting_indices(self) -> list[int]:
        """Return the URLs that wait to be planned: pending and deferred ones."""
        return [index for index, code in enumerate(self._state) if code in _WAITING]

    def counts(self) -> dict[UrlState, int]:
        """Return how many URLs are in each state."""
        found = {state: self._state.count(code) for code, state in enumerate(_STATES)}
        found[UrlState.PENDING] += self._state.count(_PLANNED)
        return {state: count for state, count in found.items() if count}

    def changes(self) -> list[Row]:
        """Return what changed since the last call: the rows of the next delta, in order of index."""
        changed = sorted(self._touched | set(range(self._first_new, len(self._urls))))
        self._touched.clear()
        self._first_new = len(self._urls)
        return [self._row(index) for index in changed]

    def apply(self, rows: list[Row]) -> None:
        """Replay a delta. Call `rebuilt` after the last one."""
        for row in rows:
            if row.index == len(self._urls):
                self._grow(row.url, row.key)
            index = row.index
            self._depth[index], self._parent[index], self._state[index] = row.depth, row.parent, row.state
            self._reason[index], self._found_by[index], self._phase[index] = row.reason, row.found_by, row.phase
            self._wave[index], self._tries[index], self._chain[index] = row.wave, row.tries, row.chain
            self._batch[index] = row.batch
            for memory, value in ((self._due, row.due), (self._not_before, row.not_before)):
                memory.pop(index, None)
                if value:
                    memory[index] = value
            self._detail.pop(index, None)
            if row.detail:
                self._detail[index] = row.detail
        self._first_new = len(self._urls)

    def rebuilt(self) -> None:
        """Put the pending URLs back into crawl order, after the last `apply`."""
        self.waiting = self._state.count(_PENDING) + self._state.count(_DEFERRED)
        self._heap = sorted(
            (self._depth[index] << _ORDER_BITS) | index for index, code in enumerate(self._state) if code == _PENDING
        )

    def ledger(self, times: dict[int, float]) -> Iterator[LedgerRow]:
        """Yield the ledger in order of discovery; `times` gives the Unix time of each wave's plan."""
        for index, url in enumerate(self._urls):
            parent = self._parent[index]
            yield LedgerRow(
                order=index,
                url=url,
                key=self._keys[index],
                state=self.state(index),
                reason=_REASONS[self._reason[index]],
                detail=self._detail.get(index, ""),
                depth=self._depth[index],
                parent="" if parent == NOBODY else self._urls[parent],
                found_by=_FOUND_BY[self._found_by[index]],
                phase=_PHASES[self._phase[index]],
                wave=self._wave[index],
                found_at=times.get(self._wave[index], 0.0),
                tries=self._tries[index],
            )

    def _append(self, way: Sighting) -> None:
        index = self._grow(way.url, way.key)
        self._move(index, way)
        self._found_by[index] = _FOUND_BY_CODE[way.found_by]
        self._phase[index] = _PHASE_CODE[way.phase]
        self._wave[index] = way.wave
        self._set_state(index, _state_of(way.skip), way.skip, way.detail)
        if not way.skip:
            self._wait(index)

    def _grow(self, url: str, key: str) -> int:
        index = len(self._urls)
        self._index[key] = index
        self._urls.append(url)
        self._keys.append(key)
        for numbers in (self._depth, self._parent, self._wave, self._batch):
            numbers.append(0)
        self._state.append(_PLANNED)  # counted as waiting nowhere until its first state is set
        for codes in (self._reason, self._found_by, self._phase, self._tries, self._chain):
            codes.append(0)
        return index

    def _move(self, index: int, way: Sighting) -> None:
        self._depth[index] = way.depth
        self._parent[index] = way.parent
        self._chain[index] = min(way.chain, 255)
        self._touched.add(index)

    def _wait(self, index: int) -> None:
        heappush(self._heap, (self._depth[index] << _ORDER_BITS) | index)

    def _set_state(self, index: int, code: int, reason: Reason, detail: str = "") -> None:
        self.waiting += (code in _WAITING) - (self._state[index] in _WAITING)
        self._state[index] = code
        self._reason[index] = _REASON_CODE[reason]
        self._touched.add(index)
        if detail:
            self._detail[index] = detail
        else:
            self._detail.pop(index, None)

    def _row(self, index: int) -> Row:
        return Row(
            index,
            self._urls[index],
            self._keys[index],
            self._depth[index],
            self._parent[index],
            self._state[index],
            self._reason[index],
            self._found_by[index],
            self._phase[index],
            self._wave[index],
            self._tries[index],
            self._chain[index],
            self._batch[index],
            self._due.get(index, 0.0),
            self._not_before.get(index, 0.0),
            self._detail.get(index, ""),
        )


def _state_of(skip: Reason) -> int:
    if skip in (Reason.ROBOTS_RULE, Reason.ROBOTS_UNREACHABLE):
        return _DENIED
    return _SKIPPED if skip else _PENDING
