"""Link graph, orphans, issues, statistics and comparison of crawls."""

from http import HTTPStatus
from typing import Annotated, Final

import msgspec
from aws_lambda_powertools.event_handler.openapi.params import Query
from msgspec.structs import asdict

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routes.lists_so_far import open_list
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes
from wavecrawl.api.serializers.analysis import (
    diff_model,
    graph_model,
    issue_groups,
    statistics_model,
    text_change_model,
)
from wavecrawl.api.serializers.brand import brand_model
from wavecrawl.api_models.analysis import (
    CrawlDiff,
    CrawlStatistics,
    Difference,
    Duplicate,
    DuplicateList,
    Graph,
    Issue,
    IssueList,
    Orphan,
    OrphanBlocker,
    OrphanList,
    TextChangeList,
)
from wavecrawl.api_models.brand import CrawlBrand
from wavecrawl.application.results_so_far import results_of
from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.domain.pages.text_diff import DiffLimits
from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import Mark

OF_RESULTS: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
"""Problems of routes that read results."""

_BLOCKERS: Final = 20
_LINES: Final = 8_000  # of all diffs of a response: 5 MB of characters with 4 bytes each; Lambda returns at most 6 MB
_MOST_LINES: Final = 500  # of one diff

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
_DuplicateQuery = Annotated[DuplicateKind | None, Query(description="Return only duplicates of this kind.")]
_ClusterQuery = Annotated[
    str, Query(pattern="^([0-9a-f]{32})?$", description="Return only the duplicates of the page with this key.")
]
_BaseQuery = Annotated[str, Query(pattern="^[A-Za-z0-9-]{1,64}$", description="ID of the earlier crawl.")]
_KeyQuery = Annotated[str, Query(pattern="^([0-9a-f]{32})?$", description="Return only the page with this key.")]
_TextsQuery = Annotated[int, Query(ge=1, le=100, description="Maximum number of texts.")]
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
    _register_duplicates(routes)
    _register_numbers(routes)
    _register_text_changes(routes)
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

        Until the crawl has results, this is the graph of the pages of the waves up to `as_of_wave`.
        """
        row = crawl_of(routes, crawl)
        found = results_of(row, backend)
        if not around:
            return graph_model(found.results.top(row.id, depth=depth, most=limit), as_of_wave=found.as_of_wave)
        piece = found.results.around(row.id, around, steps=steps, most=limit)
        if piece is None:
            raise NotFoundError(f"page {around} does not exist in crawl {crawl}")
        return graph_model(piece, as_of_wave=found.as_of_wave)


def _register_lists(routes: Routes) -> None:
    @routes.on("GET", "/v1/crawls/{crawl}/orphans", summary="List orphans", problems=OF_RESULTS)
    def list_orphans(crawl: CrawlName, cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> OrphanList:
        """List orphans: pages that a sitemap lists, but that no crawled page links to.

        The verdict depends on what was not read (`blockers`), as it might link to them. Pages that a limit or a
        failure kept from being read are in the list too. Until the crawl has results, the list contains the pages of
        the waves up to `as_of_wave` that no page of these waves links to.
        """
        row = crawl_of(routes, crawl)
        opened = open_list(routes, row, cursor, {})
        results = opened.so_far.results
        part = results.orphans(row.id, limit=limit, after=opened.after)
        blockers = results.blockers(row.id, limit=_BLOCKERS)
        summary = results.statistics(row.id)
        return OrphanList(
            orphans=[Orphan(**asdict(one)) for one in part.rows],
            next_cursor=opened.cursor(part),
            total=None if summary.orphans is None else part.total,
            evidence=summary.orphan_evidence,
            blockers=summary.blockers,
            first_blockers=[OrphanBlocker(**asdict(one)) for one in blockers.rows],
            as_of_wave=opened.so_far.as_of_wave,
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

        Until the crawl has results, these are the issues of the pages of the waves up to `as_of_wave`, without
        duplicates. Later pages can still change them.
        """
        row = crawl_of(routes, crawl)
        opened = open_list(routes, row, cursor, {"kind": kind, "severity": severity})
        results = opened.so_far.results
        part = results.issues(row.id, kind=kind, severity=severity, limit=limit, after=opened.after)
        return IssueList(
            kinds=issue_groups(results.statistics(row.id).issues, row.settings.issues),
            issues=[Issue(**asdict(one)) for one in part.rows],
            next_cursor=opened.cursor(part),
            total=part.total,
            as_of_wave=opened.so_far.as_of_wave,
        )


