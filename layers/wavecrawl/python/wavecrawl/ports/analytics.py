"""Analytics: everything that is derived from a crawl's records and ledger when it is over (spec [10] to [14], [39])."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.ledger import LedgerRow, Notice


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlFacts:
    """What is to be said of the crawl itself. Times are Unix seconds."""

    crawl: str
    site: str
    root_url: str
    root_key: str
    status: str  # completed, cancelled, budget_exhausted
    stopped: str  # why nothing more was planned, such as max_pages; "" where all was done
    started_at: float
    finished_at: float
    settings: Mapping[str, object]  # as plain JSON values
    version: str
    follow_nofollow: bool
    usage: Usage = field(default_factory=Usage)  # of AWS


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapLine:
    """One URL that a sitemap names."""

    key: str
    url: str
    lastmod: str
    sitemap: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyticsInputs:
    """All that results derive from. Iterables are read once, and may be long."""

    records: Sequence[Path]  # gzipped JSON Lines of PageRecord, in gather order
    ledger: Iterable[LedgerRow]
    sitemap: Iterable[SitemapLine]
    changed: Mapping[str, str]  # url key -> W3C date its content last changed, where that is known
    notices: Sequence[Notice]
    crawl: CrawlFacts
    folder: Path  # where the results go; replaced as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class BillLines:
    """What a crawl cost in AWS, in dollars."""

    total_usd: float
    per_million_pages_usd: float
    services_usd: dict[str, float]
    usage: Usage
    prices_of: str  # the day of the price table


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSummary:
    """The numbers of summary.json. All that depends on time is in `timing` and `bill`."""

    crawl: str
    site: str
    root_url: str
    status: str
    stopped: str
    version: str
    pages: int  # fetched and unchanged
    urls: int  # rows of the ledger
    edges: int
    max_depth: int
    bytes: int
    states: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    content_types: dict[str, int] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)
    orphans: dict[str, int] = field(default_factory=dict)  # by verdict
    blockers: int = 0  # URLs whose missing content keeps orphans from a verdict
    issues: dict[str, int] = field(default_factory=dict)  # by kind
    near_duplicates: int = 0
    duplicate_records: int = 0  # must be 0
    notices: tuple[Notice, ...] = ()
    settings: dict[str, object] = field(default_factory=dict)
    timing: dict[str, float] = field(default_factory=dict)
    bill: BillLines | None = None  # None where nothing is billed


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """A page whose content a crawl fetched. Times are Unix seconds."""

    key: str
    url: str  # after redirects to the same identity
    title: str
    fetched_at: float


Beside = Callable[[Path, Iterable[ReadPage]], Sequence[Notice]]
"""Adds to a folder that holds the tables of a crawl, given its pages, the root first, which can be read once; returns
what people should know of that."""


class Analytics(Protocol):
    """Builds the results of a crawl. Contract: tests/adapters/analytics, tests/e2e/local/test_known_sites.py."""

    def build(self, inputs: AnalyticsInputs, *, beside: Beside = lambda *_: ()) -> CrawlSummary:
        """Write every export into the folder, and what `beside` adds, whole or not at all; return the summary.

        The exports are a function of records and ledger alone: not of the order of files or lines, of the number of
        workers, or of time, but for the columns that are named as times.
        """
        ...
