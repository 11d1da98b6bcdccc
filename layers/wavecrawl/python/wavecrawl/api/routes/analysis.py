"""What is derived from a whole crawl: graph, orphans, issues, statistics."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler.openapi.params import Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routes.pages import has_results
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes
from wavecrawl.api_models.analysis import (
    BlockerShown,
    GraphShown,
    IssueList,
    IssueShown,
    OrphanList,
    OrphanShown,
    StatisticsShown,
    graph_shown,
    statistics_shown,
)
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import Mark

OF_RESULTS: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
"""Problems of routes that ask results."""

_BLOCKERS: Final = 20

_DepthQuery = Annotated[int, Query(ge=0, le=1_000, description="how far from the root, where `around` names no page")]
_AroundQuery = Annotated[str, Query(pattern="^([0-9a-f]{32})?$", description="the key of a page to start from")]
_StepsQuery = Annotated[int, Query(ge=1, le=5, description="how far from that page, along links either way")]
_MostQuery = Annotated[int, Query(ge=1, le=2_000, description="how many nodes to return at most")]
_KindQuery = Annotated[IssueName | None, Query(description="one kind of issue only")]
_SeverityQuery = Annotated[Severity | None, Query(description="issues so grave only")]


def analysis_routes(backend: Backend) -> Routes:
    """Return the routes of what is derived from crawls. They all say 409 while a crawl has no results."""
    routes = Routes(backend, tag="analysis")

    @routes.on("GET", "/v1/crawls/{crawl}/graph", summary="Look at the link graph", problems=OF_RESULTS)
    def read_graph(
        crawl: CrawlName,
        depth: _DepthQuery = 2,
        around: _AroundQuery = "",
        steps: _StepsQuery = 1,
        limit: _MostQuery = 500,
    ) -> GraphShown:
        """Return a piece of the graph, small enough to draw: from the root down, or around a page."""
        row = finished(routes, crawl)
        if not around:
            return graph_shown(backend.results.top(row.id, depth=depth, most=limit))
        piece = backend.results.around(row.id, around, steps=steps, most=limit)
        if piece is None:
            raise NotFoundError(f"crawl {crawl} has no page {around}")
        return graph_shown(piece)

    @routes.on("GET", "/v1/crawls/{crawl}/orphans", summary="List orphans", problems=OF_RESULTS)
    def list_orphans(crawl: CrawlName, cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> OrphanList:
        """List pages that sitemaps name and no crawled page links to, and what keeps them from a verdict."""
        row = finished(routes, crawl)
        part = backend.results.orphans(row.id, limit=limit, after=mark_of(routes.position(cursor)))
        blockers = backend.results.blockers(row.id, limit=_BLOCKERS)
        return OrphanList(
            orphans=[OrphanShown(**asdict(one)) for one in part.rows],
            next_cursor=routes.cursor(str(part.following.row)) if part.following else None,
            blockers=backend.results.statistics(row.id).blockers,
            first_blockers=[BlockerShown(**asdict(one)) for one in blockers.rows],
        )

    @routes.on("GET", "/v1/crawls/{crawl}/issues", summary="List issues", problems=OF_RESULTS)
    def list_issues(
        crawl: CrawlName,
        kind: _KindQuery = None,
        severity: _SeverityQuery = None,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> IssueList:
        """List what is wrong with the site, the gravest kinds first."""
        row = finished(routes, crawl)
        after = mark_of(routes.position(cursor, kind=kind, severity=severity))
        part = backend.results.issues(row.id, kind=kind, severity=severity, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), kind=kind, severity=severity)
        return IssueList(issues=[IssueShown(**asdict(one)) for one in part.rows], next_cursor=following)

    @routes.on("GET", "/v1/crawls/{crawl}/statistics", summary="Count everything", problems=OF_RESULTS)
    def read_statistics(crawl: CrawlName) -> StatisticsShown:
        """Return the numbers of a crawl: by state, reason, status, type, depth, verdict and kind of issue."""
        return statistics_shown(backend.results.statistics(finished(routes, crawl).id))

    return routes


def finished(routes: Routes, crawl: str) -> CrawlRow:
    """Return a crawl that has results; raise Problem without such a crawl, ConflictError where it has none."""
    row = crawl_of(routes, crawl)
    if not has_results(row):
        raise ConflictError(f"crawl {crawl} is {row.status.value}: what is derived from a whole crawl is not there")
    return row


def mark_of(position: str) -> Mark | None:
    """Return where a part begins; None for the first."""
    return Mark(row=int(position)) if position else None
