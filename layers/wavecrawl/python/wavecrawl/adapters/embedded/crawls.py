"""Crawls in SQLite."""

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any

from msgspec.structs import replace

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.outcome import CrawlOutcome
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.crawls import RESUMABLE, CrawlRow, Quota, UsedUp


class SqliteCrawls:
    """`ports.crawls.Crawls`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        key, columns = ("id.tenant", "id.site", "id.crawl"), ("status", "started_at")
        self._crawls = PackedTable(database, "crawl", CrawlRow, key=key, columns=columns)

    def create(self, crawl: CrawlRow, *, quota: Quota | None = None) -> str | UsedUp | None:
        """Store a crawl, lock its site and count the crawl; return the obstacle, if any."""
        id_ = crawl.id
        with self._database.transaction() as connection:
            if self.read(id_) is not None:
                return id_.crawl
            sql = "SELECT active_crawl FROM site WHERE tenant = ? AND site = ?"
            lock = connection.execute(sql, (id_.tenant, id_.site)).fetchone()
            if lock and lock[0]:
                return str(lock[0])
            if quota is not None and not _count(connection, id_.tenant, quota):
                return UsedUp(quota=quota)
            sql = "INSERT OR REPLACE INTO site (tenant, site, active_crawl) VALUES (?, ?, ?)"
            connection.execute(sql, (id_.tenant, id_.site, id_.crawl))
            self._crawls.add(crawl, unlaunched=crawl.status is CrawlStatus.QUEUED)
        return None

    def queue(self, tenant: str) -> list[CrawlId]:
        """Return the tenant's crawls that were not launched yet, by id, at most 100."""
        where = "tenant = ? AND unlaunched ORDER BY crawl LIMIT 100"
        return [row.id for row in self._crawls.find(where, tenant)]

    def admit(self, id_: CrawlId, *, most: int, now: float) -> CrawlStatus | None:
        """Set a queued crawl to `running` if its tenant has room for it; return its status then."""
        with self._database.transaction() as connection:
            row = self.read(id_)
            if row is None or row.status is not CrawlStatus.QUEUED:
                return row.status if row else None
            sql = "SELECT count(*) FROM crawl WHERE tenant = ? AND status = ?"
            (running,) = connection.execute(sql, (id_.tenant, CrawlStatus.RUNNING)).fetchone()
            if running >= most:
                return CrawlStatus.QUEUED
            self._change(row, status=CrawlStatus.RUNNING, waited=row.waited + max(0.0, now - row.queued_at))
        return CrawlStatus.RUNNING

    def launched(self, id_: CrawlId, *, resumes: int) -> None:
        """Remove a crawl from the queue, unless it was resumed again."""
        with self._database.transaction():
            row = self.read(id_)
            if row is not None and row.resumes == resumes:
                self._crawls.put(row, unlaunched=False)

    def resume(self, id_: CrawlId) -> str | CrawlStatus | None:
        """Queue a failed or cancelled crawl and lock its site; return the obstacle, if any."""
        with self._database.transaction() as connection:
            row = self.read(id_)
            if row is None:
                raise NotFoundError(f"crawl {id_} does not exist")
            if row.status not in RESUMABLE:
                return row.status
            sql = "SELECT active_crawl FROM site WHERE tenant = ? AND site = ?"
            lock = connection.execute(sql, (id_.tenant, id_.site)).fetchone()
            if lock and lock[0]:
                return str(lock[0])
            sql = "INSERT OR REPLACE INTO site (tenant, site, active_crawl) VALUES (?, ?, ?)"
            connection.execute(sql, (id_.tenant, id_.site, id_.crawl))
            self._crawls.put(row.queued_again(), unlaunched=True)
        return None

    def read(self, id_: CrawlId) -> CrawlRow | None:
        """Return a crawl, or None."""
        return self._crawls.get(id_.tenant, id_.site, id_.crawl)

    def find(self, tenant: str, crawl: str) -> CrawlRow | None:
        """Return the tenant's crawl of that id, or None."""
        found = self._crawls.find("tenant = ? AND crawl = ?", tenant, crawl)
        return found[0] if found else None

    def of_tenant(self, tenant: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the tenant's crawls by id, from the highest down."""
        where = "tenant = ?1 AND (?2 = '' OR crawl < ?2) ORDER BY crawl DESC LIMIT ?3"
        return self._crawls.find(where, tenant, before, limit)

    def of_site(self, tenant: str, site: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the site's crawls by id, from the highest down."""
        where = "tenant = ?1 AND site = ?2 AND (?3 = '' OR crawl < ?3) ORDER BY crawl DESC LIMIT ?4"
        return self._crawls.find(where, tenant, site, before, limit)

    def of_sites(self, tenant: str, sites: Sequence[str], *, limit: int) -> list[list[CrawlRow]]:
        """Return the newest crawls of each site, at most `limit` per site."""
        return [self.of_site(tenant, site, limit=limit) for site in sites]

    def newest_first(self) -> list[CrawlRow]:
        """Return all crawls of this store, from the newest down."""
        return self._crawls.find("1 ORDER BY started_at DESC, crawl DESC")

    def under_way(self) -> list[CrawlRow]:
        """Return the queued and running crawls of all tenants, from the oldest up."""
        where = "status IN (?, ?) ORDER BY started_at, crawl"
        return self._crawls.find(where, CrawlStatus.QUEUED, CrawlStatus.RUNNING)

    def delete(self, id_: CrawlId) -> None:
        """Delete the row of a crawl."""
        self._crawls.delete(id_.tenant, id_.site, id_.crawl)

    def settle_root(self, id_: CrawlId, root_url: str, *, requests: int = 0) -> None:
        """Store the root URL after its redirects."""
        with self._database.transaction():
            self._change(self.read(id_), root_url=root_url, opening_requests=requests)

    def note_outcome(self, id_: CrawlId, outcome: CrawlOutcome) -> None:
        """Store the figures of the crawl's results."""
        with self._database.transaction():
            self._change(self.read(id_), outcome=outcome)

    def note_pauses(self, id_: CrawlId, pauses: dict[str, float]) -> None:
        """Store until when hosts are paused."""
        with self._database.transaction():
            self._change(self.read(id_), pauses=pauses)

    def ask_to_cancel(self, id_: CrawlId) -> bool:
        """Request that a crawl stops; return False if it has ended."""
        with self._database.transaction():
            return self._change(self._unfinished(id_), cancel_asked=True)

    def finish(self, id_: CrawlId, *, status: CrawlStatus, now: float, error: str = "") -> bool:
        """Set the crawl's final status and unlock its site if it holds the lock; return whether it had not ended."""
        with self._database.transaction() as connection:
            row = self._unfinished(id_)
            if row is not None:
                self._crawls.put(replace(row, status=status, finished_at=now, error=error), unlaunched=False)
            sql = "UPDATE site SET active_crawl = '' WHERE tenant = ? AND site = ? AND active_crawl = ?"
            connection.execute(sql, (id_.tenant, id_.site, id_.crawl))
        return row is not None

    def _unfinished(self, id_: CrawlId) -> CrawlRow | None:
        row = self.read(id_)
        return row if row is not None and not row.status.has_ended else None

    def _change(self, row: CrawlRow | None, **changes: Any) -> bool:
        """Change a row, if there is one, as part of a transaction; return whether there is one."""
        if row is None:
            return False
        self._crawls.put(replace(row, **changes))
        return True


def _count(connection: Connection, tenant: str, quota: Quota) -> bool:
    """Count a crawl in its tenant's month, as part of a transaction; return False if the quota is used up."""
    found = connection.execute("SELECT crawls FROM usage WHERE tenant = ? AND month = ?", (tenant, quota.month))
    used = next((int(crawls) for (crawls,) in found), 0)
    if quota.limit is not None and used >= quota.limit:
        return False
    sql = "INSERT OR REPLACE INTO usage (tenant, month, crawls) VALUES (?, ?, ?)"
    connection.execute(sql, (tenant, quota.month, used + 1))
    return True
