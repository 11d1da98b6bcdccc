"""Schedules in SQLite: what is due, and what has been begun."""

from dataclasses import dataclass, replace

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.sites.schedule import Schedule, next_run
from wavecrawl.ports.clock import Clock

_SCHEDULE = msgspec.msgpack.Decoder(Schedule)
_encode = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True, kw_only=True)
class DueSite:
    """A site whose time has come."""

    tenant: str
    site: str
    schedule: Schedule
    next_at: float  # Unix seconds: when it was, or will be, due
    crawl: str  # the crawl that was decided on and may not have been started; "" = none


class SqliteSchedules:
    """`ports.schedules.Schedules`, and what the scheduler beside it needs.

    A site that comes due while nobody looks stays due, once: its time is not moved until somebody takes it.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def put(self, tenant: str, site: str, schedule: Schedule) -> None:
        """Replace the site's schedule, at once; the same one again keeps its time, a manual one removes it."""
        next_at = next_run(schedule, self._clock.now())
        if next_at is None:
            self.remove(tenant, site)
            return
        self._database.change(
            "INSERT INTO schedule (tenant, site, schedule, next_at) VALUES (?, ?, ?, ?) ON CONFLICT (tenant, site) "
            "DO UPDATE SET schedule = excluded.schedule, next_at = excluded.next_at, crawl = '' "
            "WHERE schedule.schedule != excluded.schedule",
            tenant,
            site,
            _encode(schedule),
            next_at,
        )

    def remove(self, tenant: str, site: str) -> None:
        """Remove the site's schedule, if it has one."""
        self._database.change("DELETE FROM schedule WHERE tenant = ? AND site = ?", tenant, site)

    def known(self) -> list[DueSite]:
        """Return all schedules, in order of their next times."""
        return self._rows("1")

    def due(self, now: float) -> list[DueSite]:
        """Return the sites that are due, or whose crawl was decided on and may not have been started."""
        return self._rows("next_at <= ? OR crawl != ''", now)

    def take(self, due: DueSite, *, crawl: str, now: float) -> DueSite | None:
        """Decide on the crawl of a site that is due, and on its next time; None where somebody else was quicker."""
        taken = replace(due, crawl=crawl, next_at=next_run(due.schedule, now) or due.next_at)
        return taken if self._change(due, taken) else None

    def begun(self, taken: DueSite) -> None:
        """Say that a crawl that was decided on has been started, or will not be."""
        self._change(taken, replace(taken, crawl=""))

    def _rows(self, where: str, *values: object) -> list[DueSite]:
        sql = "SELECT tenant, site, schedule, next_at, crawl FROM schedule WHERE"
        return [
            DueSite(tenant=tenant, site=site, schedule=_SCHEDULE.decode(schedule), next_at=next_at, crawl=crawl)
            for tenant, site, schedule, next_at, crawl in self._database.rows(
                f"{sql} {where} ORDER BY next_at, tenant, site", *values
            )
        ]

    def _change(self, before: DueSite, after: DueSite) -> bool:
        changed = self._database.change(
            "UPDATE schedule SET next_at = ?, crawl = ? "
            "WHERE tenant = ? AND site = ? AND schedule = ? AND next_at = ? AND crawl = ?",
            after.next_at,
            after.crawl,
            before.tenant,
            before.site,
            _encode(before.schedule),
            before.next_at,
            before.crawl,
        )
        return changed == 1
