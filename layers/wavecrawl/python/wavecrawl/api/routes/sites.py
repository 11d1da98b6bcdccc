"""Saved sites."""

import re
from http import HTTPStatus
from secrets import token_hex
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import PAGE, CursorQuery, LimitQuery, Routes, respond
from wavecrawl.api.serializers.brand import brand_model
from wavecrawl.api.serializers.crawls import crawl_models, crawl_reference, site_crawls
from wavecrawl.api.serializers.sites import listed_site, new_site, schedule_starts, site_detail, updated_site
from wavecrawl.api_models.brand import SiteBrand
from wavecrawl.api_models.crawls import CrawlList, CrawlReference, NewSiteCrawl
from wavecrawl.api_models.schedules import CRON, LONGEST_CRON, LONGEST_ZONE, TIMEZONE, ScheduleStarts
from wavecrawl.api_models.sites import NewSite, SiteDetail, SiteList, SiteUpdate
from wavecrawl.api_models.types import rfc3339
from wavecrawl.application import sites
from wavecrawl.application.crawl_settings import crawl_settings, named_settings
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl
from wavecrawl.application.site_brand import site_brand
from wavecrawl.application.start_crawl import crawl_id_at
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.errors import OutdatedError
from wavecrawl.ports.sites import SiteRow
from wavecrawl.telemetry import about, count

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,300}")
"""IDs of sites. Others are not looked up."""

SiteName = Annotated[str, Path(description="ID of a site.")]
_CrawlsQuery = Annotated[
    int, Query(ge=0, le=12, description="Maximum number of latest crawls of each site in the response.")
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="if-match",
        description="`etag` of the site, or its `version` in quotes. If the site has another version, the response is "
        "412.",
    ),
]


def site_routes(backend: Backend) -> Routes:
    """Return the routes of sites."""
    routes = Routes(backend, tag="Sites")
    _saving(routes, backend)
    _changing(routes, backend)
    _crawling(routes, backend)
    _scheduling(routes, backend)
    return routes


def _saving(routes: Routes, backend: Backend) -> None:
    @routes.on(
        "POST",
        "/v1/sites",
        summary="Create a site",
        status=HTTPStatus.CREATED,
        problems=(HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.CONFLICT),
    )
    def create_site(site: NewSite) -> Response[SiteDetail]:
        """Create a site, to crawl it repeatedly. Its schedule starts immediately.

        Returns 409 if a site with that URL exists. Returns 402 if a limit of the plan is exceeded.
        """
        row = sites.create_site(new_site(site, tenant=routes.caller.tenant), backend, backend.settings)
        return _response(backend, row, status=HTTPStatus.CREATED, headers={"location": f"/v1/sites/{row.site}"})

    @routes.on("GET", "/v1/sites", summary="List sites")
    def list_sites(cursor: CursorQuery = None, limit: LimitQuery = PAGE, crawls: _CrawlsQuery = 0) -> SiteList:
        """List the tenant's sites, ordered by ID. With `crawls`, each with its latest crawls."""
        tenant, now = routes.caller.tenant, backend.clock.now()
        rows = backend.sites.of_tenant(tenant, limit=limit + 1, after=routes.position(cursor))
        following = routes.cursor(rows[limit - 1].site) if len(rows) > limit else None
        rows = rows[:limit]
        found = (
            backend.crawls.of_sites(tenant, [row.site for row in rows], limit=crawls) if crawls else [[]] * len(rows)
        )
        listed = zip(rows, site_crawls(found, waves=backend.waves), strict=True)
        return SiteList(sites=[listed_site(row, now, latest) for row, latest in listed], next_cursor=following)

    @routes.on("GET", "/v1/sites/{site}", summary="Get a site", problems=(HTTPStatus.NOT_FOUND,))
    def get_site(site: SiteName) -> Response[SiteDetail]:
        """Get a site with the settings of its crawls."""
        return _response(backend, site_of(routes, site))

    @routes.on("GET", "/v1/sites/{site}/brand", summary="Get the brand of a site", problems=(HTTPStatus.NOT_FOUND,))
    def get_site_brand(site: SiteName) -> SiteBrand:
        """Get the brand of a site: the values that you set, and for the rest those of its latest crawl with a brand.

        Only the results of the last 5 crawls are searched.
        """
        brand, crawl = site_brand(site_of(routes, site), backend)
        return brand_model(SiteBrand, brand, crawl=crawl)


