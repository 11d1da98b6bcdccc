"""Notes after a crawl: why it may have fewer pages than expected, in plain words."""

from collections.abc import Iterator

from wavecrawl.application.sitemap_listing import load_listing
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.reached_limits import reached_limits
from wavecrawl.domain.recrawl.history import skipped_by_mode
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow


def notes_of(store: LocalStore, row: CrawlRow, summary: CrawlSummary) -> Iterator[str]:
    """Yield notes on reached limits and on the mode; the notices of the summary are further ones."""
    for limit in reached_limits(summary.reasons):
        urls = counted(limit.urls, "known URL was", "known URLs were")
        yield f"{urls} not read: {limit.cause}. {limit.advice}"
    if skipped := skipped_by_mode(summary.reasons):
        yield _note_of_mode(store, row, skipped)


def _note_of_mode(store: LocalStore, row: CrawlRow, skipped: int) -> str:
    """Return why a crawl did not request all known URLs."""
    found = f"{counted(skipped, 'known URL was', 'known URLs were')} not requested"
    full = "--mode full sends a conditional request to each"
    if row.settings.mode is Mode.CHANGED_ONLY:
        listing = load_listing(store.objects, row.id)
        if listing is None or not any(entry.lastmod for entry in listing.entries):
            return f"{found}: no sitemap or feed has dates, so --mode changed_only requested only due pages; {full}"
        return f"{found}: not due, and without a newer date in a sitemap or feed (--mode changed_only); {full}"
    return f"{found}: not due (--mode {row.settings.mode.value}); {full}"
