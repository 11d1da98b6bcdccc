"""Crawls."""

import re
from collections.abc import Collection
from http import HTTPStatus
from secrets import token_hex
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes, respond
from wavecrawl.api.serializers.crawls import crawl_detail, crawl_models, crawl_progress, crawl_reference
from wavecrawl.api_models.crawls import (
    CrawlDetail,
    CrawlExport,
    CrawlExports,
    CrawlList,
    CrawlProgress,
    CrawlReference,
    ExportFile,
    NewCrawl,
    PossibleFile,
)
from wavecrawl.api_models.types import timestamp
from wavecrawl.application.admission import queue_places
from wavecrawl.application.crawl_settings import crawl_settings, named_settings
from wavecrawl.application.crawls import cancel_crawl as crawl_cancelled
from wavecrawl.application.crawls import delete_crawl as crawl_deleted
from wavecrawl.application.crawls import list_crawls as crawls_listed
from wavecrawl.application.crawls import resume_crawl as crawl_resumed
from wavecrawl.application.file_problems import file_problem
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl
from wavecrawl.application.start_crawl import crawl_id_at, site_of
from wavecrawl.application.tenants import active_tenant
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import FILES, WACZ, file_with, missing_files
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import first_of, planned
from wavecrawl.ports.exports import LIFETIME, Export, description_of
from wavecrawl.telemetry import about, count

_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
"""IDs of crawls. Others are not looked up."""

_RETRY_AFTER: Final = "2"
"""Seconds after which a file that is being made is looked for again."""

_LAST_EVENTS: Final = 8
"""Entries of a crawl's log that are read to find the last planned wave."""

StatusQuery = Annotated[CrawlStatus | None, Query(description="Return only crawls with this status.")]
SiteQuery = Annotated[
    str | None, Query(min_length=1, max_length=300, description="Return only crawls of the site with this ID.")
]


FileName = Annotated[str, Path(min_length=1, max_length=100, description="Name of a result file.")]


def crawl_of(routes: Routes, crawl: str) -> CrawlRow:
    """Return a crawl of the caller's tenant; raise Problem 404 if there is none with that ID."""
    row = routes.backend.crawls.find(routes.caller.tenant, crawl) if _ID.fullmatch(crawl) else None
    if row is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"crawl {crawl} does not exist")
    about(row.id)
    return row


def crawl_routes(backend: Backend) -> Routes:
    """Return the routes of crawls."""
    routes = Routes(backend, tag="Crawls")

    @routes.on(
        "POST",
        "/v1/crawls",
        summary="Start a crawl",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.CONFLICT),
    )
    def start_crawl(crawl: NewCrawl) -> Response[CrawlReference]:
        """Start a crawl of a URL. You do not need to create a site first.

        If the URL is that of a saved site, the settings of the site apply, except those that the request names.

        If the limit of running crawls is reached, the crawl is `queued`. It starts when another crawl ends.

        Returns 409 if a crawl with the same site ID is queued or running; the problem's `crawl` contains the ID of that
        crawl. Returns 402 if the settings exceed a limit of the plan; the problem's `limit` and `ceiling` contain the
        name and the value of the limit. Returns 429 if the tenant has started all crawls that its plan allows in a
        month; the problem's `resets_at` contains the start of the next month.
        """
        row = _start(routes, crawl)
        count("CrawlsStarted")
        return respond(
            crawl_reference(row), status=HTTPStatus.ACCEPTED, headers={"location": f"/v1/crawls/{row.id.crawl}"}
        )

    @routes.on("GET", "/v1/crawls", summary="List crawls")
    def list_crawls(
        status: StatusQuery = None, site: SiteQuery = None, cursor: CursorQuery = None, limit: LimitQuery = PAGE
    ) -> CrawlList:
        """List crawls with their counters, newest first.

        With `status`, each request searches up to 1,000 crawls. A response can therefore contain fewer than `limit`
        crawls, or none, even if more follow. Continue with `next_cursor`.
        """
        filters = {"status": status, "site": site}
        page = crawls_listed(
            backend.crawls,
            routes.caller.tenant,
            site=site or "",
            status=status,
            limit=limit,
            before=routes.position(cursor, **filters),
        )
        following = routes.cursor(page.following, **filters) if page.following else None
        listed = crawl_models(page.crawls, backend, now=backend.clock.now())
        return CrawlList(crawls=listed, next_cursor=following)

    @routes.on("GET", "/v1/crawls/{crawl}", summary="Get a crawl", problems=(HTTPStatus.NOT_FOUND,))
    def get_crawl(crawl: CrawlName) -> CrawlDetail:
        """Get a crawl with its counters, its settings and its cost so far."""
        row = crawl_of(routes, crawl)
        site = backend.sites.read(row.id.tenant, row.id.site)
        return crawl_detail(row, backend, site=site, now=backend.clock.now())

    @routes.on("GET", "/v1/crawls/{crawl}/summary", summary="Get crawl progress", problems=(HTTPStatus.NOT_FOUND,))
    def get_crawl_progress(crawl: CrawlName) -> CrawlProgress:
        """Get the progress of a crawl. Suitable for polling every few seconds, best with `if-none-match`."""
        row = crawl_of(routes, crawl)
        progress = backend.waves.progress(row.id)
        # The log may not contain the last plan yet; then the one before it is used. After the last stored wave, the log
        # contains at most a few plans of waves without URLs, which end a phase.
        known = first_of(row.resumes) + planned(max(0, progress.waves - 1)) - 1
        logged = backend.event_log.after(row.id, known, limit=_LAST_EVENTS)
        plans = [event for event in logged if event.kind is EventKind.PROGRESS]
        place = queue_places([row], backend.crawls).get(row.id)
        return crawl_progress(row, progress, plans, place=place, now=backend.clock.now())

    _on_lives(routes)
    _on_exports(routes)
    return routes


