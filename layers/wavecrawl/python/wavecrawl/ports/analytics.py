"""Analytics: derives the results of a crawl from its records and ledger."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

import msgspec

from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.objectives import Objective
from wavecrawl.domain.crawl.references import References
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.site_changes import SiteChanges, TextDates
from wavecrawl.domain.graph.completeness import SiteBlocker
from wavecrawl.ports.parts import Table


class CrawlFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a crawl for its results. Times are Unix seconds."""

    crawl: str
    site: str
    root_url: str
    root_key: str
    status: str  # completed, cancelled, budget_exhausted
    stopped: str  # why the crawl stopped early, such as max_pages; "" if it did not
    started_at: float
    finished_at: float
    settings: Mapping[str, object]  # as plain JSON values
    version: str
    follow_nofollow: bool
    authenticated: bool = False  # whether credentials of the site were sent
    usage: Usage = msgspec.field(default_factory=Usage)  # AWS usage


class SitemapLine(msgspec.Struct, frozen=True, kw_only=True):
    """One URL of a sitemap."""

    key: str
    url: str
    lastmod: str
    sitemap: str


class SitemapAlternate(msgspec.Struct, frozen=True, kw_only=True):
    """A translation of a page that its sitemap entry names."""

    language: str  # hreflang
    url: str  # absolute
    key: str  # its url key; "" if it is not http(s)


