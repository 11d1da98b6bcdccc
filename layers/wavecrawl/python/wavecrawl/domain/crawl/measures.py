"""Measures of page records: counts, times and retries by class. All metrics of pages derive from them."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import Final

from msgspec import Struct, field
from msgspec.structs import fields

from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.record_view import UNTRIED
from wavecrawl.domain.crawl.states import UrlState

BOUNDS: Final = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the buckets of a histogram of times, in seconds. The last bucket has no bound."""


_OF_PAGES: Final = (BatchKind.FETCH, BatchKind.RENDER)
_OF_MEDIA: Final = (BatchKind.MEDIA, BatchKind.RESOURCE)


class RetryClass(StrEnum):
    """Why a URL is requested again.

    - `network`: no connection, or it broke
    - `timeout`: no complete response in time
    - `4xx`, `5xx`: the status of the response
    - `parse`: the body could not be decoded
    """

    NETWORK = "network"
    TIMEOUT = "timeout"
    CLIENT_ERROR = "4xx"
    SERVER_ERROR = "5xx"
    PARSE = "parse"


_CLASSES: Final[Mapping[Reason, RetryClass]] = {
    Reason.DNS: RetryClass.NETWORK,
    Reason.CONNECT: RetryClass.NETWORK,
    Reason.TLS: RetryClass.NETWORK,
    Reason.RESET: RetryClass.NETWORK,
    Reason.PROTOCOL: RetryClass.NETWORK,
    Reason.TIMEOUT: RetryClass.TIMEOUT,
    Reason.DECODING: RetryClass.PARSE,
}


def retry_class(record: PageRecord) -> RetryClass | None:
    """Return why a record's URL is requested again; None if it is not, or not because of an error."""
    if record.state is not UrlState.DEFERRED:
        return None
    if record.reason is Reason.STATUS and record.status is not None:
        return RetryClass.SERVER_ERROR if record.status >= 500 else RetryClass.CLIENT_ERROR  # noqa: PLR2004 - 5xx
    return _CLASSES.get(record.reason)


class Times(Struct, frozen=True, kw_only=True, gc=False):
    """A histogram of times in seconds."""

    buckets: tuple[int, ...] = (0,) * (len(BOUNDS) + 1)  # numbers of times up to each bound, and above all
    total: float = 0.0  # seconds

    @property
    def count(self) -> int:
        """The number of times."""
        return sum(self.buckets)


NO_TIMES: Final = Times()
"""The histogram of no times."""

_ONE_TIME: Final = tuple(
    tuple(int(number == place) for number in range(len(BOUNDS) + 1)) for place in range(len(BOUNDS) + 1)
)
"""The buckets of a histogram of one time, by the place of its bucket."""


def time_of(seconds: float) -> Times:
    """Return the histogram of one time."""
    return Times(buckets=_ONE_TIME[bisect_left(BOUNDS, seconds)], total=seconds)


def _sum_of_times(parts: Sequence[Times]) -> Times:
    """Return several histograms as one."""
    buckets = tuple(map(sum, zip(*[one.buckets for one in parts], strict=True)))
    return Times(buckets=buckets, total=sum(one.total for one in parts))


class Measures(Struct, frozen=True, kw_only=True, gc=False):
    """The measures of some records, batches and waves."""

    records: int = 0
    requested: int = 0  # tries of pages that were requested
    fetched: int = 0  # pages with content: fetched or unchanged
    unchanged: int = 0  # of these, those that have not changed since an earlier crawl
    failed: int = 0  # pages that ended in an error (`UrlState.is_error`)
    media: int = 0  # media URLs with an asset, and resources of the archive: stored or unchanged
    media_failed: int = 0  # those without, as `failed`
    checked: int = 0  # requests of URLs that are only checked
    checks_failed: int = 0  # of these, those without a success, as `failed`
    bytes: int = 0  # of bodies as transferred
    fetching: Times = NO_TIMES  # of requests with a response, to the last byte
    processing: Times = NO_TIMES  # CPU time of pages that were requested
    retries: Mapping[RetryClass, int] = field(default_factory=dict)
    waiting: Times = NO_TIMES  # of batches, for a worker
    planning: Times = NO_TIMES  # of waves
    takeovers: int = 0  # batches whose last lease had ended before they were done
    redispatches: int = 0  # waves that were sent again

    @property
    def success_rate(self) -> float | None:
        """The share of requested URLs that are pages with content; None without requests."""
        return self.fetched / self.requested if self.requested else None

    def __add__(self, other: "Measures") -> "Measures":
        """Return the measures of both."""
        return sum_of((self, other))


_NUMBERS: Final = tuple(one.name for one in fields(Measures) if isinstance(one.default, int))


def sum_of(parts: Sequence[Measures]) -> Measures:
    """Return the measures of all parts."""
    if not parts:
        return Measures()
    numbers = {name: sum(map(attrgetter(name), parts)) for name in _NUMBERS}
    again = [one.retries for one in parts if one.retries]
    retries = {one: total for one in RetryClass if (total := sum(some.get(one, 0) for some in again))} if again else {}
    return Measures(
        **numbers,
        fetching=_sum_of_times([one.fetching for one in parts]),
        processing=_sum_of_times([one.processing for one in parts]),
        waiting=_sum_of_times([one.waiting for one in parts]),
        planning=_sum_of_times([one.planning for one in parts]),
        retries=retries,
    )


def measures_of(record: PageRecord, kind: BatchKind, *, processing: float = 0.0) -> Measures:
    """Return the measures of one record of a kind of batch. `processing`: seconds of CPU time that its page took.

    Media and checked URLs are no pages. A page that is rendered was requested before, by a batch of kind `fetch`.
    """
    requested = kind is not BatchKind.RENDER and (record.status is not None or record.reason not in UNTRIED)
    has_content = record.state.has_content
    has_failed = record.state.is_error
    has_page = has_content and kind in _OF_PAGES
    again = retry_class(record)
    return Measures(
        records=1,
        requested=int(requested and kind in _OF_PAGES),
        fetched=int(has_page),
        unchanged=int(has_page and record.state is UrlState.UNCHANGED),
        failed=int(has_failed and kind in _OF_PAGES),
        media=int(has_content and kind in _OF_MEDIA),
        media_failed=int(has_failed and kind in _OF_MEDIA),
        checked=int(requested and kind is BatchKind.CHECK),
        checks_failed=int(has_failed and kind is BatchKind.CHECK),
        bytes=record.bytes if requested and not record.revalidated else 0,
        fetching=time_of(record.elapsed) if requested and record.status is not None else NO_TIMES,
        processing=time_of(processing) if requested or kind is BatchKind.RENDER else NO_TIMES,
        retries={again: 1} if again else {},
    )
