"""Link graph, orphans, issues, statistics and comparison of crawls that have results."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler.openapi.params import Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routes.pages import has_results
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes
from wavecrawl.api.serializers.analysis import diff_model, graph_model, statistics_model
from wavecrawl.api_models.analysis import (
    CrawlDiff,
    CrawlStatistics,
    Difference,
    Graph,
    Issue,
    IssueList,
    Orphan,
    OrphanBlocker,
    OrphanList,
)
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import Mark

OF_RESULTS: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
"""Problems of routes that read results."""

_BLOCKERS: Final = 20

_DepthQuery = Annotated[
    int,
    Query(
        ge=0, le=1_000, description="Maximum depth of the pages: number of links from the root. Ignored with `around`."
    ),
]
_AroundQuery = Annotated[str, Query(pattern="^([0-9a-f]{32})?$", description="Key of a page to start from.")]
_StepsQuery = Annotated[
    int,
    Query(
        ge=1,
        le=5,
        description="With `around`: maximum number of links between that page and the others, in both directions.",
    ),
]
_MostQuery = Annotated[int, Query(ge=1, le=2_000, description="Maximum number of nodes.")]
_KindQuery = Annotated[IssueName | None, Query(description="Return only issues of this kind.")]
_BaseQuery = Annotated[str, Query(pattern="^[A-Za-z0-9-]{1,64}$", description="ID of the earlier crawl.")]
_DiffKindQuery = Annotated[
    DiffKind | None,
    Query(description="Kind of differences to list. Without it, the response contains only the counts."),
]
_SeverityQuery = Annotated[Severity | None, Query(description="Return only issues of this severity.")]


def analysis_routes(backend: Backend) -> Routes:
    """Return the routes of graph, orphans, issues, statistics and comparison."""
    routes = Routes(backend, tag="Analysis")
    _register_graph(routes)
    _register_lists(routes)
    _register_numbers(routes)
    return routes


def _register_graph(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/crawls/{crawl}/graph", summary="Get the link graph", problems=OF_RESULTS)
    def get_graph(
        crawl: CrawlName,
        depth: _DepthQuery = 2,
        around: _AroundQuery = "",
        steps: _StepsQuery = 1,
        limit: _MostQuery = 500,
    ) -> Graph:
        """Get a part of the link graph: from the root, or around a page.

        Returns 409 if the crawl is running or failed.
        """
        row = finished(routes, crawl)
        if not around:
            return graph_model(backend.results.top(row.id, depth=depth, most=limit))
        piece = backend.results.around(row.id, around, steps=steps, most=limit)
        if piece is None:
            raise NotFoundError(f"page {around} does not exist in crawl {crawl}")
        return graph_model(piece)


def _register_lists(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/crawls/{crawl}/orphans", summary="List orphans", problems=OF_RESULTS)
    def list_orphans(crawl: CrawlName, cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> OrphanList:
        """List orphans: pages that a sitemap lists, but that no crawled page links to.

        If some URLs could not be read (`blockers`), all orphans are `inconclusive`, because these URLs might link to
        them.
        Returns 409 if the crawl is running or failed.
        """
        row = finished(routes, crawl)
        part = backend.results.orphans(row.id, limit=limit, after=mark_of(routes.position(cursor)))
        blockers = backend.results.blockers(row.id, limit=_BLOCKERS)
        return OrphanList(
            orphans=[Orphan(**asdict(one)) for one in part.rows],
            next_cursor=routes.cursor(str(part.following.row)) if part.following else None,
            blockers=backend.results.statistics(row.id).blockers,
            first_blockers=[OrphanBlocker(**asdict(one)) for one in blockers.rows],
        )

    @routes.on("GET", "/v1/crawls/{crawl}/issues", summary="List issues", problems=OF_RESULTS)
    def list_issues(
        crawl: CrawlName,
        kind: _KindQuery = None,
        severity: _SeverityQuery = None,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> IssueList:
        """List the issues of the site, most severe kinds first.

        Returns 409 if the crawl is running or failed.
        """
        row = finished(routes, crawl)
        after = mark_of(routes.position(cursor, kind=kind, severity=severity))
        part = backend.results.issues(row.id, kind=kind, severity=severity, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), kind=kind, severity=severity)
        return IssueList(issues=[Issue(**asdict(one)) for one in part.rows], next_cursor=following)


def _register_numbers(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/crawls/{crawl}/statistics", summary="Get crawl statistics", problems=OF_RESULTS)
    def get_statistics(crawl: CrawlName) -> CrawlStatistics:
        """Get the statistics of a crawl.

        Returns 409 if the crawl is running or failed.
        """
        return statistics_model(backend.results.statistics(finished(routes, crawl).id))

    @routes.on("GET", "/v1/crawls/{crawl}/diff", summary="Compare two crawls", problems=OF_RESULTS)
    def compare_crawls(
        crawl: CrawlName,
        base: _BaseQuery,
        kind: _DiffKindQuery = None,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> CrawlDiff:
        """Compare a crawl with an earlier crawl of the same site: pages, links, depths.

        Returns 409 if one of the crawls is running or failed.
        """
        row, old = finished(routes, crawl), finished(routes, base)
        if row.id.site != old.id.site:
            raise Problem(HTTPStatus.BAD_REQUEST, f"base: crawl {base} belongs to another site, {old.id.site}")
        diff = diff_model(base, crawl, backend.results.compare(old.id, row.id))
        if kind is None:
            return diff
        after = mark_of(routes.position(cursor, base=base, kind=kind.value))
        part = backend.results.differences(old.id, row.id, kind, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), base=base, kind=kind.value)
        listed = [Difference(**asdict(one)) for one in part.rows]
        return diff.model_copy(update={"differences": listed, "next_cursor": following})


def finished(routes: Routes, crawl: str) -> CrawlRow:
    """Return a crawl that has results. Raise Problem if it does not exist, ConflictError if it has no results."""
    row = crawl_of(routes, crawl)
    if not has_results(row):
        raise ConflictError(f"crawl {crawl} is {row.status.value}: it has no results")
    return row


def mark_of(position: str) -> Mark | None:
    """Return the position after which a page of a list begins; None for the first page."""
    return Mark(row=int(position)) if position else None
