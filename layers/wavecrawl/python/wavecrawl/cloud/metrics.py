"""Metrics of batches, waves and crawls."""

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from wavecrawl.domain.crawl.objectives import ObjectiveName
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.telemetry import count, logger, seconds

if TYPE_CHECKING:  # a function that measures one of them does not load the code of the others
    from wavecrawl.application.run_wave import WaveResult
    from wavecrawl.domain.crawl.frontier import Frontier
    from wavecrawl.domain.crawl.record import PageRecord
    from wavecrawl.ports.analytics import CrawlSummary


_OBJECTIVES = {
    ObjectiveName.DENSITY: "DensityRatio",
    ObjectiveName.COVERAGE: "Coverage",
    ObjectiveName.STALENESS: "StalenessDays",
    ObjectiveName.DISCARD_RATE: "DiscardRate",
    ObjectiveName.CHANGE_YIELD: "ChangeYield",
}


def measure_queue(*, sent_at: float, starts_at: float, now: float) -> None:
    """Report how long a job waited after it was sent and after its planned start. Times are Unix seconds."""
    waited = max(0.0, now - max(sent_at, starts_at))
    logger.thread_safe_append_keys(waited=round(waited, 3))
    seconds("QueueLatency", waited)


@dataclass(slots=True)
class PageMeasures:
    """Counts of the records of one batch, safe to share between threads. Records are not kept: they may be large."""

    pages: int = 0
    _took: list[float] = field(default_factory=list)  # seconds, of requests with a response
    _fetched: int = 0
    _failed: int = 0
    _retries: int = 0
    _bytes: int = 0
    _lock: Lock = field(default_factory=Lock)

    def add(self, record: "PageRecord") -> None:
        """Count one record."""
        with self._lock:
            self.pages += 1
            if record.status is not None:
                self._took.append(record.elapsed)
            self._fetched += record.state in (UrlState.FETCHED, UrlState.UNCHANGED)
            self._failed += record.state in (UrlState.FAILED, UrlState.HTTP_ERROR)
            self._retries += record.tries > 1
            self._bytes += record.bytes

    def report(self, *, took: float) -> None:
        """Report the counts of a batch. `took`: seconds from its first wait to its storage."""
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


def measure_wave(result: "WaveResult", frontier: "Frontier") -> None:
    """Report the planned and the waiting URLs."""
    count("UrlsPlanned", 0 if result.again else result.urls)
    count("FrontierDepth", len(frontier.waiting_indices()))
    count("Redispatches", int(result.again))


def measure_crawl(summary: "CrawlSummary") -> None:
    """Report the results and the cost of a crawl."""
    count("CrawlsFinished")
    count("CrawlPages", summary.pages)
    count("PagesUnchanged", summary.states.get(UrlState.UNCHANGED, 0))
    count("ExactDuplicates", summary.duplicates.get(DuplicateKind.EXACT, 0))
    count("NearDuplicates", summary.duplicates.get(DuplicateKind.NEAR, 0))
    for one in summary.objectives:
        if one.value is not None:
            count(_OBJECTIVES[one.name], one.value)
    count("ObjectivesMissed", sum(one.met is False for one in summary.objectives))
    count("RobotsDenials", summary.states.get(UrlState.ROBOTS_DENIED, 0))
    if summary.bill is not None:
        count("CrawlUsd", summary.bill.total_usd)
        count("CrawlUsdPerMillionPages", summary.bill.per_million_pages_usd)
