"""Results: queries over one or two crawls, ended or running. All results are limited in size."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

import msgspec

from wavecrawl.domain.checks.kinds import CheckKind, Verdict
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.graph.blocker_kind import BlockerKind
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.graph.gaps import Gap
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.domain.pages.order import PageOrder
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.check_results import CheckedUrl
from wavecrawl.ports.media_results import AssetUse, MediaRow, PageMedia

RowType = TypeVar("RowType")


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """The last row of a part; the next part starts after it. Valid as long as the results exist."""

    row: int  # position of the row in the export, from 0
    value: str | int | float = 0  # sort value of the row, if rows are not sorted by position


class Part(msgspec.Struct, Generic[RowType], frozen=True, kw_only=True):
    """Some rows of a result."""

    rows: tuple[RowType, ...] = ()
    following: Mark | None = None  # where the next part starts; None = there is none
    last: Mark | None = None  # its last row; only lists of pages have it
    total: int | None = None  # rows of all parts; None = not counted


class PageFilter(msgspec.Struct, frozen=True, kw_only=True):
    """A filter of pages. None and "" match any value."""

    state: UrlState | None = None
    status: int | None = None
    depth: int | None = None
    lane: Lane | None = None
    content_type: str = ""
    text: str = ""  # part of the URL, ignoring case
    duplicate: bool | None = None  # whether `duplicate_of` names a page


class PageQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query for pages."""

    filter: PageFilter = PageFilter()
    order: PageOrder = PageOrder.CRAWL
    descending: bool = False
    with_text: bool = False
    limit: int = 100
    after: Mark | None = None


class PageRow(msgspec.Struct, frozen=True, kw_only=True):
    """One requested URL. Fields that only a whole crawl can have are None until it has results."""

    key: str
    url: str
    state: UrlState
    reason: str
    status: int | None
    revalidated: bool  # the server confirmed with 304 that the page is unchanged: the response is an earlier one
    depth: int  # as planned; exact when the crawl has results
    lane: Lane | None  # None if it never joined the frontier
    score: float | None  # 0 to 1
    title: str
    content_type: str
    words: int
    bytes: int
    elapsed: float  # seconds
    fetched_at: float  # Unix seconds
    redirect_to: str
    parent: str | None = None
    in_links: int | None = None
    out_links: int | None = None
    pagerank: float | None = None
    indexable: bool | None = None
    not_indexable: str | None = None  # why; "" = it is indexable
    in_sitemap: bool | None = None
    orphan: str | None = None  # the verdict; "" = none
    duplicate_of: str | None = None
    near_duplicate_of: str | None = None
    similarity: float | None = None  # to the page in either column
    text: str | None = None  # the main text; None if the query does not ask for it


class PageLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link or redirect from or to a page; `url` is the other end."""

    url: str
    key: str  # "" if the other end was not requested
    kind: str
    text: str
    region: str
    nofollow: bool
    reason: str  # why the target could not be crawled; "" if it could
    found_in: str  # `html`, or `dom` if only the rendered page has it
    rel: str  # `ugc`, `sponsored`, both separated by a space, or ""


class PageLinks(msgspec.Struct, frozen=True, kw_only=True):
    """The links and redirects in one direction, or the first of them."""

    total: int
    pages: int  # at their other ends: in_links or out_links; of a URL that redirects, the pages that link to itself
    shown: tuple[PageLink, ...]


class PageDetail(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one page."""

    page: PageRow
    detail: str
    full_title: str
    description: str
    keywords: str
    language: str
    canonical: str
    robots: tuple[str, ...]
    charset: str
    headings: tuple[tuple[int, str], ...]
    hreflang: tuple[tuple[str, str], ...]
    open_graph: tuple[tuple[str, str], ...]
    json_ld_types: tuple[str, ...]
    cut_facts: tuple[str, ...]  # the lists that have more values on the page than here
    rule_problems: tuple[str, ...]  # why rules have no value, or not all: `name: reason`
    extracted: dict[str, list[str]]  # values by the name of the rule
    text: str  # the main text
    text_hash: str
    simhash: int
    etag: str
    last_modified: str
    final_url: str
    tries: int
    decoded_bytes: int
    truncated: bool
    truncated_reason: str  # why the end is missing (`domain.fetching.exchange.Cut`)
    shell: str  # why the HTML is taken for a shell that JavaScript fills; "" if it is none
    rendered: bool  # whether the content is that of a browser
    render_added: bool  # whether rendering added links or text, without the links of opened menus
    render_problem: str  # why rendering failed
    screenshot: str  # name (ports.screenshots) of its screenshot; "" if there is none
    response_time: float
    links: PageLinks
    linked_from: PageLinks
    sitemap_lastmod: str | None = None
    changed_on: str | None = None


