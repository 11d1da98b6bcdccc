"""The figures of a crawl's results that lists of crawls and sites show, and those that its last event adds."""

import msgspec


class CrawlStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """Counters of `summary.json` that the last event of a crawl reports. What did not occur has no key."""

    urls: int  # in the ledger
    edges: int  # links between them
    bytes: int  # of the bodies of pages, as transferred
    max_depth: int
    pages_per_second: float
    median_page_seconds: float  # of the requests that had a response
    p95_page_seconds: float
    usd: float | None = None  # cost until the results were made; None if the crawl has no AWS cost
    rendered: int = 0  # pages
    states: dict[str, int] = msgspec.field(default_factory=dict)  # URLs by state
    reasons: dict[str, int] = msgspec.field(default_factory=dict)  # URLs by reason of their state
    statuses: dict[str, int] = msgspec.field(default_factory=dict)  # URLs by HTTP status code
    orphans: dict[str, int] | None = msgspec.field(default_factory=dict)  # pages by verdict; None: they cannot be found
    duplicates: dict[str, int] = msgspec.field(default_factory=dict)  # pages by kind
    issues: dict[str, int] = msgspec.field(default_factory=dict)  # by kind
    media: dict[str, int] = msgspec.field(default_factory=dict)  # stored and unchanged URLs by kind
    media_bytes: int = 0  # transferred
    checks: dict[str, int] = msgspec.field(default_factory=dict)  # checked URLs by kind
    broken: dict[str, int] = msgspec.field(default_factory=dict)  # of them, those that cannot be fetched


class CrawlOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of the results of one crawl. The changes are None if there is no earlier crawl of the site."""

    pages: int  # fetched and unchanged
    errors: int  # issues of severity error
    new: int | None = None  # pages that no earlier crawl had, nor the newest one before knew without reading them
    changed: int | None = None  # pages with a different main text
    gone: int | None = None  # pages of earlier crawls that are deleted now (`domain.recrawl.deletion`)
    statistics: CrawlStatistics | None = None  # None if the results were made before these were stored
    limits: frozenset[str] = frozenset()  # at which the crawl stopped (`domain.crawl.reached_limits.STOPS`)
