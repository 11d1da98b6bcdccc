"""Link graph, orphans, issues, statistics and comparison of crawls: responses."""

from pydantic import Field

from wavecrawl.api_models.types import NextCursor, ResponseModel
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.difference import DiffKind
from wavecrawl.domain.graph.issue import IssueName, Severity

_KEY = "Key of the page."


class GraphNode(ResponseModel):
    """A page of the link graph."""

    key: str = Field(description=_KEY)
    url: str
    title: str
    state: UrlState
    status: int | None = Field(description="Status code of the response. `null` if there was no response.")
    depth: int = Field(description="Links from the root.")
    in_links: int = Field(description="Pages that link to the page.")
    out_links: int = Field(description="Pages that the page links to.")
    orphan: str = Field(description="`orphan` or `inconclusive` if no crawled page links to the page. Empty otherwise.")


class Graph(ResponseModel):
    """A part of the link graph of a crawl."""

    nodes: list[GraphNode]
    links: list[tuple[int, int]] = Field(description="Links between nodes: pairs of indexes into `nodes`, from and to.")
    redirects: list[tuple[int, int]] = Field(
        description="Redirects between nodes: pairs of indexes into `nodes`, from and to."
    )
    truncated: bool = Field(description="Whether nodes were left out because of `limit`.")


class Orphan(ResponseModel):
    """A page that a sitemap lists and no crawled page links to."""

    key: str = Field(description=_KEY)
    url: str
    title: str
    verdict: str = Field(
        description="`orphan`, or `inconclusive` if pages that might link to the page could not be read."
    )
    depth: int = Field(description="Links from the root.")
    lastmod: str = Field(description="`lastmod` of the sitemap entry. Empty if it has none.")


class OrphanBlocker(ResponseModel):
    """A URL that could not be read, so that orphans it might link to are inconclusive."""

    url: str
    why: str = Field(description="State and status code of the URL, or `not read to its end`.")
    reason: str = Field(description="Reason of the state. Empty if there is none.")


class OrphanList(ResponseModel):
    """Paginated list of orphans."""

    orphans: list[Orphan]
    next_cursor: NextCursor
    blockers: int = Field(description="URLs that could not be read and might link to the orphans.")
    first_blockers: list[OrphanBlocker] = Field(description="The first 20 of them.")


class Issue(ResponseModel):
    """An issue of the site."""

    severity: Severity
    kind: IssueName
    url: str = Field(description="URL that has the issue.")
    related: str = Field(description="Another URL involved. Empty if there is none.")
    detail: str = Field(description="Details for people.")


class IssueList(ResponseModel):
    """Paginated list of issues, most severe kinds first."""

    issues: list[Issue]
    next_cursor: NextCursor


class Notice(ResponseModel):
    """An error that did not end the crawl."""

    subject: str = Field(description="What the notice is about.")
    message: str


class CrawlStatistics(ResponseModel):
    """The statistics of a crawl."""

    pages: int = Field(description="Pages fetched or unchanged.")
    urls: int = Field(description="URLs found.")
    edges: int = Field(description="Links between pages.")
    max_depth: int = Field(description="Largest number of links from the root.")
    bytes: int = Field(description="Bytes received.")
    states: dict[str, int] = Field(description="URLs by state.")
    reasons: dict[str, int] = Field(description="URLs by reason of their state.")
    statuses: dict[str, int] = Field(description="Responses by status code.")
    content_types: dict[str, int] = Field(description="Pages by media type.")
    depths: dict[str, int] = Field(description="Pages by depth.")
    orphans: dict[str, int] = Field(description="Orphans by verdict.")
    blockers: int = Field(description="URLs that could not be read and might link to orphans.")
    issues: dict[str, int] = Field(description="Issues by kind.")
    near_duplicates: int = Field(description="Pages with nearly the same text as another page.")
    notices: list[Notice]
    timing: dict[str, float] = Field(description="Durations in seconds, and pages per second.")


class Difference(ResponseModel):
    """A difference between two crawls."""

    kind: DiffKind
    url: str
    key: str = Field(description=_KEY)
    related: str = Field(
        description="For `moved`, the new URL. For links, the URL of the page with the link. Empty otherwise."
    )
    before: str = Field(description="Value in the earlier crawl.")
    now: str = Field(description="Value in the later crawl.")


class CrawlDiff(ResponseModel):
    """The differences between a crawl and an earlier crawl of the same site."""

    base: str = Field(description="ID of the earlier crawl.")
    crawl: str = Field(description="ID of the later crawl.")
    kinds: dict[str, int] = Field(description="Differences by kind.")
    pages_before: int = Field(description="Pages in the earlier crawl.")
    pages_now: int = Field(description="Pages in the later crawl.")
    links_new: int = Field(description="Links in the later crawl only.")
    links_gone: int = Field(description="Links in the earlier crawl only.")
    differences: list[Difference] = Field(description="Differences of the requested kind. Empty without `kind`.")
    next_cursor: NextCursor
