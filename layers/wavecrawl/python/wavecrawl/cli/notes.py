"""Notes after a crawl: why it may have fewer pages than expected, in plain words."""

from collections.abc import Iterator
from pathlib import Path

from wavecrawl.application.results_so_far import results_of
from wavecrawl.application.root_failure import FROM_THE_ROOT
from wavecrawl.application.sitemap_listing import load_listing
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.reached_limits import reached_limits
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.recrawl.history import skipped_by_mode
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.domain.urls.url import Identity
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow

_REFUSED = (UrlState.NOT_FOUND, UrlState.FORBIDDEN, UrlState.HTTP_ERROR)

_CREDENTIALS = "if it needs credentials, set them with --header, --cookie, --basic-auth or --auth-file"
_REJECTED = "the site did not accept the credentials that were sent"

_MATCHES = r"""
    SELECT 1 FROM read_parquet($file)
    WHERE url LIKE $pattern ESCAPE '\'
        OR regexp_extract(url, '^[a-z]+://[^/?#]*(.*)$', 1) LIKE $pattern ESCAPE '\'
        OR regexp_extract(url, '^[a-z]+://[^/?#]*([^?#]*)', 1) LIKE $pattern ESCAPE '\'
    LIMIT 1
"""
"""Whether a pattern matches the whole of a URL, of its path with the query, or of its path, as `domain.urls.scope`."""


def notes_of(store: LocalStore, row: CrawlRow, summary: CrawlSummary) -> Iterator[str]:
    """Yield notes on the start URL, on include patterns without a match, on reached limits, and on the mode."""
    if row.settings.discovery in FROM_THE_ROOT and summary.root_url:
        root = Identity.of(row.settings).page_url(summary.root_url)
        found = results_of(row, store).urls.find(row.id, root.key)
        if found is not None and found.state in _REFUSED:
            advice = "check the address"
            if found.state is UrlState.FORBIDDEN:
                advice = _REJECTED if row.authenticated else _CREDENTIALS
            yield f"the start URL {found.url} responded with {found.detail or found.state.value}; {advice}"
    for pattern in unmatched(row.settings.scope.include, store.results_folder(row.id) / "urls.parquet"):
        yield f"--include {pattern} matched no URL; a pattern matches the whole path or URL, and * any text"
    for limit in reached_limits(summary.reasons):
        urls = "1 known URL was" if limit.urls == 1 else f"{limit.urls:,} known URLs were"
        yield f"{urls} not read: {limit.cause}. {limit.advice}"
    if skipped := skipped_by_mode(summary.reasons):
        yield _note_of_mode(store, row, skipped)


def _note_of_mode(store: LocalStore, row: CrawlRow, skipped: int) -> str:
    """Return why a crawl did not request all known URLs."""
    urls = "1 known URL was" if skipped == 1 else f"{skipped:,} known URLs were"
    found = f"{urls} not requested"
    full = "--mode full sends a conditional request to each"
    if row.settings.mode is Mode.CHANGED_ONLY:
        listing = load_listing(store.objects, row.id)
        if listing is None or not any(entry.lastmod for entry in listing.entries):
            return f"{found}: no sitemap or feed has dates, so --mode changed_only requested only due pages; {full}"
        return f"{found}: not due, and without a newer date in a sitemap or feed (--mode changed_only); {full}"
    return f"{found}: not due (--mode {row.settings.mode.value}); {full}"


def unmatched(patterns: tuple[str, ...], urls: Path) -> Iterator[str]:
    """Yield the patterns that match none of the URLs of a crawl, given its urls.parquet."""
    if not patterns or not urls.is_file():
        return
    import duckdb  # noqa: PLC0415 - slow to load

    with duckdb.connect() as connection:
        for pattern in patterns:
            values = {"file": str(urls), "pattern": _like(pattern.strip())}
            if connection.execute(_MATCHES, values).fetchone() is None:
                yield pattern


def _like(pattern: str) -> str:
    """Return the pattern as that of SQL's LIKE."""
    for special in ("\\", "%", "_"):
        pattern = pattern.replace(special, "\\" + special)
    return pattern.replace("*", "%")
