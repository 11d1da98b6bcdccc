"""What is measured of batches (spec [41])."""

from dataclasses import dataclass, field
from threading import Lock

from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.telemetry import count, logger, seconds


def measure_queue(*, sent_at: float, starts_at: float, now: float) -> None:
    """Say how long a job waited longer than it had to, as a metric and in the log. Times are Unix seconds."""
    waited = max(0.0, now - max(sent_at, starts_at))
    logger.thread_safe_append_keys(waited=round(waited, 3))
    seconds("QueueLatency", waited)


@dataclass(slots=True)
class PageMeasures:
    """What became of the URLs of one batch, told by several threads. Records are not kept, as they may be large."""

    pages: int = 0
    _took: list[float] = field(default_factory=list)  # seconds, of those that were answered
    _fetched: int = 0
    _failed: int = 0
    _retries: int = 0
    _bytes: int = 0
    _lock: Lock = field(default_factory=Lock)

    def add(self, record: PageRecord) -> None:
        """Count one record."""
        with self._lock:
            self.pages += 1
            if record.status is not None:
                self._took.append(record.elapsed)
            self._fetched += record.state in (UrlState.FETCHED, UrlState.UNCHANGED)
            self._failed += record.state in (UrlState.FAILED, UrlState.HTTP_ERROR)
            self._retries += record.tries > 1
            self._bytes += record.bytes

    def tell(self, *, took: float) -> None:
        """Say what was counted of a batch that took so many seconds: waiting, fetching, reading, storing."""
        seconds("BatchDuration", took)
        for one in self._took:
            seconds("FetchDuration", one)
        for name, number in (
            ("PagesFetched", self._fetched),
            ("PagesFailed", self._failed),
            ("Retries", self._retries),
            ("BytesFetched", self._bytes),
        ):
            count(name, number)
