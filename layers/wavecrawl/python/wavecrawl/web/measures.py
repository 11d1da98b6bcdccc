"""What is measured of batches (spec [41])."""

from collections.abc import Iterable

from wavecrawl.domain.record import PageRecord, Reason, UrlState
from wavecrawl.web.telemetry import count, logger, seconds

_DENIALS = (Reason.ROBOTS_RULE, Reason.ROBOTS_UNREACHABLE)


def measure_queue(*, sent_at: float, starts_at: float, now: float) -> None:
    """Say how long a job waited longer than it had to, as a metric and in the log. Times are Unix seconds."""
    waited = max(0.0, now - max(sent_at, starts_at))
    logger.thread_safe_append_keys(waited=round(waited, 3))
    seconds("QueueLatency", waited)


def measure_pages(records: Iterable[PageRecord]) -> None:
    """Say what became of the URLs of a batch."""
    told = list(records)
    for record in told:
        if record.status is not None:
            seconds("FetchDuration", record.elapsed)
    for name, number in (
        ("PagesFetched", sum(record.state in (UrlState.FETCHED, UrlState.UNCHANGED) for record in told)),
        ("PagesFailed", sum(record.state in (UrlState.FAILED, UrlState.HTTP_ERROR) for record in told)),
        ("Retries", sum(record.tries > 1 for record in told)),
        ("RobotsDenials", sum(record.reason in _DENIALS for record in told)),
        ("BytesFetched", sum(record.bytes for record in told)),
    ):
        count(name, number)
