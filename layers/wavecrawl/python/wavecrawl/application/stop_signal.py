"""What a worker knows about the end of its crawl: cancelled, over, out of time, out of budget, or deleted."""

from contextlib import suppress
from math import inf
from threading import Lock

from wavecrawl.application.crawl_limits import CrawlLimits, is_budget_spent
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import TransientError
from wavecrawl.ports.batches import Waves
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls

LOOK_EVERY = 3.0
"""Seconds between two reads of the crawl's row. A worker stops at most this much later than its crawl."""


class StopSignal:
    """Whether a crawl goes on, by its row, which is read at most every few seconds. Safe to share between threads."""

    def __init__(self, crawl: CrawlRow, crawls: Crawls, waves: Waves, clock: Clock) -> None:
        self._id = crawl.id
        self._row: CrawlRow | None = crawl
        self._crawls = crawls
        self._waves = waves
        self._is_spent = False
        self._clock = clock
        self._lock = Lock()
        self._looked_at = -inf

    @property
    def crawl_is_deleted(self) -> bool:
        """Whether the crawl was deleted when its row was read last."""
        return self._row is None

    def reason(self) -> Reason:
        """Return why no further page may be requested; NONE while the crawl goes on."""
        now = self._clock.now()
        if now - self._looked_at > LOOK_EVERY and self._lock.acquire(blocking=False):
            try:
                self._look(now)
            finally:
                self._lock.release()
        row = self._row
        if row is None or row.cancel_asked or row.status is not CrawlStatus.RUNNING:
            return Reason.CANCELLED
        if now >= CrawlLimits(row, inf).ends_at:
            return Reason.TIME_LIMIT
        return Reason.BUDGET if self._is_spent else Reason.NONE

    def is_set(self) -> bool:
        """Return whether no further page may be requested."""
        return self.reason() is not Reason.NONE

    def _look(self, now: float) -> None:
        """Read the row, and the usage if it is limited. If the store does not respond, the last values stay valid."""
        self._looked_at = now
        with suppress(TransientError):
            self._row = self._crawls.read(self._id)
            self._is_spent = self._row is not None and is_budget_spent(self._row, self._waves)
