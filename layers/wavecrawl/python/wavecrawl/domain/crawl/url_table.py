"""The table of all discovered URLs of a crawl: their facts, their states, and what changed since the last wave.

URLs are stored in columns instead of objects, as there may be millions. Each wave stores only its changes (`changes`);
`apply` replays them. From time to time the whole table is stored as well (`columns`), so that few waves are replayed.

The text of a URL that is never requested is only needed until the wave that found it is stored. Afterwards it is in the
changes of that wave, and the table has its key and its codes.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from sys import intern
from typing import TypeVar

from msgspec.structs import asdict

from wavecrawl.domain.crawl.frontier_rows import (
    EVICTED,
    FOUND_BY_CODE,
    FOUND_BYS,
    MAX_BATCHES,
    NEVER_REQUESTED,
    NO_PARENT,
    PHASES,
    PLANNED,
    REASON_CODE,
    REASONS,
    STATE_CODE,
    STATES,
    WAITING,
    Changes,
    Row,
    UrlColumns,
    detail_of,
    state_of,
)
from wavecrawl.domain.crawl.ledger import FoundBy, LedgerRow
from wavecrawl.domain.crawl.packed_texts import PackedTexts
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.url_keys import UrlKeys
from wavecrawl.domain.fetching.cookies import Cookies
from wavecrawl.domain.focus.score import UNSCORED, columns_of

_T = TypeVar("_T")

_BATCH_FAILED = REASON_CODE[Reason.BATCH_FAILED]
_OUTSIDE = (STATE_CODE[UrlState.SKIPPED], STATE_CODE[UrlState.ROBOTS_DENIED])
_WAITS = (*WAITING, PLANNED, EVICTED)
_NUMBERS = ("_depth", "_parent", "_wave", "_batch", "_score")
_CODES = ("_state", "_reason", "_found_by", "_phase", "_tries", "_chain")
_SPARSE = ("_detail", "_losses", "_due", "_not_before", "_documents", "_failed_renders", "_cookies", "_returned")
_ROOT = 0  # the index of the first URL
_OUT_OF_SCOPE = REASON_CODE[Reason.OUT_OF_SCOPE]
_BYTES_OF_A_VALUE = 250  # of an entry of a dict, with a text
_BYTES_OF_A_WAITING_URL = 40  # of its entry in a queue


class UrlTable:
    """All URLs of one crawl. An index is a URL's position in the order of discovery."""

    __slots__ = (
        "_batch", "_chain", "_cookies", "_depth", "_detail", "_documents", "_due", "_failed_renders", "_first_new",
        "_forgotten", "_found_by", "_keys", "_losses", "_not_before", "_parent", "_phase", "_reason", "_returned",
        "_score", "_state", "_texts", "_touched", "_tries", "_urls", "_wave", "waiting",
    )  # fmt: skip

    def __init__(self, *, keeps_outside: bool = False) -> None:
        """`keeps_outside`: whether the texts of URLs that are out of scope are needed, such as to check them."""
        self._forgotten = NEVER_REQUESTED - {_OUT_OF_SCOPE} if keeps_outside else NEVER_REQUESTED
        self._urls = PackedTexts()
        self._keys = UrlKeys()
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
        self._score = array("Q")
        self._detail: dict[int, str] = {}
        self._losses: dict[int, int] = {}
        self._due: dict[int, float] = {}
        self._not_before: dict[int, float] = {}
        self._documents: dict[int, str] = {}
        self._failed_renders: dict[int, int] = {}
        self._cookies: dict[int, Cookies] = {}
        self._returned: dict[int, bool] = {}
        self._texts: dict[int, str] = {}  # URLs that `_urls` lacks, as they were not to be requested when found
        self._touched: set[int] = set()
        self._first_new = 0
        self.waiting = 0
        """Number of pending and deferred URLs."""

    def __len__(self) -> int:
        return len(self._urls)

    def find(self, key: str) -> int | None:
        """Return the index of a url key, or None if it is unknown."""
        return self._keys.find(key)

    def url(self, index: int) -> str:
        """Return the fetch URL; "" if it is never requested and was found in an earlier wave."""
        return self._urls[index] or self._texts.get(index, "")

    def key(self, index: int) -> str:
        """Return the url key."""
        return self._keys[index]

    def depth(self, index: int) -> int:
        """Return the number of links on the shortest known path from the root."""
        return self._depth[index]

    def parent(self, index: int) -> int:
        """Return the index of the page it was found on, or NO_PARENT."""
        return self._parent[index]

    def found_by(self, index: int) -> FoundBy:
        """Return how it was found first."""
        return FOUND_BYS[self._found_by[index]]

    def chain(self, index: int) -> int:
        """Return the number of redirects in a row that led to it."""
        return self._chain[index]

    def detail(self, index: int) -> str:
        """Return the explanation of the state, "" if there is none."""
        return self._detail.get(index, "")

    def tries(self, index: int) -> int:
        """Return the number of tries so far."""
        return self._tries[index]

    def score(self, index: int) -> int:
        """Return its lane and score, packed (`domain.focus.score`)."""
        return self._score[index]

    def batch(self, index: int) -> tuple[int, int]:
        """Return wave and batch number of its latest batch."""
        return divmod(self._batch[index], MAX_BATCHES)

    def planned(self, index: int) -> bool:
        """Return whether it is in a batch of the current wave."""
        return self._state[index] == PLANNED

    def not_before(self, index: int) -> float:
        """Return the Unix time before which it must not be retried; 0 = any time."""
        return self._not_before.get(index, 0.0)

    def document(self, index: int) -> str:
        """Return the place of the record of a page that was fetched and waits to be rendered; "" of others."""
        return self._documents.get(index, "")

    def failed_renders(self, index: int) -> int:
        """Return how many times rendering a page failed that waits to be rendered."""
        return self._failed_renders.get(index, 0)

    @property
    def awaits_browser(self) -> int:
        """Number of fetched pages without a final record: they are rendered, or need not be, in a later wave."""
        return len(self._documents)

    def cookies(self, index: int) -> Cookies:
        """Return the cookies that redirects to a waiting URL have set."""
        return self._cookies.get(index, ())

    def has_returned(self, index: int) -> bool:
        """Return whether a URL ended as redirected before, and a chain of redirects led back to it with cookies."""
        return index in self._returned

    def must_be_alone(self, index: int) -> bool:
        """Return whether it must have a batch of its own: the batch that it shared failed too often."""
        return self._reason[index] == _BATCH_FAILED

    def reason(self, index: int) -> Reason:
        """Return the reason of the state."""
        return REASONS[self._reason[index]]

    def state(self, index: int) -> UrlState:
        """Return the state."""
        return state_of(self._state[index])

    @property
    def pending(self) -> int:
        """The number of URLs that are not done: pending, deferred, or in a wave that is planned."""
        return self.waiting + self._state.count(PLANNED)

    def count_of(self, state: UrlState) -> int:
        """Return the number of URLs in a terminal state."""
        return self._state.count(STATE_CODE[state])

    def waits(self, index: int) -> bool:
        """Return whether a URL will be requested: pending, deferred, planned, or evicted until there is room."""
        return self._state[index] in _WAITS

    def admitted(self) -> Iterator[int]:
        """Yield the URLs that were or will be requested."""
        for index, code in enumerate(self._state):
            if code not in _OUTSIDE or self._tries[index]:
                yield index

    @property
    def size(self) -> int:
        """About how many bytes of memory the table and its queues take. Depends only on its URLs and their states."""
        columns: int = sum(getattr(self, name).itemsize for name in _NUMBERS) + len(_CODES)
        sparse = sum(len(getattr(self, name)) for name in _SPARSE)
        queued = self.waiting + self._state.count(EVICTED)
        return (
            self._urls.size
            + self._keys.size
            + columns * len(self)
            + _BYTES_OF_A_VALUE * sparse
            + _BYTES_OF_A_WAITING_URL * queued
        )

    def waiting_indices(self) -> list[int]:
        """Return the pending and deferred URLs."""
        return [index for index, code in enumerate(self._state) if code in WAITING]

    def counts(self) -> dict[UrlState, int]:
        """Return the number of URLs in each state."""
        found = {state: self._state.count(code) for code, state in enumerate(STATES)}
        found[UrlState.PENDING] += self._state.count(PLANNED)
        found[UrlState.SKIPPED] += self._state.count(EVICTED)
        return {state: count for state, count in found.items() if count}

    def count_found_by(self, ways: Iterable[FoundBy]) -> int:
        """Return the number of URLs that were found first in one of these ways."""
        return sum(self._found_by.count(FOUND_BY_CODE[one]) for one in ways)

    def changes(self) -> Changes:
        """Return the rows that changed since the last call, ordered by index. Read them before the table changes."""
        self._forget_texts()
        changed = sorted(index for index in self._touched if index < self._first_new)
        found = Changes(self._rows, changed, range(self._first_new, len(self._urls)))
        self._touched.clear()
        self._first_new = len(self._urls)
        return found

    def apply(self, rows: Iterable[Row]) -> None:
        """Replay the changes of a wave."""
        for row in rows:
            index = row.index
            if index == len(self._urls):
                self._grow(row.url, row.key, reason=row.reason)
            elif row.reason not in self._forgotten and not self._urls[index]:
                self._texts[index] = row.url
            self._depth[index], self._parent[index], self._state[index] = row.depth, row.parent, row.state
            self._reason[index], self._found_by[index], self._phase[index] = row.reason, row.found_by, row.phase
            self._wave[index], self._tries[index], self._chain[index] = row.wave, row.tries, row.chain
            self._batch[index], self._score[index] = row.batch, row.score
            _put(self._due, index, row.due)
            _put(self._not_before, index, row.not_before)
            _put(self._detail, index, intern(row.detail))  # many suppressed URLs have the same evidence
            _put(self._losses, index, row.losses)
            _put(self._documents, index, row.document)
            _put(self._failed_renders, index, row.failed_renders)
            _put(self._cookies, index, row.cookies)
            _put(self._returned, index, row.returned)
        self._first_new = len(self._urls)
        self._forget_texts()

    def columns(self, first: int, last: int) -> UrlColumns:
        """Return the URLs from `first` to before `last`, as columns."""
        urls, lengths = self._urls.part(first, last)
        here = range(first, last)
        return UrlColumns(
            urls=urls,
            lengths=lengths,
            keys=self._keys.part(first, last),
            columns={name: bytes(getattr(self, name)[first:last]) for name in (*_NUMBERS, *_CODES)},
            detail=_part(self._detail, here),
            losses=_part(self._losses, here),
            due=_part(self._due, here),
            not_before=_part(self._not_before, here),
            documents=_part(self._documents, here),
            failed_renders=_part(self._failed_renders, here),
            cookies=_part(self._cookies, here),
            returned=_part(self._returned, here),
            texts={i: url for i, url in _part(self._texts, here).items() if self._reason[i] not in self._forgotten},
        )

    def extend(self, part: UrlColumns) -> None:
        """Add the URLs of `columns` of another table, which follow those of this table."""
        self._urls.extend(part.urls, part.lengths)
        self._keys.extend(part.keys)
        for name in _NUMBERS:
            getattr(self, name).frombytes(part.columns[name])
        for name in _CODES:
            getattr(self, name).extend(part.columns[name])
        self._detail.update((index, intern(detail)) for index, detail in part.detail.items())
        self._losses.update(part.losses)
        self._due.update(part.due)
        self._not_before.update(part.not_before)
        self._documents.update(part.documents)
        self._failed_renders.update(part.failed_renders)
        self._cookies.update(part.cookies)
        self._returned.update(part.returned)
        self._texts.update(part.texts)
        self._first_new = len(self._urls)

    def ledger(self, times: dict[int, float]) -> Iterator[LedgerRow]:
        """Yield the ledger in order of discovery; `times` maps each wave to the Unix time of its plan."""
        for index in range(len(self)):
            parent = self._parent[index]
            yield LedgerRow(
                order=index,
                url=self.url(index),
                key=self._keys[index],
                state=self.state(index),
                reason=REASONS[self._reason[index]],
                detail=detail_of(self._state[index], self._detail.get(index, ""), score=self._score[index]),
                depth=self._depth[index],
                parent="" if parent == NO_PARENT else self._urls[parent],
                found_by=FOUND_BYS[self._found_by[index]],
                phase=PHASES[self._phase[index]],
                wave=self._wave[index],
                found_at=times.get(self._wave[index], 0.0),
                tries=self._tries[index],
                **asdict(columns_of(self._score[index])),
            )

    def _grow(
        self, url: str, key: str, depth: int = 0, parent: int = NO_PARENT, wave: int = 0, *, reason: int = 0
    ) -> int:
        index = len(self._urls)
        if reason in self._forgotten and index != _ROOT:
            self._urls.append("")
            self._texts[index] = url
        else:
            self._urls.append(url)
        self._keys.append(key)
        self._depth.append(depth)
        self._parent.append(parent)
        self._wave.append(wave)
        self._batch.append(0)
        self._score.append(UNSCORED)
        self._state.append(PLANNED)  # not counted as waiting until its first state is set
        self._reason.append(0)
        self._found_by.append(0)
        self._phase.append(0)
        self._tries.append(0)
        self._chain.append(0)
        return index

    def _set_state(self, index: int, code: int, reason: Reason, detail: str = "") -> None:
        self.waiting += (code in WAITING) - (self._state[index] in WAITING)
        self._state[index] = code
        self._reason[index] = REASON_CODE[reason]
        self._touched.add(index)
        if detail or index in self._detail:
            _put(self._detail, index, detail)

    def _forget_texts(self) -> None:
        """Forget the texts of URLs that were found before the last `changes` and are never requested."""
        for index in [index for index in self._texts if index < self._first_new]:
            if self._reason[index] in self._forgotten:
                del self._texts[index]

    def _count_waiting(self) -> None:
        self.waiting = sum(self._state.count(code) for code in WAITING)

    def _indices_in(self, code: int) -> Iterator[int]:
        """Yield the URLs with this state code."""
        index = self._state.find(code)
        while index >= 0:
            yield index
            index = self._state.find(code, index + 1)

    def _rows(self, indices: Sequence[int]) -> list[Row]:
        urls, keys, depth, parent, state, reason = (
            self._urls, self._keys, self._depth, self._parent, self._state, self._reason,
        )  # fmt: skip
        texts = self._texts
        found_by, phase, wave, tries, chain, batch, score = (
            self._found_by, self._phase, self._wave, self._tries, self._chain, self._batch, self._score,
        )  # fmt: skip
        due, not_before, detail, losses = self._due.get, self._not_before.get, self._detail.get, self._losses.get
        document, failed_renders = self._documents.get, self._failed_renders.get
        cookies, returned = self._cookies.get, self._returned.get
        return [
            Row(
                i, urls[i] or texts.get(i, ""), keys[i], depth[i], parent[i], state[i], reason[i], found_by[i],
                phase[i], wave[i], tries[i], chain[i], batch[i], due(i, 0.0), not_before(i, 0.0), detail(i, ""),
                losses(i, 0), score[i], document(i, ""), failed_renders(i, 0), cookies(i, ()), returned(i, False),
            )
            for i in indices
        ]  # fmt: skip


def _put(values: dict[int, _T], index: int, value: _T) -> None:
    """Store a value that few URLs have."""
    values.pop(index, None)
    if value:
        values[index] = value


def _part(values: dict[int, _T], indices: range) -> dict[int, _T]:
    """Return the values of some URLs."""
    return {index: value for index, value in values.items() if index in indices}
