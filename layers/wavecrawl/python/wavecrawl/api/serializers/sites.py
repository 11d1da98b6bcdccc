"""Saved sites and schedules as models of the API, and back."""

from typing import Any

from msgspec.structs import asdict, replace

from wavecrawl.api.serializers import same_fields
from wavecrawl.api.serializers.brand import requested_values, values_model
from wavecrawl.api.serializers.settings import settings_model
from wavecrawl.api_models.brand import BrandValues
from wavecrawl.api_models.crawls import SiteCrawl
from wavecrawl.api_models.schedules import Schedule, ScheduleStarts, SiteSchedule
from wavecrawl.api_models.sites import ListedSite, NewSite, Site, SiteDetail, SiteUpdate
from wavecrawl.api_models.types import timestamp
from wavecrawl.application.crawl_settings import crawl_settings, named_settings
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.sites import schedule as domain
from wavecrawl.domain.tenants.defaulted import MAX_PAGES
from wavecrawl.domain.urls.url import Identity, host_of
from wavecrawl.errors import InvalidSettingsError
from wavecrawl.ports.sites import SiteRow

_STARTS = 5


def _site_model(row: SiteRow, now: float) -> Site:
    """Return a site."""
    next_at = domain.next_run(row.schedule, now)
    schedule = SiteSchedule(
        **asdict(row.schedule),
        inherited=row.inherits_schedule,
        window_minutes=row.schedule.window,
        next_at=None if next_at is None else timestamp(next_at),
    )
    return Site(**same_fields(Site, row) | {"schedule": schedule})


def listed_site(row: SiteRow, now: float, crawls: list[SiteCrawl]) -> ListedSite:
    """Return a site with its latest crawls."""
    return ListedSite(**dict(_site_model(row, now)), crawls=crawls)


def site_detail(row: SiteRow, now: float) -> SiteDetail:
    """Return a site with its settings."""
    return SiteDetail(
        **dict(_site_model(row, now)),
        max_pages=row.settings.max_pages if MAX_PAGES in row.named else None,
        settings=settings_model(row.settings),
        overrides=sorted(row.named),
        brand=values_model(row.brand),
    )


def new_site(site: NewSite, *, tenant: str) -> SiteRow:
    """Return the site of a request. Raise InvalidSettingsError, InvalidUrlError."""
    values = (
        dict(site) | {"name": site.name or host_of(Identity().page_url(site.url).url)} | given_settings(site.settings)
    )
    values["schedule"] = requested_schedule(site.schedule or Schedule())
    values["inherits_schedule"] = site.schedule is None
    values["brand"] = requested_values(site.brand or BrandValues())
    return SiteRow(tenant=tenant, site="", **values)


def updated_site(row: SiteRow, update: SiteUpdate) -> SiteRow:
    """Return a site with the fields that a request sets. Raise InvalidSettingsError."""
    values = {name: value for name, value in update if value is not None}
    if update.settings is not None:
        values |= given_settings(update.settings)
    inherits = values.pop("inherit_schedule", row.inherits_schedule)
    if update.schedule is not None:
        if update.inherit_schedule:
            raise InvalidSettingsError(("schedule must be left out if inherit_schedule is true",))
        values["schedule"] = requested_schedule(update.schedule)
        inherits = False
    values["inherits_schedule"] = inherits
    if update.brand is not None:
        values["brand"] = requested_values(update.brand)
    return replace(row, **values)


def schedule_model(schedule: domain.Schedule) -> Schedule:
    """Return a schedule."""
    return Schedule(**asdict(schedule))


def schedule_starts(schedule: domain.Schedule, now: float) -> ScheduleStarts:
    """Return the next starts of a schedule; raise InvalidSettingsError if a value is invalid."""
    starts: list[float] = []
    after: float | None = now
    window = schedule.validated().window
    while after is not None and len(starts) < _STARTS:
        after = domain.next_run(schedule, after)
        starts += [] if after is None else [after]
    return ScheduleStarts(starts=[timestamp(start) for start in starts], window_minutes=window)


def requested_schedule(schedule: Schedule) -> domain.Schedule:
    """Return the schedule of a request."""
    return domain.Schedule(**dict(schedule))


def given_settings(given: object) -> dict[str, Any]:
    """Return the settings of a request, and which of them it names. Raise InvalidSettingsError."""
    return {"settings": crawl_settings(given, bounds=REQUEST_BOUNDS), "named": named_settings(given)}
