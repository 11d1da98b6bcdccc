"""Results: questions about one finished crawl, or about two (spec [10] to [13], [25], [34]). Answers are bounded."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.difference import DiffKind
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.pages.order import PageOrder
from wavecrawl.ports.analytics import CrawlSummary

RowType = TypeVar("RowType")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The last row of a part: the next part begins behind it. It stays good as long as the results do."""

    row: int  # the row's place in the export, from 0
    value: str | int | float = 0  # by which the part is ordered, where that is not the place


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Generic[RowType]):
    """Some rows of an answer, and where the rest begins."""

    rows: tuple[RowType, ...] = ()
    following: Mark | None = None  # None: there are no more


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """Which pages are meant; what is None or "" does not matter."""

    state: UrlState | None = None
    status: int | None = None
    depth: int | None = None
    content_type: str = ""
    text: str = ""  # somewhere in the URL, in any case

    def takes(self, page: "PageRow") -> bool:
        """Tell whether a page is meant."""
        return (
            self.state in (None, page.state)
            and self.status in (None, page.status)
            and self.depth in (None, page.depth)
            and self.content_type in ("", page.content_type)
            and self.text.lower() in page.url.lower()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuery:
    """Pages to list."""

    filter: PageFilter = PageFilter()
    order: PageOrder = PageOrder.CRAWL
    descending: bool = False
    limit: int = 100
    after: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRow:
    """One URL that was tried. What only the whole crawl can tell is None while it runs."""

    key: str
    url: str
    state: UrlState
    reason: str
    status: int | None
    depth: int  # exact once the crawl is over; until then as planned
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
    in_sitemap: bool | None = None
    orphan: str | None = None  # the verdict; "" = none
    duplicate_of: str | None = None
    near_duplicate_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLink:
    """A link or redirect of a page, or to it; `url` is its other end."""

    url: str
    key: str  # "" where the other end was not tried
    kind: str
    text: str
    region: str
    nofollow: bool
    reason: str  # why the link's target could not be crawled; "" = it could


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLinks:
    """Links one way, as far as they are shown."""

    total: int
    shown: tuple[PageLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDetail:
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
    text: str
    text_hash: str
    simhash: int
    etag: str
    last_modified: str
    final_url: str
    tries: int
    decoded_bytes: int
    truncated: bool
    response_time: float
    links: PageLinks
    linked_from: PageLinks | None  # None while the crawl runs
    sitemap_lastmod: str | None = None
    changed_on: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """One URL that was tried, in a piece of the graph."""

    key: str
    url: str
    title: str
    state: UrlState
    status: int | None
    depth: int
    in_links: int
    out_links: int
    orphan: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPiece:
    """A piece of the link graph: the nodes, and every link between two of them as positions in `nodes`."""

    nodes: tuple[GraphNode, ...]
    links: tuple[tuple[int, int], ...]
    redirects: tuple[tuple[int, int], ...]
    truncated: bool  # there is more than was asked for at most


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanRow:
    """A page that a sitemap names and no crawled page links to."""

    key: str
    url: str
    title: str
    verdict: str  # orphan, inconclusive
    depth: int
    lastmod: str  # as the sitemap says


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """A URL whose missing content keeps orphans from a verdict."""

    url: str
    why: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueRow:
    """One thing that is wrong."""

    severity: str
    kind: str
    url: str
    related: str  # another URL, or ""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow:
    """One difference."""

    kind: DiffKind
    url: str
    key: str
    related: str  # where it moved to; of a link: the page it stands on; else ""
    before: str  # in a few words
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffCounts:
    """How much differs."""

    kinds: dict[str, int]
    pages_before: int
    pages_now: int
    links_new: int
    links_gone: int


class Results(Protocol):
    """Asks a finished crawl's exports. Contract: tests/adapters/analytics.

    Each method raises NotFoundError where the crawl has no exports, and CorruptDataError where they cannot be read.
    Pages that are hidden (ports.hidden_pages) are in no answer.
    """

    def pages(self, crawl: CrawlId, query: PageQuery) -> Part[PageRow]:
        """Return the pages that the query takes, at most `limit`."""
        ...

    def page(self, crawl: CrawlId, key: str, *, links: int) -> PageDetail | None:
        """Return one page with at most `links` links each way, or None."""
        ...

    def batch_of(self, crawl: CrawlId, key: str) -> tuple[BatchId, int] | None:
        """Return the batch, and the attempt at it, whose archive holds a page's record; None without such a page."""
        ...

    def top(self, crawl: CrawlId, *, depth: int, most: int) -> GraphPiece:
        """Return the graph down to a depth, at most `most` nodes: those nearest to the root, most linked first."""
        ...

    def around(self, crawl: CrawlId, key: str, *, steps: int, most: int) -> GraphPiece | None:
        """Return what lies within some steps of a page, along links either way, nearest first; None without it."""
        ...

    def orphans(self, crawl: CrawlId, *, limit: int, after: Mark | None = None) -> Part[OrphanRow]:
        """Return orphans in crawl order."""
        ...

    def blockers(self, crawl: CrawlId, *, limit: int, after: Mark | None = None) -> Part[Blocker]:
        """Return what keeps orphans from a verdict."""
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
        """Return issues, the gravest kinds first; None takes all."""
        ...

    def statistics(self, crawl: CrawlId) -> CrawlSummary:
        """Return the numbers of the crawl."""
        ...

    def compare(self, base: CrawlId, crawl: CrawlId) -> DiffCounts:
        """Count what differs in `crawl` from `base`, an earlier crawl of the site."""
        ...

    def differences(
        self, base: CrawlId, crawl: CrawlId, kind: DiffKind, *, limit: int, after: Mark | None = None
    ) -> Part[DiffRow]:
        """Return the differences of one kind."""
        ...
