"""Saved sites and schedules as models of the API, and back."""

from dataclasses import asdict

import msgspec

from wavecrawl.api_models.schedules import Schedule, SiteSchedule
from wavecrawl.api_models.settings import CrawlSettings
from wavecrawl.api_models.sites import Site, SiteDetail
from wavecrawl.api_models.types import timestamp
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.sites import schedule as domain
from wavecrawl.ports.sites import SiteRow


def site_model(row: SiteRow, now: float) -> Site:
    """Return a site."""
    next_at = domain.next_run(row.schedule, now)
    return Site(
        site=row.site,
        url=row.url,
        name=row.name,
        schedule=SiteSchedule(**asdict(row.schedule), next_at=None if next_at is None else timestamp(next_at)),
        created_at=timestamp(row.created_at),
        changed_at=timestamp(row.changed_at),
        version=row.version,
    )


def site_detail(row: SiteRow, now: float) -> SiteDetail:
    """Return a site with its settings."""
    settings = msgspec.to_builtins(row.settings)
    return SiteDetail(
        **dict(site_model(row, now)),
        max_pages=row.settings.max_pages if row.pages_named else None,
        settings=CrawlSettings(**{name: settings[name] for name in settings.keys() - REQUEST_BOUNDS.reserved}),
    )


def schedule_model(schedule: domain.Schedule) -> Schedule:
    """Return a schedule."""
    return Schedule(**asdict(schedule))


def requested_schedule(schedule: Schedule) -> domain.Schedule:
    """Return the schedule of a request."""
    return domain.Schedule(**dict(schedule))