class LinkSource(msgspec.Struct, frozen=True, kw_only=True):
    """A page with a link to a URL."""

    url: str
    text: str  # of the link


class GraphNode(msgspec.Struct, frozen=True, kw_only=True):
    """One requested URL in a part of the graph."""

    key: str
    url: str
    title: str
    state: UrlState
    status: int | None
    depth: int
    in_links: int
    out_links: int
    orphan: str


class GraphPiece(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the link graph: nodes, and the links between them as positions in `nodes`."""

    nodes: tuple[GraphNode, ...]
    links: tuple[tuple[int, int], ...]
    redirects: tuple[tuple[int, int], ...]
    truncated: bool  # cut at the limit


class OrphanRow(msgspec.Struct, frozen=True, kw_only=True):
    """A sitemap page that no crawled page links to."""

    key: str  # "" if it was not requested
    url: str
    title: str
    verdict: str  # `domain.graph.orphans.Verdict`
    depth: int
    lastmod: str  # from the sitemap
    sitemap: str  # that lists it
    evidence: str  # of the verdict, in one or two sentences


class Blocker(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a crawl did not see (`domain.graph.completeness`)."""

    url: str  # of a page or a sitemap
    why: str
    reason: str  # of the page's state; "" = see `why`
    kind: BlockerKind


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """What a site remembered of a page at the end of a crawl. The page was read at least once."""

    deleted: str = ""  # time since when it is known to be gone, ISO 8601; "" = it is not

    @property
    def deleted_at(self) -> float:
        """The same in Unix seconds; 0.0 if it is not."""
        return datetime.fromisoformat(self.deleted).timestamp() if self.deleted else 0.0


class IssueRow(msgspec.Struct, frozen=True, kw_only=True):
    """One issue."""

    severity: str
    kind: str
    url: str
    key: str  # "" if it was not requested
    related: str  # another URL, or ""
    related_key: str  # "" if it was not requested
    detail: str


class DuplicateRow(msgspec.Struct, frozen=True, kw_only=True):
    """A page whose text is like that of the page that is kept, `duplicate_of`."""

    key: str
    url: str
    duplicate_of: str
    similarity: float
    kind: DuplicateKind
    cluster: str  # key of the page that is kept; "" for pages to review
    words: int


class ChangedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value of a page that differs between two crawls."""

    name: str  # such as Title
    before: str  # short text; "" = the page had no such value
    now: str


class DiffRow(msgspec.Struct, frozen=True, kw_only=True):
    """One difference."""

    kind: DiffKind
    url: str
    key: str  # "" of checked URLs
    related: str  # target of a move, or the page with the link; else ""
    before: str  # short text
    now: str
    values: tuple[ChangedValue, ...] = ()  # of a changed page


class DiffCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of differences."""

    kinds: dict[str, int]
    pages_before: int
    pages_now: int
    links_new: int
    links_gone: int
    limits_before: tuple[str, ...] = ()  # that kept the earlier crawl from reading known URLs (`domain.crawl.record`)
    limits_now: tuple[str, ...] = ()  # the same of the later crawl
    skipped_before: int = 0  # known URLs that the earlier crawl did not request because of its mode: not compared
    skipped_now: int = 0  # the same of the later crawl
    unshared_checks: tuple[str, ...] = ()  # settings of checks that only one crawl has: their URLs are not compared
    different_settings: tuple[str, ...] = ()  # that decide which URLs are crawled: what they leave out is not compared


class ChangedText(msgspec.Struct, frozen=True, kw_only=True):
    """The main text of a page in two crawls."""

    key: str
    url: str
    before: str
    now: str


class Results(Protocol):
    """Queries over the exports of a crawl. Contract: tests/adapters/analytics.

    Each method raises NotFoundError if the crawl has no exports and CorruptDataError if they cannot be read. Hidden
    pages (ports.hidden_pages) are never included.
    """

    def pages(self, crawl: CrawlId, query: PageQuery) -> Part[PageRow]:
        """Return the pages that match the query, at most `limit`."""
        ...

    def page(self, crawl: CrawlId, key: str, *, links: int) -> PageDetail | None:
        """Return one page with at most `links` links in each direction, or None."""
        ...

    def batch_of(self, crawl: CrawlId, key: str) -> tuple[BatchId, int] | None:
        """Return the batch and attempt whose archive contains the page's record, or None if the page is unknown."""
        ...

    def batches_of(self, crawl: CrawlId, keys: Sequence[str]) -> Mapping[str, tuple[BatchId, int]]:
        """Return the same for some pages, by key, without unknown ones."""
        ...

    def links_to(self, crawl: CrawlId, url: str, *, most: int) -> tuple[LinkSource, ...]:
        """Return at most `most` links to a URL, by the URL of their page."""
        ...

    def top(self, crawl: CrawlId, *, depth: int, most: int) -> GraphPiece:
        """Return the graph down to a depth with at most `most` nodes: nearest to the root first, then most linked."""
        ...

    def around(self, crawl: CrawlId, key: str, *, steps: int, most: int) -> GraphPiece | None:
        """Return the pages within `steps` links of a page in either direction, or None if the page is unknown."""
        ...

    def orphans(self, crawl: CrawlId, *, limit: int, after: Mark | None = None) -> Part[OrphanRow]:
        """Return orphans in crawl order."""
        ...

    def blockers(self, crawl: CrawlId, *, limit: int, after: Mark | None = None) -> Part[Blocker]:
        """Return what the crawl did not see."""
        ...

    def gaps(self, crawl: CrawlId) -> tuple[Gap, ...]:
        """Return what the crawl did not see as it has gaps of its own, by reason."""
        ...

    def remembered(self, crawl: CrawlId, key: str) -> Remembered | None:
        """Return what the site remembered of a page at the end of the crawl; None if the page was never read."""
        ...

    def issues(
        self,
        crawl: CrawlId,
        *,
        kind: IssueName | None = None,
        severity: Severity | None = None,
        limit: int,
        after: Mark | None = None,
    ) -> Part[IssueRow]:
        """Return issues by severity, errors first; None matches any value."""
        ...

    def duplicates(
        self,
        crawl: CrawlId,
        *,
        kind: DuplicateKind | None = None,
        cluster: str = "",
        limit: int,
        after: Mark | None = None,
    ) -> Part[DuplicateRow]:
        """Return duplicates and pages to review, by the page that is kept; None and "" match any value."""
        ...

    def checks(
        self,
        crawl: CrawlId,
        *,
        kind: CheckKind | None = None,
        state: UrlState | None = None,
        broken: bool | None = None,
        verdict: Verdict | None = None,
        url: str = "",
        limit: int,
        after: Mark | None = None,
    ) -> Part[CheckedUrl]:
        """Return the checked URLs of a crawl that checks any, broken ones first; "" matches any URL."""
        ...

    def media(
        self,
        crawl: CrawlId,
        *,
        kind: MediaKind | None = None,
        state: UrlState | None = None,
        duplicate: bool | None = None,
        url: str = "",
        limit: int,
        after: Mark | None = None,
    ) -> Part[MediaRow]:
        """Return the media URLs of a crawl that stores media, in the order in which pages name them; "" matches any."""
        ...

    def media_of(self, crawl: CrawlId, page: str, *, limit: int) -> Part[PageMedia]:
        """Return what the page with this key uses, in page order."""
        ...

    def uses_of(self, crawl: CrawlId, hash_: str, *, limit: int, after: Mark | None = None) -> Part[AssetUse]:
        """Return the uses of an asset, in crawl order of the pages."""
        ...

    def statistics(self, crawl: CrawlId) -> CrawlSummary:
        """Return the summary of the crawl."""
        ...

    def compare(self, base: CrawlId, crawl: CrawlId) -> DiffCounts:
        """Count the differences of `crawl` from `base`, an earlier crawl of the site."""
        ...

    def differences(
        self, base: CrawlId, crawl: CrawlId, kind: DiffKind, *, limit: int, after: Mark | None = None
    ) -> Part[DiffRow]:
        """Return the differences of one kind."""
        ...

    def changed_texts(
        self, base: CrawlId, crawl: CrawlId, *, key: str = "", limit: int, after: Mark | None = None
    ) -> Part[ChangedText]:
        """Return the main texts of pages whose text changed, or of the page `key` if it changed, by URL."""
        ...
