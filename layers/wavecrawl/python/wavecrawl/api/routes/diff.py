"""What differs between two crawls of a site (spec [25])."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.analysis import OF_RESULTS, finished, mark_of
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes
from wavecrawl.api.serializers.analysis import diff_model
from wavecrawl.api.service import Service
from wavecrawl.api_models.analysis import CrawlDiff, Difference
from wavecrawl.domain.graph.difference import DiffKind

_BaseQuery = Annotated[str, Query(pattern="^[A-Za-z0-9-]{1,64}$", description="Id of the earlier crawl.")]
_KindQuery = Annotated[DiffKind | None, Query(description="Differences to list. If left out, they are only counted.")]


def diff_routes(service: Service) -> Routes:
    """Return the route that compares."""
    routes = Routes(service, tag="analysis")

    @routes.on("GET", "/v1/crawls/{crawl}/diff", summary="Compare two crawls", problems=OF_RESULTS)
    def compare_crawls(
        crawl: CrawlName,
        base: _BaseQuery,
        kind: _KindQuery = None,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> CrawlDiff:
        """Compare a crawl with an earlier crawl of the same site: pages, links, depths.

        Returns 409 if one of the crawls is running or failed.
        """
        row, old = finished(routes, crawl), finished(routes, base)
        if row.id.site != old.id.site:
            raise Problem(HTTPStatus.BAD_REQUEST, f"base: crawl {base} belongs to another site, {old.id.site}")
        diff = diff_model(base, crawl, service.results.compare(old.id, row.id))
        if kind is None:
            return diff
        after = mark_of(routes.position(cursor, base=base, kind=kind.value))
        part = service.results.differences(old.id, row.id, kind, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), base=base, kind=kind.value)
        listed = [Difference(**asdict(one)) for one in part.rows]
        return diff.model_copy(update={"differences": listed, "next_cursor": following})

    return routes
