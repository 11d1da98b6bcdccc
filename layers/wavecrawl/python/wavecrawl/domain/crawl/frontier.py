"""The frontier: all discovered URLs of a crawl with their states, and the pending ones in crawl order.

Crawl order is depth, then order of discovery. URLs are stored in columns instead of objects, as there may be millions.
Each wave stores only its changes (`changes`); `apply` replays them.
"""

from array import array
from collections.abc import Iterator
from heapq import heappop, heappush

from wavecrawl.domain.crawl.frontier_rows import (
    FOUND_BY_CODE,
    FOUND_BYS,
    NO_PARENT,
    PHASE_CODE,
    PHASES,
    REASON_CODE,
    REASONS,
    STATE_CODE,
    STATES,
    FoundUrl,
    Row,
)
from wavecrawl.domain.crawl.ledger import LedgerRow
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState

_PENDING = STATE_CODE[UrlState.PENDING]
_DEFERRED = STATE_CODE[UrlState.DEFERRED]
_SKIPPED = STATE_CODE[UrlState.SKIPPED]
_DENIED = STATE_CODE[UrlState.ROBOTS_DENIED]
_BATCH_FAILED = REASON_CODE[Reason.BATCH_FAILED]
_OUTSIDE = (_SKIPPED, _DENIED)  # not in the frontier
_WAITING = (_PENDING, _DEFERRED)
_PLANNED = 255  # in a batch of the current wave; reported as PENDING

