"""Values of the frontier: found URLs, codes of states, and URLs as stored in deltas."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import asdict

from wavecrawl.domain.crawl.ledger import FoundBy, Phase, UrlChange
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.cookies import Cookies
from wavecrawl.domain.focus.score import UNSCORED, columns_of

NO_PARENT = -1  # the parent of the root and of URLs from sitemaps and lists

STATES = tuple(UrlState)
REASONS = tuple(Reason)
FOUND_BYS = tuple(FoundBy)
PHASES = tuple(Phase)
STATE_CODE = {state: code for code, state in enumerate(STATES)}
REASON_CODE = {reason: code for code, reason in enumerate(REASONS)}
FOUND_BY_CODE = {found: code for code, found in enumerate(FOUND_BYS)}
PHASE_CODE = {phase: code for code, phase in enumerate(PHASES)}

PENDING = STATE_CODE[UrlState.PENDING]
DEFERRED = STATE_CODE[UrlState.DEFERRED]
MAX_BATCHES = 1_000_000  # per wave
ROWS_AT_ONCE = 10_000
WAITING = (PENDING, DEFERRED)
NEVER_REQUESTED = frozenset(
    REASON_CODE[reason]
    for reason in (
        Reason.OUT_OF_SCOPE,
        Reason.EXCLUDED,
        Reason.NOT_INCLUDED,
        Reason.TOO_LONG,
        Reason.INVALID_URL,
        Reason.ROBOTS_RULE,
        Reason.NOT_DUE,
        Reason.QUARANTINED,
    )
)
"""Reasons that no further link, sitemap or evidence changes: the crawl does not request the URL."""
EVICTED = 254  # found when too many URLs were waiting; reported as SKIPPED
PLANNED = 255  # in a batch of the current wave; reported as PENDING


class FoundUrl(Struct, frozen=True, kw_only=True, gc=False):
    """A URL as a link, a redirect, a sitemap or a list refers to it."""

    url: str
    key: str
    depth: int
    parent: int  # index of the page with the link, or NO_PARENT
    found_by: FoundBy
    phase: Phase
    wave: int
    chain: int = 0  # redirects in a row that led here
    skip: Reason = Reason.NONE  # why this reference must not be followed
    detail: str = ""  # explanation of `skip`
    text: str = ""  # of the link
    title: str = ""  # of the page with the link
    lastmod: str = ""  # of the sitemap
    score: int = UNSCORED  # its lane and score, packed; `Gatherer.add` sets it


class Row(Struct, frozen=True, gc=False, array_like=True):
    """One URL in a delta. Codes are positions in enumerations, so new members must be added at the end of those."""

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
    losses: int  # records of the URL that were lost
    score: int = UNSCORED  # its lane and score, packed
    document: str = ""  # place of the record of a page that was fetched and waits to be rendered
    failed_renders: int = 0  # times that rendering it failed
    cookies: Cookies = ()  # that redirects to it have set, until it is settled
    returned: bool = False  # whether a chain of redirects led back to it with cookies


class Changes(Collection[Row]):
    """The rows of changed URLs, made when they are read: a wave may change millions, and a row takes 500 bytes."""

    __slots__ = ("_known", "_new", "_rows_of")

    def __init__(self, rows_of: Callable[[Sequence[int]], list[Row]], known: list[int], new: range) -> None:
        """`known`, `new`: the indices of changed and of new URLs, of which `rows_of` returns the rows."""
        self._rows_of = rows_of
        self._known = known
        self._new = new

    def __len__(self) -> int:
        return len(self._known) + len(self._new)

    def __iter__(self) -> Iterator[Row]:
        return chain.from_iterable(self.chunks())

    def __contains__(self, row: object) -> bool:
        return any(row == one for one in self)

    def chunks(self) -> Iterator[list[Row]]:
        """Yield the rows, at most `ROWS_AT_ONCE` at a time."""
        for indices in (self._known, self._new):
            for first in range(0, len(indices), ROWS_AT_ONCE):
                yield self._rows_of(indices[first : first + ROWS_AT_ONCE])


def state_of(code: int) -> UrlState:
    """Return the state that a code stands for."""
    if code == PLANNED:
        return UrlState.PENDING
    return UrlState.SKIPPED if code == EVICTED else STATES[code]


def change_of(row: Row, times: Mapping[int, float]) -> UrlChange:
    """Return what a row says of its URL; `times` maps waves to the Unix times of their plans."""
    batch_wave, batch = divmod(row.batch, MAX_BATCHES)
    return UrlChange(
        id=row.index,
        url=row.url,
        key=row.key,
        state=state_of(row.state),
        reason=REASONS[row.reason],
        detail=detail_of(row.state, row.detail, score=row.score),
        depth=row.depth,
        parent=None if row.parent == NO_PARENT else row.parent,
        found_by=FOUND_BYS[row.found_by],
        phase=PHASES[row.phase],
        found_in=row.wave,
        found_at=times.get(row.wave),
        tries=row.tries,
        batch_wave=batch_wave,
        batch=batch,
        **asdict(columns_of(row.score)),
    )


def detail_of(code: int, detail: str, *, score: int) -> str:
    """Return the detail of a URL with this state code: of an evicted one, what decided that, its lane and score."""
    if code != EVICTED or score == UNSCORED:
        return detail
    columns = columns_of(score)
    return f"lane {columns.lane}, score {columns.score:.3f}"


class UrlColumns(Struct, frozen=True, gc=False):
    """URLs that follow each other in the order of discovery, as columns of numbers in little-endian bytes."""

    urls: bytes
    lengths: bytes  # of the URLs
    keys: bytes
    columns: dict[str, bytes]  # by name
    detail: dict[int, str]  # by index, like the following; few URLs have them
    losses: dict[int, int]
    due: dict[int, float]
    not_before: dict[int, float]
    documents: dict[int, str] = {}
    failed_renders: dict[int, int] = {}
    cookies: dict[int, Cookies] = {}
    returned: dict[int, bool] = {}
    texts: dict[int, str] = {}  # URLs that `urls` lacks
