"""Crawls as they are shown to people: plain values for JSON."""

from dataclasses import asdict
from datetime import UTC, datetime

from wavecrawl.adapters.aws.progress import Progress
from wavecrawl.domain.bill import priced
from wavecrawl.ports.crawls import CrawlRow

_CENTS = 6  # digits of dollars


def started(row: CrawlRow) -> dict[str, str]:
    """Return what is said of a crawl that was asked for."""
    return {"crawl": row.id.crawl, "site": row.id.site, "status": row.status.value}


def outline(row: CrawlRow) -> dict[str, object]:
    """Return what lists say of a crawl."""
    return {
        **started(row),
        "url": row.start_url,
        "root_url": row.root_url or None,
        "started_at": _time(row.started_at),
        "finished_at": _time(row.finished_at),
        "cancel_asked": row.cancel_asked,
        "error": row.error or None,
    }


def in_full(row: CrawlRow, progress: Progress) -> dict[str, object]:
    """Return a crawl with its counters and its bill so far."""
    counters = {name: value for name, value in asdict(progress).items() if name != "usage"}
    return {**outline(row), "counters": counters, "bill": _bill(progress)}


def _bill(progress: Progress) -> dict[str, object] | None:
    if not progress.usage:
        return None
    bill = priced(progress.usage, pages=progress.fetched)
    return {
        "usd": round(bill.total, _CENTS),
        "usd_per_million_pages": round(bill.per_million_pages, 2),
        "services": {service: round(dollars, _CENTS) for service, dollars in bill.services.items()},
    }


def _time(seconds: float) -> str | None:
    return f"{datetime.fromtimestamp(seconds, tz=UTC):%Y-%m-%dT%H:%M:%SZ}" if seconds else None
