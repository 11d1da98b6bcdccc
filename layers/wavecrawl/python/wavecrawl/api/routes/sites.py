"""Sites: save, change, delete, crawl."""

import re
from dataclasses import replace
from http import HTTPStatus
from secrets import token_hex
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header, Path

from wavecrawl.api.problems import Problem
from wavecrawl.api.routing import PAGE, CursorQuery, LimitQuery, Routes, answer
from wavecrawl.api.service import Service
from wavecrawl.api_models.crawls import CrawlList, CrawlStarted, outline, started
from wavecrawl.api_models.schedules import asked_schedule
from wavecrawl.api_models.sites import (
    NewSite,
    SiteChange,
    SiteInFull,
    SiteList,
    site_in_full,
    site_outline,
)
from wavecrawl.application.crawl_settings import crawl_settings, names_pages
from wavecrawl.application.delete_site import delete_site
from wavecrawl.application.save_site import change_site, create_site
from wavecrawl.application.start_crawl import crawl_id_at
from wavecrawl.application.start_site import SitePorts, start_site
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import OutdatedError
from wavecrawl.ports.sites import SiteRow
from wavecrawl.telemetry import about, count

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,300}")
"""What may be a site's id; anything else would only trouble the table."""

SiteName = Annotated[str, Path(description="the id of a site")]
IfMatch = Annotated[
    str | None,
    Header(alias="if-match", description="ETag or version that was read, in quotes: refuses to change a later one"),
]


def site_routes(service: Service) -> Routes:
    """Return the routes of sites."""
    routes = Routes(service, tag="sites")
    _saving(routes, service)
    _changing(routes, service)
    _crawling(routes, service)
    return routes


def _saving(routes: Routes, service: Service) -> None:
    @routes.on(
        "POST",
        "/v1/sites",
        summary="Save a site",
        status=HTTPStatus.CREATED,
        problems=(HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.CONFLICT),
    )
    def save_site(site: NewSite) -> Response[SiteInFull]:
        """Save what is crawled again and again. Its schedule, if it has one, counts from now on.

        409 where there is a site of that URL already; 402 where the plan allows fewer pages, or no further site.
        """
        row = create_site(
            _new(routes, site),
            sites=service.sites,
            schedules=service.schedules,
            tenants=service.tenants,
            clock=service.clock,
            own_tenant=service.settings.tenant,
        )
        return _shown(service, row, status=HTTPStatus.CREATED, headers={"location": f"/v1/sites/{row.site}"})

    @routes.on("GET", "/v1/sites", summary="List sites")
    def list_sites(cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> SiteList:
        """List the tenant's saved sites by their ids."""
        rows = service.sites.of_tenant(routes.caller.tenant, limit=limit + 1, after=routes.position(cursor))
        following = routes.cursor(rows[limit - 1].site) if len(rows) > limit else None
        now = service.clock.now()
        return SiteList(sites=[site_outline(row, now) for row in rows[:limit]], next_cursor=following)

    @routes.on("GET", "/v1/sites/{site}", summary="Look at a site", problems=(HTTPStatus.NOT_FOUND,))
    def read_site(site: SiteName) -> Response[SiteInFull]:
        """Return a saved site with the settings of its crawls."""
        return _shown(service, _site_of(routes, site))


def _changing(routes: Routes, service: Service) -> None:
    @routes.on(
        "PATCH",
        "/v1/sites/{site}",
        summary="Change a site",
        problems=(HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.NOT_FOUND, HTTPStatus.PRECONDITION_FAILED),
    )
    def update_site(site: SiteName, change: SiteChange, if_match: IfMatch = None) -> Response[SiteInFull]:
        """Change a site; a new schedule takes effect at once. What is being crawled goes on as it was started.

        412 where somebody else changed the site since it was read. An empty change puts the schedule again.
        """
        row = _site_of(routes, site)
        if if_match is not None and not _names(if_match, row):
            raise OutdatedError(f"site {site} was changed by somebody else: read it again")
        changed = change_site(
            _changed(row, change),
            sites=service.sites,
            schedules=service.schedules,
            tenants=service.tenants,
            clock=service.clock,
            own_tenant=service.settings.tenant,
        )
        return _shown(service, changed)

    @routes.on(
        "DELETE",
        "/v1/sites/{site}",
        summary="Delete a site",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND,),
    )
    def remove_site(site: SiteName) -> Response[None]:
        """Delete a site and its schedule. Its crawls stay, with their results; one that is under way goes on."""
        row = _site_of(routes, site)
        delete_site(row.tenant, row.site, sites=service.sites, schedules=service.schedules)
        return answer(None, status=HTTPStatus.NO_CONTENT)


