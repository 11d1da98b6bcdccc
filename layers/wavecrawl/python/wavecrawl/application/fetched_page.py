"""What a worker stores of one page."""

from collections.abc import Callable

from msgspec import Struct

from wavecrawl.domain.crawl.job import JobItem
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.rendering.conversion import Conversion

NextStart = Callable[[], bool]
"""Waits until one more request may start. Returns False if that is too late for the worker."""

Ending = Callable[[], Reason]
"""Returns why the work on a page must end now: WORKER_OUT_OF_TIME, or why the crawl has ended. NONE = it goes on."""


def no_end() -> Reason:
    """Return NONE: the work goes on."""
    return Reason.NONE


class FetchedPage(Struct, frozen=True, kw_only=True, gc=False):
    """The record of one try, its exchanges in order, and the rendered page."""

    record: PageRecord
    exchanges: tuple[Exchange, ...] = ()
    conversion: Conversion | None = None
    other: "FetchedPage | None" = None  # of the other spelling of its URL, to which it redirects

    @property
    def stored_bytes(self) -> int:
        """The bytes of content that are stored."""
        html = len(self.conversion.html) if self.conversion else 0
        return html + sum(len(exchange.stored_body) for exchange in self.exchanges)


def unfetched_record(item: JobItem, state: UrlState, reason: Reason, now: float) -> PageRecord:
    """Return the record of a URL that was not requested."""
    return PageRecord(
        key=item.key, url=item.url, depth=item.depth, state=state, reason=reason, tries=item.tries, fetched_at=now
    )