def _on_lives(routes: Routes) -> None:
    backend = routes.backend

    @routes.on(
        "DELETE",
        "/v1/crawls/{crawl}",
        summary="Delete a crawl",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def delete_crawl(crawl: CrawlName) -> Response[None]:
        """Delete a crawl that has ended, with its pages, results, log, and the passages that were indexed from it.

        Later crawls do not store unchanged pages again. What they need of this crawl is kept until they are deleted.

        Returns 409 if the crawl is queued or running, or ended so recently that a worker may still store pages of it.
        Also returns 409 while another crawl of the site is queued or running; the problem's `crawl` is its ID.
        Returns 503 if there is too much to delete in one request. Send the request again until it succeeds.
        """
        row = crawl_of(routes, crawl)
        crawl_deleted(row, backend)
        return respond(None, status=HTTPStatus.NO_CONTENT)

    @routes.on(
        "POST",
        "/v1/crawls/{crawl}/cancel",
        summary="Cancel a crawl",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def cancel_crawl(crawl: CrawlName) -> CrawlReference:
        """Cancel a queued or running crawl. A queued crawl ends at once.

        A running crawl stops within a few seconds. Its results so far are kept.

        Returns 409 if the crawl has ended; the problem's `crawl_status` contains its status.
        """
        row = crawl_of(routes, crawl)
        cancelled = crawl_cancelled(row.id, backend)
        if cancelled is None:
            problem = f"crawl {crawl} has ended: it is {row.status.value}"
            raise Problem(HTTPStatus.CONFLICT, problem, crawl=crawl, crawl_status=row.status.value)
        return crawl_reference(cancelled)

    @routes.on(
        "POST",
        "/v1/crawls/{crawl}/resume",
        summary="Resume a crawl",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def resume_crawl(crawl: CrawlName) -> CrawlReference:
        """Resume a failed or cancelled crawl. It continues where it stopped, with the same ID and settings.

        It does not count as a new crawl. If the limit of running crawls is reached, the crawl is `queued`. The
        time between its end and the resume does not count towards `max_seconds`.

        Returns 409 if the crawl has another status, or if another crawl of its site is queued or running; the problem's
        `crawl` then contains the ID of that crawl.
        """
        row = crawl_of(routes, crawl)
        active_tenant(row.id.tenant, tenants=backend.tenants, own=backend.settings.tenant)
        try:
            crawl_resumed(row.id, backend.crawls)
        finally:  # in any case: an earlier request may have failed after it queued the crawl
            backend.launcher.launch(row.id)
        return crawl_reference(backend.crawls.read(row.id) or row)


def _on_exports(routes: Routes) -> None:
    backend = routes.backend

    @routes.on(
        "POST",
        "/v1/crawls/{crawl}/exports",
        summary="Create the exports again",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def create_exports(crawl: CrawlName) -> CrawlReference:
        """Create the result files of a crawl that has ended, or create them again, in the background.

        This includes failed crawls, whose results contain the pages fetched so far. The crawl keeps its status.

        Returns 409 if the crawl has not ended, or if it ended before its first page was requested.
        """
        row = crawl_of(routes, crawl)
        if not row.status.has_ended or not row.root_url:
            raise Problem(HTTPStatus.CONFLICT, f"crawl {crawl} has nothing to export: it is {row.status.value}")
        backend.launcher.make_results(row.id)
        return crawl_reference(row)

    @routes.on("GET", "/v1/crawls/{crawl}/exports", summary="List exports", problems=(HTTPStatus.NOT_FOUND,))
    def list_exports(crawl: CrawlName) -> CrawlExports:
        """List the result files of a crawl with their download URLs."""
        row = crawl_of(routes, crawl)
        found = backend.exports.of(row.id)
        possible = _possible_files(row, backend, {export.name for export in found})
        return CrawlExports(
            **crawl_reference(row).model_dump(),
            expires_at=timestamp(backend.clock.now() + LIFETIME),
            exports=[_export_file(row, backend, export) for export in found],
            possible=[PossibleFile(name=name, description=description_of(name)) for name in possible],
        )

    @routes.on(
        "GET",
        "/v1/crawls/{crawl}/exports/{file}",
        summary="Get an export",
        also=(HTTPStatus.ACCEPTED,),
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def get_export(crawl: CrawlName, file: FileName) -> Response[CrawlExport]:
        """Get a result file of a crawl with its download URL. Create it if it does not exist yet.

        Returns 202 while the file is being created. Send the request again after the seconds in `retry-after`.

        Returns 404 if the crawl cannot have such a file. Returns 409 if the file could not be created; `detail` is the
        reason. Create the exports again to try it once more.
        """
        row = crawl_of(routes, crawl)
        found = backend.exports.of(row.id)
        export = next((one for one in found if one.name == file), None)
        if export is None:
            _have_made(row, file, backend, {one.name for one in found})
        model = CrawlExport(
            **crawl_reference(row).model_dump(),
            expires_at=timestamp(backend.clock.now() + LIFETIME),
            export=_export_file(row, backend, export) if export else None,
        )
        if export is None:
            return respond(model, status=HTTPStatus.ACCEPTED, headers={"retry-after": _RETRY_AFTER})
        return respond(model)


def _export_file(row: CrawlRow, backend: Backend, export: Export) -> ExportFile:
    return ExportFile(
        name=export.name,
        description=description_of(export.name),
        bytes=export.bytes,
        content_type=export.content_type,
        url=backend.exports.signed_url(row.id, export),
        viewer_url=backend.exports.viewer_url(row.id, export),
    )


def _possible_files(row: CrawlRow, backend: Backend, existing: Collection[str]) -> list[str]:
    """Return the names of the files of a crawl that can still be made."""
    if not row.status.has_ended:
        return []
    names = {name for file in missing_files(existing) for name in FILES[file]}
    return sorted(names - set(existing) - (set() if backend.settings.wacz_mb else {WACZ}))


def _have_made(row: CrawlRow, name: str, backend: Backend, existing: Collection[str]) -> None:
    """Have a file made in the background; raise Problem 404 if the crawl cannot have it, 409 if that failed."""
    if name not in _possible_files(row, backend, existing):
        raise Problem(HTTPStatus.NOT_FOUND, f"crawl {row.id.crawl} has no file {name}")
    if problem := file_problem(row, name, backend.objects):
        raise Problem(HTTPStatus.CONFLICT, f"{name} cannot be created: {problem}", crawl=row.id.crawl)
    file = file_with(name)
    if file is not None:
        backend.launcher.make_files(row.id, [file])


def _start(routes: Routes, crawl: NewCrawl) -> CrawlRow:
    backend = routes.backend
    settings = crawl_settings(crawl.settings, bounds=REQUEST_BOUNDS)
    id_ = CrawlId(
        tenant=routes.caller.tenant,
        site=site_of(crawl.url, settings),
        crawl=routes.decided(crawl_id_at(backend.clock.now(), token_hex(8))),
    )
    about(id_)
    named = named_settings(crawl.settings)
    request = CrawlRequest(url=crawl.url, settings=settings, trigger=routes.trigger, named=named)
    return request_crawl(id_, request, backend, backend.settings)
