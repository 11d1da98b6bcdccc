"""What differs between two crawls of a site (spec [25])."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.analysis import OF_RESULTS, finished, mark_of
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes
from wavecrawl.api_models.analysis import DifferenceShown, DiffShown, diff_shown
from wavecrawl.domain.graph.difference import DiffKind

_BaseQuery = Annotated[str, Query(pattern="^[A-Za-z0-9-]{1,64}$", description="the id of the earlier crawl")]
_KindQuery = Annotated[DiffKind | None, Query(description="the kind of difference to list; none = count them only")]


def diff_routes(backend: Backend) -> Routes:
    """Return the route that compares."""
    routes = Routes(backend, tag="analysis")

    @routes.on("GET", "/v1/crawls/{crawl}/diff", summary="Compare with an earlier crawl", problems=OF_RESULTS)
    def compare_crawls(
        crawl: CrawlName,
        base: _BaseQuery,
        kind: _KindQuery = None,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> DiffShown:
        """Say what differs from an earlier crawl of the same site: pages, links, depths."""
        row, old = finished(routes, crawl), finished(routes, base)
        if row.id.site != old.id.site:
            raise Problem(HTTPStatus.BAD_REQUEST, f"base: crawl {base} is of another site, {old.id.site}")
        shown = diff_shown(base, crawl, backend.results.compare(old.id, row.id))
        if kind is None:
            return shown
        after = mark_of(routes.position(cursor, base=base, kind=kind.value))
        part = backend.results.differences(old.id, row.id, kind, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), base=base, kind=kind.value)
        listed = [DifferenceShown(**asdict(one)) for one in part.rows]
        return shown.model_copy(update={"differences": listed, "next_cursor": following})

    return routes
