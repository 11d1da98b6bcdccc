"""What is measured of batches (spec [41])."""

from collections.abc import Iterable

from wavecrawl.domain.record import PageRecord, UrlState
from wavecrawl.web.telemetry import count, logger, seconds


def measure_queue(*, sent_at: float, starts_at: float, now: float) -> None:
    """Say how long a job waited longer than it had to, as a metric and in the log. Times are Unix seconds."""
    waited = max(0.0, now - max(sent_at, starts_at))
    logger.thread_safe_append_keys(waited=round(waited, 3))
    seconds("QueueLatency", waited)


def measure_pages(records: Iterable[PageRecord], *, took: float) -> None:
    """Say what became of the URLs of a batch that took so many seconds: waiting, fetching, reading, storing."""
    told = list(records)
    seconds("BatchDuration", took)
    for record in told:
        if record.status is not None:
            seconds("FetchDuration", record.elapsed)
    for name, number in (
        ("PagesFetched", sum(record.state in (UrlState.FETCHED, UrlState.UNCHANGED) for record in told)),
        ("PagesFailed", sum(record.state in (UrlState.FAILED, UrlState.HTTP_ERROR) for record in told)),
        ("Retries", sum(record.tries > 1 for record in told)),
        ("BytesFetched", sum(record.bytes for record in told)),
    ):
        count(name, number)
