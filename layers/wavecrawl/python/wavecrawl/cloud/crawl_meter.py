"""The meter of a worker process, per crawl. A warm process works for several crawls."""

from collections import OrderedDict

from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.meter import Meter

_CRAWLS_KEPT = 64


class CrawlMeter:
    """`ports.meter.Meter` of the current crawl. For one message at a time.

    Usage after a batch's completion was stored, of a job that came too early, or of a duplicate is charged with the
    next batch of the same crawl in this process. If there is none, it is not charged.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._crawl: CrawlId | None = None
        self._taken = Usage()
        self._carried: OrderedDict[CrawlId, Usage] = OrderedDict()

    @property
    def has_taken(self) -> bool:
        """Whether something was taken since `begin`, which has to be stored."""
        return bool(self._taken)

    def begin(self, crawl: CrawlId) -> None:
        """Charge a crawl from now on, and with the invocation so far."""
        self._crawl, self._taken = crawl, Usage()

    def take(self) -> Usage:
        """Return the crawl's usage since the last take."""
        taken = self._meter.take()
        if self._crawl is not None:
            taken += self._carried.pop(self._crawl, Usage())
        self._taken += taken
        return taken

    def end(self, *, is_stored: bool) -> Usage:
        """Stop charging the crawl; return the usage still to be stored: all of it unless `is_stored`."""
        if not is_stored:
            self.take()
            unstored = self._taken
        else:
            unstored = Usage()
            self._carry(self._meter.take())
        self._crawl, self._taken = None, Usage()
        return unstored

    def _carry(self, rest: Usage) -> None:
        if self._crawl is not None:
            self._carried[self._crawl] = self._carried.pop(self._crawl, Usage()) + rest
            while len(self._carried) > _CRAWLS_KEPT:
                self._carried.popitem(last=False)
