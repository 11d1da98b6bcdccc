"""What a worker knows about its crawl: whether it is cancelled, over or deleted, and which hosts are paused."""

from contextlib import suppress
from math import inf
from threading import Lock

from msgspec.structs import replace

from wavecrawl.application.crawl_limits import CrawlLimits, is_budget_spent
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import TransientError
from wavecrawl.ports.batches import Waves
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls

LOOK_EVERY = 3.0
"""Seconds between two reads of the crawl's row. A worker stops, or hears of a pause, at most this much later."""


class StopSignal:
    """Whether a crawl goes on, by its row, which is read at most every few seconds. Safe to share between threads."""

    def __init__(self, crawl: CrawlRow, crawls: Crawls, waves: Waves, clock: Clock) -> None:
        self._id = crawl.id
        self._row: CrawlRow | None = crawl
        self._ends_at = CrawlLimits(crawl, inf).ends_at
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
        if now >= self._ends_at:
            return Reason.TIME_LIMIT
        return Reason.BUDGET if self._is_spent else Reason.NONE

    def paused_until(self, host: str) -> float:
        """Return until when a host asked a worker of the crawl to pause, in Unix seconds; 0 if it did not."""
        return 0.0 if self._row is None else self._row.pauses.get(host, 0.0)

    def note_pause(self, host: str, until: float) -> None:
        """Let the other workers of the crawl know of a pause, if they could notice it in time."""
        now = self._clock.now()
        if until - now < LOOK_EVERY or self._row is None or not _is_news(self._row, host, until):
            return
        with suppress(TransientError):
            row = self._row = self._crawls.read(self._id)  # with what others have noted since the last look
            if row is None or not _is_news(row, host, until):
                return
            pauses = {name: end for name, end in row.pauses.items() if end > now} | {host: until}
            self._crawls.note_pauses(self._id, pauses)
            self._row = replace(row, pauses=pauses)

    def is_set(self) -> bool:
        """Return whether no further page may be requested."""
        return self.reason() is not Reason.NONE

    def _look(self, now: float) -> None:
        """Read the row, and the usage if it is limited. If the store does not respond, the last values stay valid."""
        self._looked_at = now
        with suppress(TransientError):
            row = self._row = self._crawls.read(self._id)
            if row is not None:
                self._ends_at = CrawlLimits(row, inf).ends_at
                self._is_spent = is_budget_spent(row, self._waves)


def _is_news(row: CrawlRow, host: str, until: float) -> bool:
    """Return whether a pause is much longer than the one that the row has."""
    return row.pauses.get(host, 0.0) < until - LOOK_EVERY
