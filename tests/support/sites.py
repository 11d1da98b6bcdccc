"""Sites over an embedded store, with a still clock and a launcher that records its calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.crawls import SqliteCrawls
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.schedules import SqliteSchedules
from wavecrawl.adapters.embedded.sites import SqliteSites
from wavecrawl.adapters.embedded.tenants import SqliteTenants
from wavecrawl.application.sites import create_site
from wavecrawl.application.start_site import SitePorts
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.ports.sites import SiteRow

OWN = "own"
WEEKLY = Schedule(frequency=Frequency.WEEKLY)
OPERATED = CloudSettings(tenant=OWN, contact="https://crawler.example/", allowed_addresses=("127.0.0.0/8",), lease=60.0)


@dataclass(slots=True)
class Launches:
    """A launcher that records crawls, or raises `error` if one is set."""

    crawls: list[CrawlId] = field(default_factory=list)
    error: Exception | None = None

    def launch(self, crawl: CrawlId) -> None:
        """Record the crawl."""
        if self.error is not None:
            raise self.error
        self.crawls.append(crawl)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteDesk:
    """The ports and use cases of sites."""

    sites: SqliteSites
    schedules: SqliteSchedules
    crawls: SqliteCrawls
    tenants: SqliteTenants
    launches: Launches
    clock: StillClock

    @property
    def ports(self) -> SitePorts:
        """The ports for starting crawls of sites."""
        return SitePorts(
            sites=self.sites,
            schedules=self.schedules,
            crawls=self.crawls,
            tenants=self.tenants,
            launcher=self.launches,
            clock=self.clock,
        )

    def save(self, url: str = "https://example.com/", *, tenant: str = OWN, schedule: Schedule = WEEKLY) -> SiteRow:
        """Save a new site."""
        new = SiteRow(tenant=tenant, site="", url=url, name="", settings=CrawlSettings(max_pages=7), schedule=schedule)
        return create_site(
            new,
            sites=self.sites,
            schedules=self.schedules,
            tenants=self.tenants,
            clock=self.clock,
            own_tenant=OWN,
        )

    def scheduled(self) -> dict[str, Schedule]:
        """Return the existing schedules by site."""
        return {one.site: one.schedule for one in self.schedules.known()}


@contextmanager
def site_desk(folder: Path) -> Iterator[SiteDesk]:
    """Open an empty store."""
    database, clock = (
        Database(folder / "wavecrawl.sqlite"),
        StillClock(1_767_960_000.0),
    )  # Friday, 2026-01-09, 12:00 UTC
    yield SiteDesk(
        sites=SqliteSites(database),
        schedules=SqliteSchedules(database, clock),
        crawls=SqliteCrawls(database),
        tenants=SqliteTenants(database),
        launches=Launches(),
        clock=clock,
    )
    assert clock.slept == []
    database.close()
