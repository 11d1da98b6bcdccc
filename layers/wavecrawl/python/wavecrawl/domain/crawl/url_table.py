"""The table of all discovered URLs of a crawl: their facts, their states, and what changed since the last wave.

URLs are stored in columns instead of objects, as there may be millions. Each wave stores only its changes (`changes`);
`apply` replays them.
"""

from array import array
from collections.abc import Iterator
from typing import TypeVar

from wavecrawl.domain.crawl.frontier_rows import (
    EVICTED,
    FOUND_BYS,
    MAX_BATCHES,
    NO_PARENT,
    PHASES,
    PLANNED,
    REASON_CODE,
    REASONS,
    STATES,
    WAITING,
    Row,
    state_of,
)
from wavecrawl.domain.crawl.ledger import LedgerRow
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState

_T = TypeVar("_T")

_BATCH_FAILED = REASON_CODE[Reason.BATCH_FAILED]


class UrlTable:
    """All URLs of one crawl. An index is a URL's position in the order of discovery."""

    __slots__ = (
        "_batch", "_chain", "_depth", "_detail", "_due", "_first_new", "_found_by", "_index", "_keys", "_losses",
        "_not_before", "_parent", "_phase", "_reason", "_state", "_touched", "_tries", "_urls", "_wave", "waiting",
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
        self._losses: dict[int, int] = {}
        self._due: dict[int, float] = {}
        self._not_before: dict[int, float] = {}
        self._touched: set[int] = set()
        self._first_new = 0
        self.waiting = 0
        """Number of pending and deferred URLs."""

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
        return divmod(self._batch[index], MAX_BATCHES)

    def planned(self, index: int) -> bool:
        """Return whether it is in a batch of the current wave."""
        return self._state[index] == PLANNED

    def not_before(self, index: int) -> float:
        """Return the Unix time before which it must not be retried; 0 = any time."""
        return self._not_before.get(index, 0.0)

    def must_be_alone(self, index: int) -> bool:
        """Return whether it must have a batch of its own: the batch that it shared failed too often."""
        return self._reason[index] == _BATCH_FAILED

    def state(self, index: int) -> UrlState:
        """Return the state."""
        return state_of(self._state[index])

    def waiting_indices(self) -> list[int]:
        """Return the pending and deferred URLs."""
        return [index for index, code in enumerate(self._state) if code in WAITING]

    def counts(self) -> dict[UrlState, int]:
        """Return the number of URLs in each state."""
        found = {state: self._state.count(code) for code, state in enumerate(STATES)}
        found[UrlState.PENDING] += self._state.count(PLANNED)
        found[UrlState.SKIPPED] += self._state.count(EVICTED)
        return {state: count for state, count in found.items() if count}

    def changes(self) -> list[Row]:
        """Return the rows that changed since the last call, ordered by index."""
        changed = sorted(self._touched | set(range(self._first_new, len(self._urls))))
        self._touched.clear()
        self._first_new = len(self._urls)
        return [self._row(index) for index in changed]

    def apply(self, rows: list[Row]) -> None:
        """Replay the changes of a wave."""
        for row in rows:
            if row.index == len(self._urls):
                self._grow(row.url, row.key)
            index = row.index
            self._depth[index], self._parent[index], self._state[index] = row.depth, row.parent, row.state
            self._reason[index], self._found_by[index], self._phase[index] = row.reason, row.found_by, row.phase
            self._wave[index], self._tries[index], self._chain[index] = row.wave, row.tries, row.chain
            self._batch[index] = row.batch
            _put(self._due, index, row.due)
            _put(self._not_before, index, row.not_before)
            _put(self._detail, index, row.detail)
            _put(self._losses, index, row.losses)
        self._first_new = len(self._urls)

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

    def _grow(self, url: str, key: str) -> int:
        index = len(self._urls)
        self._index[key] = index
        self._urls.append(url)
        self._keys.append(key)
        for numbers in (self._depth, self._parent, self._wave, self._batch):
            numbers.append(0)
        for codes in (self._reason, self._found_by, self._phase, self._tries, self._chain):
            codes.append(0)
        self._state.append(PLANNED)  # not counted as waiting until its first state is set
        return index

    def _set_state(self, index: int, code: int, reason: Reason, detail: str = "") -> None:
        self.waiting += (code in WAITING) - (self._state[index] in WAITING)
        self._state[index] = code
        self._reason[index] = REASON_CODE[reason]
        self._touched.add(index)
        _put(self._detail, index, detail)

    def _count_waiting(self) -> None:
        self.waiting = sum(self._state.count(code) for code in WAITING)

    def _indices_in(self, code: int) -> Iterator[int]:
        """Yield the URLs with this state code."""
        index = self._state.find(code)
        while index >= 0:
            yield index
            index = self._state.find(code, index + 1)

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
            self._losses.get(index, 0),
        )


def _put(values: dict[int, _T], index: int, value: _T) -> None:
    """Store a value that few URLs have."""
    values.pop(index, None)
    if value:
        values[index] = value
