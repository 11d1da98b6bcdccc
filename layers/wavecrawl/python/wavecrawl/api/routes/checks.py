"""Checked URLs of a crawl."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from msgspec.structs import asdict

from wavecrawl.api.backend import Backend
from wavecrawl.api.routes.analysis import OF_RESULTS
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routes.lists_so_far import open_list
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes
from wavecrawl.api_models.checks import CheckedUrl, CheckList
from wavecrawl.domain.checks.kinds import CheckKind, Verdict
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.ports import check_results
from wavecrawl.ports.results import Part

_KindQuery = Annotated[CheckKind | None, Query(description="Return only URLs of this kind.")]
_StateQuery = Annotated[UrlState | None, Query(description="Return only URLs in this state.")]
_BrokenQuery = Annotated[
    bool | None, Query(description="`true`: return only URLs that visitors cannot load. `false`: leave them out.")
]
_VerdictQuery = Annotated[Verdict | None, Query(description="Return only URLs with this verdict.")]


def check_routes(backend: Backend) -> Routes:
    """Return the routes of checked URLs."""
    routes = Routes(backend, tag="Analysis")

    @routes.on("GET", "/v1/crawls/{crawl}/checks", summary="List checked URLs", problems=OF_RESULTS)
    def list_checks(
        crawl: CrawlName,
        *,
        kind: _KindQuery = None,
        state: _StateQuery = None,
        broken: _BrokenQuery = None,
        verdict: _VerdictQuery = None,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> CheckList:
        """List the URLs of a crawl that are not pages and were checked, broken ones first.

        The list is empty if the crawl checks no links to other sites (setting `checks.external`) and no resources of
        pages (`checks.resources`). Until the crawl has results, it contains the URLs of the waves up to `as_of_wave`.
        """
        row = crawl_of(routes, crawl)
        opened = open_list(routes, row, cursor, {"kind": kind, "state": state, "broken": broken, "verdict": verdict})
        part: Part[check_results.CheckedUrl] = Part(total=0)
        if row.settings.checks.enabled:
            part = opened.so_far.results.checks(
                row.id,
                kind=kind,
                state=state,
                broken=broken,
                verdict=verdict,
                limit=limit,
                after=opened.after,
            )
        return CheckList(
            checks=[CheckedUrl(**asdict(one)) for one in part.rows],
            next_cursor=opened.cursor(part),
            total=part.total,
            as_of_wave=opened.so_far.as_of_wave,
        )

    return routes
