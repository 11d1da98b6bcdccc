"""The figures of a crawl's results that lists of crawls and sites show."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOutcome:
    """Figures of the results of one crawl. The changes are None if there is no earlier crawl of the site."""

    pages: int  # fetched and unchanged
    errors: int  # issues of severity error
    new: int | None = None  # pages that no earlier crawl had, nor the newest one before knew without reading them
    changed: int | None = None  # pages with a different main text
    gone: int | None = None  # pages of earlier crawls that are now 404 or 410
    limits: frozenset[str] = frozenset()  # at which the crawl stopped (`domain.crawl.reached_limits.STOPS`)
