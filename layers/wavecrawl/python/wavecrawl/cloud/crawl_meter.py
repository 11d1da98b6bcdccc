"""What one process uses of AWS, told apart by crawl: a warm worker works for many."""

from collections import OrderedDict

from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.meter import Meter

_CRAWLS_KEPT = 64


class CrawlMeter:
    """`ports.meter.Meter` of the crawl that is worked for. One message at a time.

    What is used after a batch's completion was written, by a job that comes too early, or by a duplicate waits for the
    next batch of the same crawl in this process; where none comes it is charged to nobody.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._crawl: CrawlId | None = None
        self._taken = Usage()
        self._carried: OrderedDict[CrawlId, Usage] = OrderedDict()

    @property
    def has_taken(self) -> bool:
        """Tell whether something was taken since the beginning, which is to be stored somewhere."""
        return bool(self._taken)

    def begin(self, crawl: CrawlId) -> None:
        """Charge a crawl from here on, and with the invocation so far."""
        self._crawl, self._taken = crawl, Usage()

    def take(self) -> Usage:
        """Return what was used for the crawl since the last take."""
        taken = self._meter.take()
        if self._crawl is not None:
            taken += self._carried.pop(self._crawl, Usage())
        self._taken += taken
        return taken

    def end(self, *, is_stored: bool) -> Usage:
        """End the crawl's turn. Return what has to be stored yet: all of it where what was taken is not."""
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