def _crawling(routes: Routes, service: Service) -> None:
    @routes.on(
        "POST",
        "/v1/sites/{site}/crawls",
        summary="Crawl a site now",
        status=HTTPStatus.ACCEPTED,
        problems=(HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def crawl_site(site: SiteName) -> Response[CrawlStarted]:
        """Start a crawl with the site's settings, whatever its schedule says.

        409 names the crawl of the site that is under way; 429 may mean that the month's crawls are used up.
        """
        row = _site_of(routes, site)
        crawl_id = routes.decided(crawl_id_at(service.clock.now(), token_hex(4)))
        id_ = CrawlId(tenant=row.tenant, site=row.site, crawl=crawl_id)
        about(id_)
        crawl = start_site(id_, _ports(service), service.settings)
        count("CrawlsStarted")
        headers = {"location": f"/v1/crawls/{crawl.id.crawl}"}
        return answer(started(crawl), status=HTTPStatus.ACCEPTED, headers=headers)

    @routes.on("GET", "/v1/sites/{site}/crawls", summary="List a site's crawls", problems=(HTTPStatus.NOT_FOUND,))
    def list_site_crawls(site: SiteName, cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> CrawlList:
        """List the crawls of a saved site, the newest first."""
        row = _site_of(routes, site)
        before = routes.position(cursor)
        rows = service.crawls.of_site(row.tenant, row.site, limit=limit + 1, before=before)
        following = routes.cursor(rows[limit - 1].id.crawl) if len(rows) > limit else None
        return CrawlList(crawls=[outline(one) for one in rows[:limit]], next_cursor=following)


def _site_of(routes: Routes, site: str) -> SiteRow:
    """Return a site of the caller's tenant; raise Problem 404 where it has none of that id."""
    row = routes.service.sites.read(routes.caller.tenant, site) if _ID.fullmatch(site) else None
    if row is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"there is no site {site}")
    return row


def _new(routes: Routes, asked: NewSite) -> SiteRow:
    tenant = routes.caller.tenant
    return SiteRow(
        tenant=tenant,
        site="",
        url=asked.url,
        name=asked.name or Identity().page_url(asked.url).host,
        settings=crawl_settings(asked.settings, bounds=REQUEST_BOUNDS),
        pages_named=names_pages(asked.settings),
        schedule=_default_schedule(routes) if asked.schedule is None else asked_schedule(asked.schedule),
    )


def _default_schedule(routes: Routes) -> Schedule:
    tenant = routes.service.tenants.read(routes.caller.tenant)
    return Schedule() if tenant is None else tenant.settings.schedule


def _changed(row: SiteRow, asked: SiteChange) -> SiteRow:
    changed = row
    if asked.name is not None:
        changed = replace(changed, name=asked.name)
    if asked.settings is not None:
        settings = crawl_settings(asked.settings, bounds=REQUEST_BOUNDS)
        changed = replace(changed, settings=settings, pages_named=names_pages(asked.settings))
    if asked.schedule is not None:
        changed = replace(changed, schedule=asked_schedule(asked.schedule))
    return changed


def _shown(
    service: Service, row: SiteRow, *, status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None
) -> Response[SiteInFull]:
    shown = site_in_full(row, service.clock.now())
    tag = f'"{row.version}-{shown.schedule.next_at or "never"}"'  # the next time moves, and with it what is shown
    return answer(shown, status=status, headers={"etag": tag, **(headers or {})})


def _names(if_match: str, row: SiteRow) -> bool:
    """Tell whether a condition names the version of a site: RFC 9110 section 13.1.1."""
    tags = [one.strip() for one in if_match.split(",")]
    return "*" in tags or any(tag.strip('"').partition("-")[0] == str(row.version) for tag in tags)


def _ports(service: Service) -> SitePorts:
    return SitePorts(
        sites=service.sites,
        schedules=service.schedules,
        crawls=service.crawls,
        tenants=service.tenants,
        launcher=service.launcher,
        clock=service.clock,
    )
