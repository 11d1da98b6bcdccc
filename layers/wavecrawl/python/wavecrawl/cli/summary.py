"""The end of a crawl, as a person reads it on a terminal."""

from pathlib import Path

from wavecrawl.ports.analytics import CrawlSummary


def print_summary(summary: CrawlSummary, folder: Path) -> None:
    """Print the headline numbers and where the results are."""
    raise NotImplementedError