# Reasons that depend on how the URL was found: another link may still add it to the frontier.
_REVOCABLE = frozenset(
    REASON_CODE[reason]
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
_MAX_BATCHES = 1_000_000  # per wave


class Frontier:
    """All URLs of one crawl. An index is a URL's position in the order of discovery."""

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
        """Number of pending and deferred URLs."""
        self.relaxed: list[int] = []
        """Finished pages to which a shorter path was found afterwards; their links must be followed again."""

    def __len__(self) -> int:
        return len(self._urls)

    def find(self, key: str) -> int | None:
        """Return the index of a url key, or None if it is unknown."""
        return self._index.get(key)

    def url(self, index: int) -> str:
        """Return the fetch URL."""
        return self._urls[index]

    def key(self, index: int) -> str:
        """Return the url key."""
        return self._keys[index]

    def depth(self, index: int) -> int:
        """Return the number of links on the shortest known path from the root."""
        return self._depth[index]

    def parent(self, index: int) -> int:
        """Return the index of the page it was found on, or NO_PARENT."""
        return self._parent[index]

    def chain(self, index: int) -> int:
        """Return the number of redirects in a row that led to it."""
        return self._chain[index]

    def tries(self, index: int) -> int:
        """Return the number of tries so far."""
        return self._tries[index]

    def batch(self, index: int) -> tuple[int, int]:
        """Return wave and batch number of its latest batch."""
        return divmod(self._batch[index], _MAX_BATCHES)

    def planned(self, index: int) -> bool:
        """Return whether it is in a batch of the current wave."""
        return self._state[index] == _PLANNED

    def not_before(self, index: int) -> float:
        """Return the Unix time before which it must not be retried; 0 = any time."""
        return self._not_before.get(index, 0.0)

    def must_be_alone(self, index: int) -> bool:
        """Return whether it must have a batch of its own: the batch that it shared failed too often."""
        return self._reason[index] == _BATCH_FAILED

    def state(self, index: int) -> UrlState:
        """Return the state."""
        code = self._state[index]
        return UrlState.PENDING if code == _PLANNED else STATES[code]

    def ignores_link(self, key: str, depth: int) -> bool:
        """Return whether a link to `key` at `depth` changes nothing, as nearly all links do (a fast path)."""
        index = self._index.get(key)
        return index is not None and self._depth[index] <= depth and self._state[index] != _SKIPPED

    def lacks(self, key: str) -> bool:
        """Return whether a URL is not in the frontier: unknown, skipped or denied."""
        index = self._index.get(key)
        return index is None or self._state[index] in _OUTSIDE

    def add(self, found: FoundUrl) -> None:
        """Add a reference to a URL: the URL joins the frontier, moves nearer to the root, or stays as it is."""
        index = self._index.get(found.key)
        if index is None:
            self._append(found)
        elif found.skip:
            return
        elif self._state[index] in _OUTSIDE:
            if self._reason[index] in _REVOCABLE:
                self._move(index, found)
                self._set_state(index, _PENDING, Reason.NONE)
                self._push(index)
        elif found.depth < self._depth[index]:
            self._move(index, found)
            if self._state[index] == _PENDING:
                self._push(index)
            elif self._state[index] not in (_DEFERRED, _PLANNED):
                self.relaxed.append(index)

    def pop(self) -> int | None:
        """Remove and return the next pending URL in crawl order, or None."""
        while self._heap:
            entry = heappop(self._heap)
            while self._heap and self._heap[0] == entry:
                heappop(self._heap)
            index = entry & ((1 << _ORDER_BITS) - 1)
            if self._state[index] == _PENDING and self._depth[index] == entry >> _ORDER_BITS:
                return index
        return None

    def put_back(self, index: int) -> None:
        """Return a popped URL to the queue."""
        self._push(index)

    def plan(self, index: int, *, wave: int, batch: int) -> None:
        """Assign a URL to a batch of the current wave."""
        self._due.pop(index, None)
        self._set_state(index, _PLANNED, Reason.NONE)
        self._batch[index] = wave * _MAX_BATCHES + batch

    def settle(self, index: int, state: UrlState, *, reason: Reason, detail: str, tries: int) -> None:
        """Record the terminal state of a URL."""
        self._tries[index] = min(tries, 255)
        self._set_state(index, STATE_CODE[state], reason, detail)
        self._not_before.pop(index, None)
        self._due.pop(index, None)

    def defer(self, index: int, *, reason: Reason, detail: str, tries: int, due: float, not_before: float) -> None:
        """Defer a URL to a retry: `due` on the plan's clock, `not_before` in Unix seconds."""
        self._tries[index] = min(tries, 255)
        self._set_state(index, _DEFERRED, reason, detail)
        self._due[index] = due
        self._not_before[index] = not_before

    def wake(self, clock: float) -> None:
        """Make deferred URLs pending if they are due at `clock`, a time of the plan's clock."""
        for index in [i for i, due in self._due.items() if due <= clock]:
            del self._due[index]
            self._set_state(index, _PENDING, Reason.NONE)
            self._push(index)

    def next_due(self) -> float | None:
        """Return when the next deferred URL is due on the plan's clock; None if none is deferred."""
        return min(self._due.values(), default=None)

    def skip_waiting(self, reason: Reason) -> None:
        """Skip all unfinished URLs, as the crawl ends."""
        for index, code in enumerate(self._state):
            if code in (_PENDING, _DEFERRED, _PLANNED):
                self._set_state(index, _SKIPPED, reason)
        self._due.clear()
        self._heap.clear()

    def waiting_indices(self) -> list[int]:
        """Return the pending and deferred URLs."""
        return [index for index, code in enumerate(self._state) if code in _WAITING]

    def counts(self) -> dict[UrlState, int]:
        """Return the number of URLs in each state."""
        found = {state: self._state.count(code) for code, state in enumerate(STATES)}
        found[UrlState.PENDING] += self._state.count(_PLANNED)
        return {state: count for state, count in found.items() if count}

    def changes(self) -> list[Row]:
        """Return the rows that changed since the last call, ordered by index."""
        changed = sorted(self._touched | set(range(self._first_new, len(self._urls))))
        self._touched.clear()
        self._first_new = len(self._urls)
        return [self._row(index) for index in changed]

    def apply(self, rows: list[Row]) -> None:
        """Replay the changes of a wave. Call `restore_queue` after the last one."""
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

    def restore_queue(self) -> None:
        """Restore the queue of pending URLs after the last `apply`."""
        self.waiting = self._state.count(_PENDING) + self._state.count(_DEFERRED)
        self._heap = sorted(
            (self._depth[index] << _ORDER_BITS) | index for index, code in enumerate(self._state) if code == _PENDING
        )

    def ledger(self, times: dict[int, float]) -> Iterator[LedgerRow]:
        """Yield the ledger in order of discovery; `times` maps each wave to the Unix time of its plan."""
        for index, url in enumerate(self._urls):
            parent = self._parent[index]
            yield LedgerRow(
                order=index,
                url=url,
                key=self._keys[index],
                state=self.state(index),
                reason=REASONS[self._reason[index]],
                detail=self._detail.get(index, ""),
                depth=self._depth[index],
                parent="" if parent == NO_PARENT else self._urls[parent],
                found_by=FOUND_BYS[self._found_by[index]],
                phase=PHASES[self._phase[index]],
                wave=self._wave[index],
                found_at=times.get(self._wave[index], 0.0),
                tries=self._tries[index],
            )

    def _append(self, found: FoundUrl) -> None:
        index = self._grow(found.url, found.key)
        self._move(index, found)
        self._found_by[index] = FOUND_BY_CODE[found.found_by]
        self._phase[index] = PHASE_CODE[found.phase]
        self._wave[index] = found.wave
        self._set_state(index, _state_of(found.skip), found.skip, found.detail)
        if not found.skip:
            self._push(index)

    def _grow(self, url: str, key: str) -> int:
        index = len(self._urls)
        self._index[key] = index
        self._urls.append(url)
        self._keys.append(key)
        for numbers in (self._depth, self._parent, self._wave, self._batch):
            numbers.append(0)
        for codes in (self._reason, self._found_by, self._phase, self._tries, self._chain):
            codes.append(0)
        self._state.append(_PLANNED)  # not counted as waiting until its first state is set
        return index

    def _move(self, index: int, found: FoundUrl) -> None:
        self._depth[index] = found.depth
        self._parent[index] = found.parent
        self._chain[index] = min(found.chain, 255)
        self._touched.add(index)

    def _push(self, index: int) -> None:
        heappush(self._heap, (self._depth[index] << _ORDER_BITS) | index)

    def _set_state(self, index: int, code: int, reason: Reason, detail: str = "") -> None:
        self.waiting += (code in _WAITING) - (self._state[index] in _WAITING)
        self._state[index] = code
        self._reason[index] = REASON_CODE[reason]
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
