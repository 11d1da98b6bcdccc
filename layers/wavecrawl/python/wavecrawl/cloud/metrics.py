"""Metrics of batches, waves and crawls."""

from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct, field

from wavecrawl.domain.crawl import metrics as names
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.measures import Measures, measures_of, sum_of
from wavecrawl.domain.crawl.objectives import ObjectiveName
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.telemetry import count, logger, seconds

if TYPE_CHECKING:  # a function that measures one of them does not load the code of the others
    from wavecrawl.application.run_wave import WaveResult
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
    seconds(names.QUEUE_LATENCY.emf, waited)


class PageMeasures(Struct):
    """The measures of one batch, safe to share between threads. Records are not kept: they may be large."""

    _parts: list[Measures] = field(default_factory=list)  # of each record; added up in the report
    _fetching: list[float] = field(default_factory=list)  # seconds, of requests with a response
    _processing: list[float] = field(default_factory=list)  # seconds of CPU time
    _lock: Lock = field(default_factory=Lock)

    @property
    def pages(self) -> int:
        """The number of records."""
        return len(self._parts)

    def add(self, record: "PageRecord", kind: BatchKind, *, processing: float) -> None:
        """Add a record of a kind of batch. `processing`: seconds of CPU time that its page took."""
        measured = measures_of(record, kind, processing=processing)
        with self._lock:
            self._parts.append(measured)
            if measured.fetching.count:
                self._fetching.append(record.elapsed)
            if measured.processing.count:
                self._processing.append(processing)

    def report(self, *, took: float) -> None:
        """Report the measures of a batch. `took`: seconds from its first wait to its storage."""
        found = sum_of(self._parts)
        seconds("BatchDuration", took)
        for metric, times in ((names.FETCH_DURATION, self._fetching), (names.PROCESSING_DURATION, self._processing)):
            for one in times:
                seconds(metric.emf, one)
        count(names.FETCHED.emf, found.fetched)
        count(names.FAILED.emf, found.failed)
        for metric, number in (  # only batches of their kinds have any: a metric that is not sent costs nothing
            (names.MEDIA_FETCHED, found.media),
            (names.MEDIA_FAILED, found.media_failed),
            (names.CHECKED, found.checked),
            (names.CHECKS_FAILED, found.checks_failed),
        ):
            if number:
                count(metric.emf, number)
        count(names.BYTES.emf, found.bytes)
        count(names.RETRIES.emf, sum(found.retries.values()))
        for kind, number in found.retries.items():  # few batches have any: a metric that is not sent costs nothing
            count(f"{names.RETRIES.emf}{kind.value.capitalize()}", number)
        if found.success_rate is not None:
            count(names.SUCCESS_RATE.emf, found.success_rate)


def measure_wave(result: "WaveResult") -> None:
    """Report the planned and the waiting URLs, and how long planning took."""
    count("UrlsPlanned", 0 if result.again else result.urls)
    count(names.FRONTIER_DEPTH.emf, result.pending)
    if result.unreached and not result.again:
        count(names.FAILED.emf, sum(result.unreached.values()))
    count(names.REDISPATCHES.emf, int(result.again))
    measure_planning(result.planning)


def measure_planning(took: float | None) -> None:
    """Report the seconds that planning a wave took; None: it was not planned here."""
    if took is not None:
        seconds(names.PLANNING_DURATION.emf, took)


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
    if lost := summary.reasons.get(Reason.POISON, 0):  # a metric that is not sent costs nothing
        count("PagesLost", lost)
    count(names.ROBOTS_DENIALS.emf, summary.states.get(UrlState.ROBOTS_DENIED, 0))
    if summary.bill is not None:
        count("CrawlUsd", summary.bill.total_usd)
        count("CrawlUsdPerMillionPages", summary.bill.per_million_pages_usd)
