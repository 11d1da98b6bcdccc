"""What is derived from a whole crawl, as it is shown."""

from dataclasses import asdict

from pydantic import Field

from wavecrawl.api_models.types import Shown
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.difference import DiffKind
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.results import DiffCounts, GraphPiece


class NodeShown(Shown):
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


class GraphShown(Shown):
    """A piece of the link graph."""

    nodes: list[NodeShown]
    links: list[tuple[int, int]] = Field(description="pairs of places in `nodes`: from, to")
    redirects: list[tuple[int, int]] = Field(description="the same")
    truncated: bool = Field(description="whether there is more than was asked for at most")


class OrphanShown(Shown):
    """A page that a sitemap names and no crawled page links to."""

    key: str
    url: str
    title: str
    verdict: str = Field(description="orphan, or inconclusive where pages that might link to it could not be read")
    depth: int
    lastmod: str = Field(description="as the sitemap says; empty where it does not")


class BlockerShown(Shown):
    """A URL whose missing content keeps orphans from a verdict."""

    url: str
    why: str
    reason: str


class OrphanList(Shown):
    """Orphans of a crawl."""

    orphans: list[OrphanShown]
    next_cursor: str | None = Field(description="asks for the next page; null on the last one")
    blockers: int = Field(description="URLs that keep them from a verdict")
    first_blockers: list[BlockerShown] = Field(description="at most 20 of them")


class IssueShown(Shown):
    """One thing that is wrong."""

    severity: str = Field(description="error, warning or notice")
    kind: str
    url: str
    related: str = Field(description="another URL that has to do with it, or empty")
    detail: str


class IssueList(Shown):
    """Issues of a crawl, the gravest kinds first."""

    issues: list[IssueShown]
    next_cursor: str | None = Field(description="asks for the next page; null on the last one")


class NoticeShown(Shown):
    """Something that went wrong without ending anything."""

    subject: str
    message: str


class StatisticsShown(Shown):
    """The numbers of a crawl."""

    pages: int = Field(description="fetched and unchanged")
    urls: int = Field(description="ever seen")
    edges: int = Field(description="links between pages")
    max_depth: int
    bytes: int
    states: dict[str, int]
    reasons: dict[str, int]
    statuses: dict[str, int]
    content_types: dict[str, int]
    depths: dict[str, int]
    orphans: dict[str, int] = Field(description="by verdict")
    blockers: int
    issues: dict[str, int] = Field(description="by kind")
    near_duplicates: int
    notices: list[NoticeShown]
    timing: dict[str, float] = Field(description="seconds, and pages a second")


class DifferenceShown(Shown):
    """One difference between two crawls."""

    kind: DiffKind
    url: str
    key: str
    related: str = Field(description="where a page moved to; the page a link stands on; else empty")
    before: str
    now: str


class DiffShown(Shown):
    """What differs in a crawl from an earlier one of its site."""

    base: str
    crawl: str
    kinds: dict[str, int] = Field(description="how many differences there are of each kind")
    pages_before: int
    pages_now: int
    links_new: int
    links_gone: int
    differences: list[DifferenceShown] = Field(description="those of the kind that was asked for")
    next_cursor: str | None = Field(description="asks for the next page; null on the last one")


def graph_shown(piece: GraphPiece) -> GraphShown:
    """Return a piece of the graph."""
    return GraphShown(
        nodes=[NodeShown(**asdict(node)) for node in piece.nodes],
        links=list(piece.links),
        redirects=list(piece.redirects),
        truncated=piece.truncated,
    )


def statistics_shown(summary: CrawlSummary) -> StatisticsShown:
    """Return the numbers of a crawl."""
    told = {name: getattr(summary, name) for name in StatisticsShown.model_fields if name != "notices"}
    return StatisticsShown(**told, notices=[NoticeShown(**asdict(notice)) for notice in summary.notices])


def diff_shown(base: str, crawl: str, counts: DiffCounts) -> DiffShown:
    """Return how much differs."""
    return DiffShown(base=base, crawl=crawl, **asdict(counts), differences=[], next_cursor=None)