def _changing(routes: Routes, backend: Backend) -> None:
    @routes.on(
        "PATCH",
        "/v1/sites/{site}",
        summary="Update a site",
        problems=(HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.NOT_FOUND, HTTPStatus.PRECONDITION_FAILED),
    )
    def update_site(site: SiteName, update: SiteUpdate, if_match: IfMatch = None) -> Response[SiteDetail]:
        """Update a site. A new schedule takes effect immediately. A running crawl keeps its settings.

        Returns 412 if the site is not the version in `if-match`, or if another request updates it at the same time.
        Returns 402 if a limit of the plan is exceeded.

        To repair a schedule that does not start crawls, send an empty update (`{}`): it sets up the stored schedule
        again.
        """
        row = site_of(routes, site)
        if if_match is not None and not _names(if_match, row):
            raise OutdatedError(f"site {site} was updated by another request: get it again, then repeat the update")
        new = updated_site(row, update)
        changed = sites.change_site(new, backend, backend.settings, old_list=row.settings.url_list)
        return _response(backend, changed)

    @routes.on(
        "DELETE",
        "/v1/sites/{site}",
        summary="Delete a site",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND,),
    )
    def delete_site(site: SiteName) -> Response[None]:
        """Delete a site and its schedule. Its crawls and their results are kept. A running crawl continues."""
        row = site_of(routes, site)
        sites.delete_site(row.tenant, row.site, backend)
        return respond(None, status=HTTPStatus.NO_CONTENT)


def _crawling(routes: Routes, backend: Backend) -> None:
    @routes.on(
        "POST",
        "/v1/sites/{site}/crawls",
        summary="Start a crawl of a site",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def start_site_crawl(site: SiteName, crawl: NewSiteCrawl) -> Response[CrawlReference]:
        """Start a crawl with the settings of a site, independent of its schedule. The body can be left out.

        Returns 409 if a crawl of the site is running; the problem's `crawl` contains the ID of that crawl. Returns 402
        if the settings exceed a limit of the plan; the problem's `limit` and `ceiling` contain the name and the value
        of the limit. Returns 429 if the tenant has started all crawls that its plan allows in a month; the problem's
        `resets_at` contains the start of the next month.
        """
        row = site_of(routes, site)
        crawl_id = routes.decided(crawl_id_at(backend.clock.now(), token_hex(8)))
        id_ = CrawlId(tenant=row.tenant, site=row.site, crawl=crawl_id)
        about(id_)
        request = CrawlRequest(
            site=row.site,
            settings=crawl_settings(crawl.settings, bounds=REQUEST_BOUNDS),
            named=named_settings(crawl.settings),
            trigger=routes.trigger,
        )
        started = request_crawl(id_, request, backend, backend.settings)
        count("CrawlsStarted")
        headers = {"location": f"/v1/crawls/{started.id.crawl}"}
        return respond(crawl_reference(started), status=HTTPStatus.ACCEPTED, headers=headers)

    @routes.on("GET", "/v1/sites/{site}/crawls", summary="List the crawls of a site", problems=(HTTPStatus.NOT_FOUND,))
    def list_site_crawls(site: SiteName, cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> CrawlList:
        """List the crawls of a site, newest first."""
        row = site_of(routes, site)
        before = routes.position(cursor)
        rows = backend.crawls.of_site(row.tenant, row.site, limit=limit + 1, before=before)
        following = routes.cursor(rows[limit - 1].id.crawl) if len(rows) > limit else None
        listed = crawl_models(rows[:limit], backend, now=backend.clock.now())
        return CrawlList(crawls=listed, next_cursor=following)


def _scheduling(routes: Routes, backend: Backend) -> None:
    @routes.on("GET", "/v1/schedules/starts", summary="List the starts of a schedule")
    def list_schedule_starts(
        frequency: Annotated[Frequency, Query(description="How often a crawl starts.")],
        cron: Annotated[str, Query(max_length=LONGEST_CRON, description=CRON)] = "",
        timezone: Annotated[str, Query(max_length=LONGEST_ZONE, description=TIMEZONE)] = "UTC",
    ) -> ScheduleStarts:
        """List the next starts of a schedule, without saving it."""
        schedule = Schedule(frequency=frequency, cron=cron, timezone=timezone)
        return schedule_starts(schedule, backend.clock.now())


def site_of(routes: Routes, site: str) -> SiteRow:
    """Return a site of the caller's tenant; raise Problem 404 if there is none with that ID."""
    row = routes.backend.sites.read(routes.caller.tenant, site) if _ID.fullmatch(site) else None
    if row is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"site {site} does not exist; save the site first: POST /v1/sites")
    return row


def _response(
    backend: Backend, row: SiteRow, *, status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None
) -> Response[SiteDetail]:
    site = site_detail(row, backend.clock.now())
    next_at = site.schedule.next_at
    tag = f'"{row.version}-{rfc3339(next_at) if next_at else "never"}"'  # `next_at` changes without an update
    return respond(site, status=status, headers={"etag": tag, **(headers or {})})


def _names(if_match: str, row: SiteRow) -> bool:
    """Return whether `If-Match` matches the version of a site (RFC 9110 section 13.1.1)."""
    tags = [one.strip() for one in if_match.split(",")]
    return "*" in tags or any(tag.strip('"').partition("-")[0] == str(row.version) for tag in tags)
