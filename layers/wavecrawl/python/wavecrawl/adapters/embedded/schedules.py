"""Schedules in SQLite: due sites, and the crawls decided on for them."""

import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.sites.schedule import Schedule, delay_of, next_run
from wavecrawl.ports.clock import Clock


class DueSite(msgspec.Struct, frozen=True, kw_only=True):
    """A site with a schedule."""

    tenant: str
    site: str
    schedule: Schedule
    next_at: float  # Unix seconds; when the site is due next
    crawl: str = ""  # the crawl that was decided on and may not have been started; "" = none


class SqliteSchedules:
    """`ports.schedules.Schedules`, and the queries and changes of the scheduler.

    A site that comes due while no scheduler runs stays due, once: its time changes when a scheduler takes it.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        key, columns = ("tenant", "site"), ("next_at", "crawl")
        self._schedules = PackedTable(database, "schedule", DueSite, key=key, columns=columns)

    def put(self, tenant: str, site: str, schedule: Schedule) -> None:
        """Replace the site's schedule. The same schedule keeps its next time; a manual one is removed."""
        next_at = _next_start(tenant, site, schedule, after=self._clock.now())
        if next_at is None:
            self.remove(tenant, site)
            return
        with self._database.transaction():
            known = self._schedules.get(tenant, site)
            if known is None or known.schedule != schedule:
                self._schedules.put(DueSite(tenant=tenant, site=site, schedule=schedule, next_at=next_at))

    def remove(self, tenant: str, site: str) -> None:
        """Remove the site's schedule, if it has one."""
        self._schedules.delete(tenant, site)

    def known(self) -> list[DueSite]:
        """Return all schedules, in order of their next times."""
        return self._schedules.find("1 ORDER BY next_at, tenant, site")

    def due(self, now: float) -> list[DueSite]:
        """Return the sites that are due, or whose crawl was decided on and may not have been started."""
        return self._schedules.find("next_at <= ? OR crawl != '' ORDER BY next_at, tenant, site", now)

    def take(self, due: DueSite, *, crawl: str, now: float) -> DueSite | None:
        """Decide on the crawl of a due site and on its next time; return None if another scheduler did so first."""
        next_at = _next_start(due.tenant, due.site, due.schedule, after=now)
        taken = replace(due, crawl=crawl, next_at=next_at or due.next_at)
        return taken if self._change(due, taken) else None

    def begun(self, taken: DueSite) -> None:
        """Record that a crawl that was decided on has been started, or will not be."""
        self._change(taken, replace(taken, crawl=""))

    def _change(self, before: DueSite, after: DueSite) -> bool:
        with self._database.transaction():
            unchanged = self._schedules.get(before.tenant, before.site) == before
            if unchanged:
                self._schedules.put(after)
        return unchanged


def _next_start(tenant: str, site: str, schedule: Schedule, *, after: float) -> float | None:
    """Return the next start of a site, which is within the window of its schedule as in EventBridge Scheduler."""
    window_at = next_run(schedule, after)
    return None if window_at is None else window_at + delay_of(schedule, f"{tenant}/{site}")
