"""Sites over an embedded store, with a still clock and a launcher that records its calls."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.some_ports import some_ports
from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.crawls import SqliteCrawls
from wavecrawl.adapters.embedded.schedules import SqliteSchedules
from wavecrawl.adapters.embedded.sites import SqliteSites
from wavecrawl.adapters.embedded.tenants import SqliteTenants
from wavecrawl.application.sites import create_site
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.sites import SiteRow, Sites

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

    def make_results(self, crawl: CrawlId) -> None:
        """Do nothing: no test of sites makes results."""

    def make_files(self, crawl: CrawlId, files: Collection[ResultFile]) -> None:
        """Do nothing: the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteDesk:
    """The use cases of sites. `ports` is the store."""

    ports: LocalStore
    sites: SqliteSites
    schedules: SqliteSchedules
    crawls: SqliteCrawls
    tenants: SqliteTenants
    launches: Launches
    clock: StillClock

    def save(self, url: str = "https://example.com/", *, tenant: str = OWN, schedule: Schedule = WEEKLY) -> SiteRow:
        """Save a new site."""
        new = SiteRow(tenant=tenant, site="", url=url, name="", settings=CrawlSettings(max_pages=7), schedule=schedule)
        return create_site(new, self.site_ports(), OPERATED)

    def site_ports(self, sites: Sites | None = None) -> Ports:
        """Return the ports of the use cases; `sites` replaces the store's."""
        return some_ports(sites=sites or self.sites, schedules=self.schedules, tenants=self.tenants, clock=self.clock)

    def scheduled(self) -> dict[str, Schedule]:
        """Return the existing schedules by site."""
        return {one.site: one.schedule for one in self.schedules.known()}


@contextmanager
def site_desk(folder: Path) -> Iterator[SiteDesk]:
    """Open an empty store."""
    store, clock, launches = (
        LocalStore(folder),
        StillClock(1_767_960_000.0),
        Launches(),
    )  # Friday, 2026-01-09, 12:00 UTC
    store.clock = clock  # type: ignore[assignment]  # a clock like any other
    store.launcher = launches  # type: ignore[assignment]  # a launcher like any other
    yield SiteDesk(
        ports=store,
        sites=store.sites,
        schedules=store.schedules,
        crawls=store.crawls,
        tenants=store.tenants,
        launches=launches,
        clock=clock,
    )
    assert clock.slept == []
    store.close()
