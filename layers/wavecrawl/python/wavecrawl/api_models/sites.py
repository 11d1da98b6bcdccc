"""Saved sites, as they are asked for and shown."""

from dataclasses import asdict

import msgspec
from pydantic import Field

from wavecrawl.api_models.schedules import ScheduleModel
from wavecrawl.api_models.settings import CrawlSettingsModel, GivenSettings
from wavecrawl.api_models.types import Asked, Moment, Shown, moment
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import next_run
from wavecrawl.ports.sites import SiteRow

_LONGEST_URL, _LONGEST_NAME = 8_192, 200


class NewSite(Asked):
    """A site to save."""

    url: str = Field(
        min_length=1,
        max_length=_LONGEST_URL,
        description="where its crawls start, http or https; it cannot be changed",
        examples=["https://example.com/"],
    )
    name: str = Field(default="", max_length=_LONGEST_NAME, description="for people")
    settings: GivenSettings = Field(
        default=None, description="of its crawls; without `max_pages`, the tenant's own limit applies to each"
    )
    schedule: ScheduleModel | None = Field(default=None, description="null = the tenant's default")


class SiteChange(Asked):
    """What of a site is to be another: settings and schedule are replaced as a whole. Null, or nothing, stays."""

    name: str | None = Field(default=None, max_length=_LONGEST_NAME)
    settings: GivenSettings = None
    schedule: ScheduleModel | None = None


class SiteSchedule(Shown):
    """When a site is crawled by itself."""

    frequency: Frequency
    cron: str
    timezone: str
    next_at: Moment | None = Field(description="null = never by itself")


class SiteOutline(Shown):
    """A site, as lists have it."""

    site: str = Field(description="its id, which follows from the URL")
    url: str
    name: str
    schedule: SiteSchedule
    created_at: Moment
    changed_at: Moment
    version: int = Field(description='counts its changes; If-Match: "<version>" refuses to change a later one')


class SiteInFull(SiteOutline):
    """A site with the settings of its crawls."""

    max_pages: int | None = Field(description="as the site names it; null = the tenant's own limit applies")
    settings: CrawlSettingsModel


class SiteList(Shown):
    """Sites, by their ids."""

    sites: list[SiteOutline]
    next_cursor: str | None = Field(description="asks for the next page; null on the last one")


def site_outline(row: SiteRow, now: float) -> SiteOutline:
    """Return what lists say of a site."""
    following = next_run(row.schedule, now)
    return SiteOutline(
        site=row.site,
        url=row.url,
        name=row.name,
        schedule=SiteSchedule(**asdict(row.schedule), next_at=None if following is None else moment(following)),
        created_at=moment(row.created_at),
        changed_at=moment(row.changed_at),
        version=row.version,
    )


def site_in_full(row: SiteRow, now: float) -> SiteInFull:
    """Return a site with its settings."""
    return SiteInFull(
        **site_outline(row, now).model_dump(),
        max_pages=row.settings.max_pages if row.pages_named else None,
        settings=_shown(row.settings),
    )


def _shown(settings: CrawlSettings) -> CrawlSettingsModel:
    values = msgspec.to_builtins(settings)
    shown = {name: value for name, value in values.items() if name not in REQUEST_BOUNDS.reserved}
    return CrawlSettingsModel.model_validate(shown)
