"""What is derived from a whole crawl: graph, orphans, issues, statistics, what differs from an earlier one."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler.openapi.params import Query

from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import DiffKind, Mark
from wavecrawl.web.api.crawls import crawl_of
from wavecrawl.web.api.models_analysis import (
    BlockerShown,
    DifferenceShown,
    DiffShown,
    GraphShown,
    IssueList,
    IssueShown,
    OrphanList,
    OrphanShown,
    StatisticsShown,
    diff_shown,
    graph_shown,
    statistics_shown,
)
from wavecrawl.web.api.pages import has_results
from wavecrawl.web.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes
from wavecrawl.web.problems import Problem
from wavecrawl.web.service import Service

_OF_RESULTS: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
_BLOCKERS: Final = 20
_NAME: Final = r"^[a-z_]{0,60}$"

_DepthQuery = Annotated[int, Query(ge=0, le=1_000, description="how far from the root, where `around` names no page")]
_AroundQuery = Annotated[str, Query(pattern="^([0-9a-f]{32})?$", description="the key of a page to start from")]
_StepsQuery = Annotated[int, Query(ge=1, le=5, description="how far from that page, along links either way")]
_MostQuery = Annotated[int, Query(ge=1, le=2_000, description="how many nodes to return at most")]
_KindQuery = Annotated[str, Query(pattern=_NAME, description="one kind of issue only, such as broken_link")]
_SeverityQuery = Annotated[str, Query(pattern=_NAME, description="error, warning or notice only")]
_BaseQuery = Annotated[str, Query(pattern="^[A-Za-z0-9-]{1,64}$", description="the id of the earlier crawl")]
_DiffQuery = Annotated[DiffKind | None, Query(description="the kind of difference to list; none = count them only")]


def analysis_routes(service: Service) -> Routes:
    """Return the routes of what is derived from crawls. They all say 409 while a crawl has no results."""
    routes = Routes(service, tag="analysis")

    @routes.on("GET", "/v1/crawls/{crawl}/graph", summary="Look at the link graph", problems=_OF_RESULTS)
    def read_graph(
        crawl: CrawlName,
        depth: _DepthQuery = 2,
        around: _AroundQuery = "",
        steps: _StepsQuery = 1,
        limit: _MostQuery = 500,
    ) -> GraphShown:
        """Return a piece of the graph, small enough to draw: from the root down, or around a page."""
        row = _finished(routes, crawl)
        if not around:
            return graph_shown(service.results.top(row.id, depth=depth, most=limit))
        piece = service.results.around(row.id, around, steps=steps, most=limit)
        if piece is None:
            raise NotFoundError(f"crawl {crawl} has no page {around}")
        return graph_shown(piece)

    @routes.on("GET", "/v1/crawls/{crawl}/orphans", summary="List orphans", problems=_OF_RESULTS)
    def list_orphans(crawl: CrawlName, cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> OrphanList:
        """List pages that sitemaps name and no crawled page links to, and what keeps them from a verdict."""
        row = _finished(routes, crawl)
        part = service.results.orphans(row.id, limit=limit, after=_mark(routes.position(cursor)))
        blockers = service.results.blockers(row.id, limit=_BLOCKERS)
        return OrphanList(
            orphans=[OrphanShown(**asdict(one)) for one in part.rows],
            next_cursor=routes.cursor(str(part.following.row)) if part.following else None,
            blockers=service.results.statistics(row.id).blockers,
            first_blockers=[BlockerShown(**asdict(one)) for one in blockers.rows],
        )

    @routes.on("GET", "/v1/crawls/{crawl}/issues", summary="List issues", problems=_OF_RESULTS)
    def list_issues(
        crawl: CrawlName,
        kind: _KindQuery = "",
        severity: _SeverityQuery = "",
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> IssueList:
        """List what is wrong with the site, the gravest kinds first."""
        row = _finished(routes, crawl)
        after = _mark(routes.position(cursor, kind=kind, severity=severity))
        part = service.results.issues(row.id, kind=kind, severity=severity, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), kind=kind, severity=severity)
        return IssueList(issues=[IssueShown(**asdict(one)) for one in part.rows], next_cursor=following)

    @routes.on("GET", "/v1/crawls/{crawl}/statistics", summary="Count everything", problems=_OF_RESULTS)
    def read_statistics(crawl: CrawlName) -> StatisticsShown:
        """Return the numbers of a crawl: by state, reason, status, type, depth, verdict and kind of issue."""
        return statistics_shown(service.results.statistics(_finished(routes, crawl).id))

    @routes.on("GET", "/v1/crawls/{crawl}/diff", summary="Compare with an earlier crawl", problems=_OF_RESULTS)
    def compare_crawls(
        crawl: CrawlName,
        base: _BaseQuery,
        kind: _DiffQuery = None,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> DiffShown:
        """Say what differs from an earlier crawl of the same site: pages, links, depths."""
        row, old = _finished(routes, crawl), _finished(routes, base)
        if row.id.site != old.id.site:
            raise Problem(HTTPStatus.BAD_REQUEST, f"base: crawl {base} is of another site, {old.id.site}")
        shown = diff_shown(base, crawl, service.results.compare(old.id, row.id))
        if kind is None:
            return shown
        after = _mark(routes.position(cursor, base=base, kind=kind.value))
        part = service.results.differences(old.id, row.id, kind, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), base=base, kind=kind.value)
        listed = [DifferenceShown(**asdict(one)) for one in part.rows]
        return shown.model_copy(update={"differences": listed, "next_cursor": following})

    return routes


def _finished(routes: Routes, crawl: str) -> CrawlRow:
    row = crawl_of(routes, crawl)
    if not has_results(row):
        raise ConflictError(f"crawl {crawl} is {row.status.value}: what is derived from a whole crawl is not there")
    return row


def _mark(position: str) -> Mark | None:
    return Mark(row=int(position)) if position else None