class SitemapEntryLine(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a sitemap file, as it is written there."""

    sitemap: str  # URL of the file
    position: int  # in the file, from 0
    url: str  # absolute
    key: str  # its url key; the URL may be out of scope
    lastmod: str  # W3C date or date and time; "" if missing or invalid
    changed_at: float | None  # Unix seconds of a lastmod with a time
    changefreq: str
    priority: float | None  # 0..1
    alternates: tuple[SitemapAlternate, ...]
    images: tuple[str, ...]  # absolute URLs


class EarlierCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier crawl of the site, whose results the report compares with those of the crawl."""

    crawl: CrawlId
    fetch: Callable[[CrawlId, str, Path], Path | None]
    """Returns the local path of an export; downloads it into a folder if needed. None: it does not exist."""
    hidden: Callable[[CrawlId], frozenset[str]] = lambda _: frozenset()  # returns the keys of a crawl's deleted pages


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes that the first results of a crawl store, and those that are made again use."""

    get: Callable[[], bytes | None] = lambda: None
    put: Callable[[bytes], object] = lambda _: None


class AnalyticsInputs(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs of analytics. Iterables are read once and may be long."""

    parts: Mapping[Table, Sequence[Path]]  # the files of each table, in the order of the parts
    sitemap: Iterable[SitemapLine]
    notices: Sequence[Notice]
    crawl: CrawlFacts
    sitemaps: int = 0  # files that were read
    blockers: Sequence[SiteBlocker] = ()  # what was not read of the sitemaps
    entries: Iterable[SitemapEntryLine] = ()  # of all sitemap files; of a running crawl, none
    changes: SiteChanges | None = None  # since the site's earlier crawls; None in its first crawl
    history: Path | None = None  # a file with what the site remembers of its pages; None if it remembered nothing
    earlier: EarlierCrawl | None = None  # the newest one with results; None in a site's first crawl
    listed: Kept = msgspec.field(default_factory=Kept)  # the lists of changes in the report
    folder: Path  # folder of the results; replaced as a whole
    screenshot: Callable[[str], bytes | None] = lambda _: None  # returns the screenshot with a name, None if it is gone

    @property
    def texts(self) -> Mapping[str, TextDates]:
        """Return the age of the main text of each page that was known before, by url key."""
        return {} if self.changes is None else self.changes.texts


class BillLines(msgspec.Struct, frozen=True, kw_only=True):
    """The AWS cost of a crawl in dollars."""

    total_usd: float
    per_million_pages_usd: float
    services_usd: dict[str, float]
    usage: Usage
    prices_of: str  # date of the price table


class MediaCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The media of one kind."""

    urls: int  # fetched and unchanged
    duplicates: int  # of them, those with the content of another one
    missing: int  # all others: not requested, not found, unusable
    received: int  # bytes transferred in this crawl
    size: int  # bytes of the different contents, as received
    stored: int  # bytes of the different contents, as stored
    states: dict[str, int] = msgspec.field(default_factory=dict)  # URLs by state


class CheckCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The checked URLs of one kind."""

    urls: int  # checked
    broken: int  # of them, those that cannot be fetched
    moved: int  # of them, those that redirect permanently
    unchecked: int  # all others: denied by robots.txt, or not requested because of a limit
    unknown: int = 0  # of `urls`, those whose response proves nothing, such as 403; 0 if an earlier version counted


class CrawlTiming(msgspec.Struct, frozen=True, kw_only=True):
    """When a crawl ran, and how fast."""

    started_at: datetime
    finished_at: datetime
    seconds: float
    pages_per_second: float
    median_page_seconds: float  # of the requests that had a response
    p95_page_seconds: float  # the same: 95 % were faster


class CrawlSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The content of summary.json. Only `timing` and `bill` depend on time."""

    crawl: str
    site: str
    root_url: str
    status: str
    stopped: str
    version: str
    pages: int  # fetched and unchanged
    urls: int  # rows of the ledger
    edges: int
    max_depth: int  # of the pages in `depths`
    bytes: int
    states: dict[str, int] = msgspec.field(default_factory=dict)
    reasons: dict[str, int] = msgspec.field(default_factory=dict)
    statuses: dict[str, int] = msgspec.field(default_factory=dict)
    content_types: dict[str, int] = msgspec.field(default_factory=dict)
    depths: dict[str, int] = msgspec.field(default_factory=dict)  # pages by depth, without those that no link leads to
    orphans: dict[str, int] | None = msgspec.field(default_factory=dict)  # by verdict; None: they cannot be found
    orphan_evidence: str = ""  # what the verdicts are based on, or why orphans cannot be found: one or two sentences
    blockers: int = 0  # pages and sitemaps that were not read, or only in part (`domain.graph.completeness`)
    rendered: int = 0  # pages whose content is that of a browser
    unrendered: int = 0  # shells that scripts fill, and that were not rendered
    brand: Brand | None = None  # None if nothing of it was found
    issues: dict[str, int] = msgspec.field(default_factory=dict)  # by kind
    duplicates: dict[str, int] = msgspec.field(default_factory=dict)  # by kind
    media: dict[str, MediaCounts] = msgspec.field(default_factory=dict)  # by kind; empty if the crawl stores none
    pages_indexed: int | None = (
        None  # pages and documents whose text the knowledge index takes; None: of an earlier version
    )
    videos_skipped_oversized: int = 0  # videos larger than `media.max_video_mb`
    duplicates_skipped: int = 0  # media URLs whose content another one has, so that it was not stored again
    checks: dict[str, CheckCounts] = msgspec.field(default_factory=dict)  # by kind; empty if nothing is checked
    objectives: tuple[Objective, ...] = ()
    duplicate_records: int = 0  # must be 0
    notices: tuple[Notice, ...] = ()
    settings: dict[str, object] = msgspec.field(default_factory=dict)
    timing: CrawlTiming
    bill: BillLines | None = None  # None if nothing is billed


class ReadPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page whose content a crawl fetched, or an unchanged one. Times are Unix seconds."""

    key: str
    url: str  # after redirects to the same identity
    title: str
    fetched_at: float
    screenshot: str = ""  # name (ports.screenshots); "" = there is none
    place: str = ""  # of the record of an earlier crawl with its content (ports.archive); "" = this crawl has it
    is_page: bool = True  # whether people open it in a browser, unlike a file or a resource of a page
    asset: str = ""  # hash of the asset (ports.media_assets) at this URL; "" = it is none
    media_type: str = ""  # of the asset
    asset_bytes: int = 0  # its size as stored


Beside = Callable[[Path, Iterable[ReadPage]], Sequence[Notice]]
"""Adds files to a folder of results, given the fetched pages (root first, iterable once); returns notices."""


def no_files(_folder: Path, _pages: Iterable[ReadPage]) -> Sequence[Notice]:
    """Add nothing: a `Beside`."""
    return ()


class Analytics(Protocol):
    """Builds the results of a crawl. Contract: tests/adapters/analytics, tests/e2e/local/test_known_sites.py."""

    def build(
        self, inputs: AnalyticsInputs, *, files: Collection[ResultFile] = tuple(ResultFile), beside: Beside = no_files
    ) -> CrawlSummary:
        """Write the exports into the folder atomically, with `files`; return the summary.

        `beside` adds the package (`ResultFile.WACZ`). Except for columns of times, the exports depend only on the parts
        and the sitemaps: not on the number of workers or the time.
        """
        ...

    def add(
        self, inputs: AnalyticsInputs, files: Collection[ResultFile], *, beside: Beside = no_files
    ) -> Sequence[Notice]:
        """Add files to the results in the folder, each atomically: the same as `build` writes from these inputs.

        Return a notice for each that cannot be written.
        """
        ...

    def references(self, crawl: CrawlId, parts: Mapping[Table, Sequence[Path]], *, scratch: Path) -> References:
        """Return what the pages and media URLs in the files of a crawl's tables refer to in other crawls."""
        ...