def _register_duplicates(routes: Routes) -> None:
    @routes.on(
        "GET",
        "/v1/crawls/{crawl}/duplicates",
        summary="List duplicates",
        problems=(*OF_RESULTS, HTTPStatus.CONFLICT),
    )
    def list_duplicates(
        crawl: CrawlName,
        kind: _DuplicateQuery = None,
        cluster: _ClusterQuery = "",
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> DuplicateList:
        """List duplicates, each with the page that is kept, and similar pages to review.

        Returns 409 if the crawl is running or failed.
        """
        row = _finished(routes, crawl)
        filters = {"kind": kind.value if kind else "", "cluster": cluster}
        position = routes.position(cursor, crawl=crawl, **filters)
        after = Mark(row=int(position)) if position else None
        part = routes.backend.results.duplicates(row.id, kind=kind, cluster=cluster, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), crawl=crawl, **filters)
        return DuplicateList(
            duplicates=[Duplicate(**asdict(one)) for one in part.rows], next_cursor=following, total=part.total
        )


def _register_numbers(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/crawls/{crawl}/statistics", summary="Get crawl statistics", problems=OF_RESULTS)
    def get_statistics(crawl: CrawlName) -> CrawlStatistics:
        """Get the statistics of a crawl.

        Until the crawl has results, these are the statistics of the waves up to `as_of_wave`.
        """
        row = crawl_of(routes, crawl)
        found = results_of(row, backend)
        return statistics_model(found.results.statistics(row.id), as_of_wave=found.as_of_wave)

    @routes.on("GET", "/v1/crawls/{crawl}/brand", summary="Get the brand", problems=OF_RESULTS)
    def get_crawl_brand(crawl: CrawlName) -> CrawlBrand:
        """Get the brand that the crawl found on the root page: colours, fonts and logo.

        `confidence` is 0 if nothing was found, or if the setting `brand.enabled` is false.
        """
        row = crawl_of(routes, crawl)
        found = results_of(row, backend)
        brand = found.results.statistics(row.id).brand or Brand()
        return brand_model(CrawlBrand, brand, as_of_wave=found.as_of_wave)

    @routes.on(
        "GET",
        "/v1/crawls/{crawl}/diff",
        summary="Compare two crawls",
        problems=(*OF_RESULTS, HTTPStatus.CONFLICT),
    )
    def compare_crawls(
        crawl: CrawlName,
        base: _BaseQuery,
        kind: _DiffKindQuery = None,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> CrawlDiff:
        """Compare a crawl with an earlier crawl of the same site: pages, links, depths.

        Pages that one of the crawls left out because of its mode (`skipped_before`, `skipped_now`), because it stopped
        at a limit (`limits_before`, `limits_now`), or because of a setting in which it differs from the other one
        (`different_settings`), are not compared. If there are any, depths, numbers of links, PageRank and orphans are
        not compared either. Checked URLs are compared if both crawls have the same checks (`unshared_checks`).

        Returns 409 if one of the crawls is running or failed.
        """
        row, old = _two_of_a_site(routes, crawl, base)
        diff = diff_model(base, crawl, backend.results.compare(old.id, row.id))
        if kind is None:
            return diff
        position = routes.position(cursor, base=base, kind=kind.value)
        after = Mark(row=int(position)) if position else None
        part = backend.results.differences(old.id, row.id, kind, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), base=base, kind=kind.value)
        listed = [Difference(**msgspec.to_builtins(one)) for one in part.rows]
        return diff.model_copy(update={"differences": listed, "next_cursor": following})


def _register_text_changes(routes: Routes) -> None:
    @routes.on(
        "GET",
        "/v1/crawls/{crawl}/diff/texts",
        summary="List text changes",
        problems=(*OF_RESULTS, HTTPStatus.CONFLICT),
    )
    def list_text_changes(
        crawl: CrawlName, base: _BaseQuery, key: _KeyQuery = "", cursor: CursorQuery = None, limit: _TextsQuery = 20
    ) -> TextChangeList:
        """List the changes of main texts since an earlier crawl of the same site, as unified diffs.

        Returns 409 if one of the crawls is running or failed.
        """
        row, old = _two_of_a_site(routes, crawl, base)
        position = routes.position(cursor, base=base, key=key)
        after = Mark(row=int(position)) if position else None
        part = routes.backend.results.changed_texts(old.id, row.id, key=key, limit=limit, after=after)
        following = None
        if part.following is not None:
            following = routes.cursor(str(part.following.row), base=base, key=key)
        limits = DiffLimits(shown=min(_MOST_LINES, _LINES // limit))
        changes = [text_change_model(one, limits) for one in part.rows]
        return TextChangeList(base=base, crawl=crawl, changes=changes, next_cursor=following)


def _two_of_a_site(routes: Routes, crawl: str, base: str) -> tuple[CrawlRow, CrawlRow]:
    """Return two crawls that have results. Raise Problem if they are of different sites."""
    row, old = _finished(routes, crawl), _finished(routes, base)
    if row.id.site != old.id.site:
        raise Problem(HTTPStatus.BAD_REQUEST, f"base: crawl {base} belongs to another site, {old.id.site}")
    return row, old


def _finished(routes: Routes, crawl: str) -> CrawlRow:
    """Return a crawl that has results. Raise Problem if it does not exist, ConflictError if it has no results."""
    row = crawl_of(routes, crawl)
    if not row.has_results:
        raise ConflictError(f"crawl {crawl} is {row.status.value}: it has no results")
    return row
