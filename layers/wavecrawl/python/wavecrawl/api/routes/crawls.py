"""Crawls: start, list, look at, cancel."""

import re
from dataclasses import replace
from http import HTTPStatus
from secrets import token_hex
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes, answer
from wavecrawl.api.service import Service
from wavecrawl.api_models.crawls import (
    CrawlExports,
    CrawlInFull,
    CrawlList,
    CrawlStarted,
    CrawlSummaryModel,
    ExportedFile,
    NewCrawl,
    in_full,
    outline,
    started,
    summary_of,
)
from wavecrawl.api_models.types import moment
from wavecrawl.application.crawl_settings import crawl_settings, names_pages, with_operator
from wavecrawl.application.delete_crawl import delete_crawl as crawl_deleted
from wavecrawl.application.list_crawls import list_crawls as crawls_listed
from wavecrawl.application.request_crawl import request_crawl
from wavecrawl.application.start_crawl import crawl_id_at, site_of
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import planned
from wavecrawl.ports.exports import LIFETIME
from wavecrawl.telemetry import about, count

_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
"""What may be a crawl's id; anything else would only trouble the table."""

_LAST_EVENTS: Final = 8
"""How many entries of a crawl's log are read to find its last plan: more than follow on the last wave stored."""

StatusQuery = Annotated[CrawlStatus | None, Query(description="only crawls of this status")]
SiteQuery = Annotated[str | None, Query(min_length=1, max_length=300, description="only crawls of this site")]


def crawl_of(routes: Routes, crawl: str) -> CrawlRow:
    """Return a crawl of the caller's tenant; raise Problem 404 where it has none of that id."""
    row = routes.service.crawls.find(routes.caller.tenant, crawl) if _ID.fullmatch(crawl) else None
    if row is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"there is no crawl {crawl}")
    about(row.id)
    return row


def crawl_routes(service: Service) -> Routes:
    """Return the routes of crawls."""
    routes = Routes(service, tag="crawls")

    @routes.on(
        "POST",
        "/v1/crawls",
        summary="Start a crawl",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.CONFLICT),
    )
    def start_crawl(crawl: NewCrawl) -> Response[CrawlStarted]:
        """Crawl a URL, saved as a site or not.

        409 names the crawl of the same site that is under way; 402 the plan's ceiling; 429 may mean that the month's
        crawls are used up, and says when the next month begins.
        """
        row = _start(routes, crawl)
        count("CrawlsStarted")
        return answer(started(row), status=HTTPStatus.ACCEPTED, headers={"location": f"/v1/crawls/{row.id.crawl}"})

    @routes.on("GET", "/v1/crawls", summary="List crawls")
    def list_crawls(
        status: StatusQuery = None, site: SiteQuery = None, cursor: CursorQuery = None, limit: LimitQuery = PAGE
    ) -> CrawlList:
        """List the tenant's crawls, the newest first.

        A status is looked for among a thousand crawls at a time: where most have another, a page may hold few or none,
        and still name a next one.
        """
        filters = {"status": status, "site": site}
        page = crawls_listed(
            service.crawls,
            routes.caller.tenant,
            site=site or "",
            status=status,
            limit=limit,
            before=routes.position(cursor, **filters),
        )
        following = routes.cursor(page.following, **filters) if page.following else None
        return CrawlList(crawls=[outline(row) for row in page.crawls], next_cursor=following)

    @routes.on("GET", "/v1/crawls/{crawl}", summary="Look at a crawl", problems=(HTTPStatus.NOT_FOUND,))
    def read_crawl(crawl: CrawlName) -> CrawlInFull:
        """Return a crawl with its counters and its bill so far."""
        row = crawl_of(routes, crawl)
        return in_full(row, service.waves.progress(row.id))

    @routes.on("GET", "/v1/crawls/{crawl}/summary", summary="How far a crawl is", problems=(HTTPStatus.NOT_FOUND,))
    def read_crawl_summary(crawl: CrawlName) -> CrawlSummaryModel:
        """Say how far a crawl has come: cheap enough to ask every few seconds, best with `if-none-match`."""
        row = crawl_of(routes, crawl)
        progress = service.waves.progress(row.id)
        # The last plan may not be written down yet; then the one before it says more than none. Behind the last wave
        # that is stored stand a few at most that had nothing to fetch: phases end with one.
        logged = service.event_log.after(row.id, planned(max(0, progress.waves - 1)) - 1, limit=_LAST_EVENTS)
        return summary_of(row, progress, [event for event in logged if event.kind is EventKind.PROGRESS])

    @routes.on(
        "DELETE",
        "/v1/crawls/{crawl}",
        summary="Delete a crawl",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def delete_crawl(crawl: CrawlName) -> Response[None]:
        """Delete a crawl that has ended, with its pages, results and log.

        409 where it is running. A crawl of very many pages may take more than one request: ask again after a 503.
        """
        row = crawl_of(routes, crawl)
        crawl_deleted(row, crawls=service.crawls, erasure=service.erasure)
        return answer(None, status=HTTPStatus.NO_CONTENT)

    @routes.on(
        "POST",
        "/v1/crawls/{crawl}/cancel",
        summary="Cancel a crawl",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def cancel_crawl(crawl: CrawlName) -> CrawlStarted:
        """Ask a running crawl to stop. It does so between two waves, and keeps its results so far."""
        row = crawl_of(routes, crawl)
        if not service.crawls.ask_to_cancel(row.id):
            problem = f"crawl {crawl} is not running: it is {row.status.value}"
            raise Problem(HTTPStatus.CONFLICT, problem, crawl=crawl, crawl_status=row.status.value)
        return started(replace(row, cancel_asked=True))

    @routes.on("GET", "/v1/crawls/{crawl}/exports", summary="List result files", problems=(HTTPStatus.NOT_FOUND,))
    def list_exports(crawl: CrawlName) -> CrawlExports:
        """List the files of a crawl's results, each with a URL that downloads it."""
        row = crawl_of(routes, crawl)
        files = [
            ExportedFile(
                name=export.name,
                bytes=export.bytes,
                content_type=export.content_type,
                url=service.exports.signed_url(row.id, export),
            )
            for export in service.exports.of(row.id)
        ]
        until = moment(service.clock.now() + LIFETIME)
        return CrawlExports(**started(row).model_dump(), expires_at=until, exports=files)

    return routes


def _start(routes: Routes, asked: NewCrawl) -> CrawlRow:
    service = routes.service
    settings = with_operator(crawl_settings(asked.settings, bounds=REQUEST_BOUNDS), service.settings)
    id_ = CrawlId(
        tenant=routes.caller.tenant,
        site=site_of(asked.url, settings),
        crawl=routes.decided(crawl_id_at(service.clock.now(), token_hex(4))),
    )
    about(id_)
    return request_crawl(
        id_,
        asked.url,
        settings,
        crawls=service.crawls,
        launcher=service.launcher,
        clock=service.clock,
        tenants=service.tenants,
        own_tenant=service.settings.tenant,
        pages_named=names_pages(asked.settings),
    )
