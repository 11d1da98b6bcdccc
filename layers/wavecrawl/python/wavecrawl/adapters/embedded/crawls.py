"""Crawls in SQLite."""

from sqlite3 import Connection

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.crawls import CrawlRow, Quota, UsedUp

_SETTINGS = msgspec.msgpack.Decoder(CrawlSettings)
_encode = msgspec.msgpack.Encoder().encode
_CRAWL_COLUMNS = (
    "tenant, site, crawl, status, cancel_asked, root_url, started_at, finished_at, error, start_url, settings"
)


class SqliteCrawls:
    """`ports.crawls.Crawls`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, crawl: CrawlRow, *, quota: Quota | None = None) -> str | UsedUp | None:
        """Store a crawl, take its site's lock, count the crawl; return what is in the way, if anything."""
        id_ = crawl.id
        with self._database.transaction() as connection:
            if self.read(id_) is not None:
                return id_.crawl
            site = connection.execute(
                "SELECT active_crawl FROM site WHERE tenant = ? AND site = ?", (id_.tenant, id_.site)
            ).fetchone()
            if site and site[0]:
                return str(site[0])
            if quota is not None and not _count(connection, id_.tenant, quota):
                return UsedUp(quota=quota)
            connection.execute(
                "INSERT INTO site (tenant, site, active_crawl) VALUES (?, ?, ?) ON CONFLICT (tenant, site) "
                "DO UPDATE SET active_crawl = excluded.active_crawl",
                (id_.tenant, id_.site, id_.crawl),
            )
            connection.execute(
                f"INSERT INTO crawl ({_CRAWL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - constant
                (
                    id_.tenant,
                    id_.site,
                    id_.crawl,
                    crawl.status.value,
                    int(crawl.cancel_asked),
                    crawl.root_url,
                    crawl.started_at,
                    crawl.finished_at,
                    crawl.error,
                    crawl.start_url,
                    _encode(crawl.settings),
                ),
            )
        return None

    def read(self, id_: CrawlId) -> CrawlRow | None:
        """Return a crawl, or None."""
        rows = self._rows("tenant = ? AND site = ? AND crawl = ?", id_.tenant, id_.site, id_.crawl)
        return rows[0] if rows else None

    def find(self, tenant: str, crawl: str) -> CrawlRow | None:
        """Return the tenant's crawl of that id, or None."""
        rows = self._rows("tenant = ? AND crawl = ?", tenant, crawl)
        return rows[0] if rows else None

    def of_tenant(self, tenant: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the tenant's crawls by id, from the highest down."""
        where = "tenant = ?1 AND (?2 = '' OR crawl < ?2) ORDER BY crawl DESC LIMIT ?3"
        return self._rows(where, tenant, before, limit)

    def of_site(self, tenant: str, site: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the site's crawls by id, from the highest down."""
        where = "tenant = ?1 AND site = ?2 AND (?3 = '' OR crawl < ?3) ORDER BY crawl DESC LIMIT ?4"
        return self._rows(where, tenant, site, before, limit)

    def newest_first(self) -> list[CrawlRow]:
        """Return all crawls of this store, the newest first."""
        return self._rows("1 ORDER BY started_at DESC, crawl DESC")

    def under_way(self) -> list[CrawlRow]:
        """Return the crawls of all tenants that have not ended, the oldest first."""
        return self._rows("status = ? ORDER BY started_at, crawl", CrawlStatus.RUNNING.value)

    def delete(self, id_: CrawlId) -> None:
        """Delete the row of a crawl."""
        sql = "DELETE FROM crawl WHERE tenant = ? AND site = ? AND crawl = ?"
        self._database.change(sql, id_.tenant, id_.site, id_.crawl)

    def settle_root(self, id_: CrawlId, root_url: str) -> None:
        """Write down the root URL after its redirects."""
        self._change(id_, "root_url = ?", root_url)

    def ask_to_cancel(self, id_: CrawlId) -> bool:
        """Ask a running crawl to stop; return whether one was running."""
        return self._change(id_, "cancel_asked = 1", where=f"AND status = '{CrawlStatus.RUNNING.value}'") == 1

    def finish(self, id_: CrawlId, *, status: CrawlStatus, now: float, error: str = "") -> bool:
        """Give the crawl its final status and free its site's lock, if it holds it; return whether it ran until now."""
        with self._database.transaction():
            running = f"AND status = '{CrawlStatus.RUNNING.value}'"
            what = "status = ?, finished_at = ?, error = ?"
            ended = self._change(id_, what, status.value, now, error, where=running) == 1
            self._database.change(
                "UPDATE site SET active_crawl = '' WHERE tenant = ? AND site = ? AND active_crawl = ?",
                id_.tenant,
                id_.site,
                id_.crawl,
            )
        return ended

    def _rows(self, where: str, *values: object) -> list[CrawlRow]:
        sql = f"SELECT {_CRAWL_COLUMNS} FROM crawl WHERE {where}"  # noqa: S608 - constants of this class
        return [
            CrawlRow(
                id=CrawlId(tenant=tenant, site=site, crawl=crawl),
                status=CrawlStatus(status),
                cancel_asked=bool(cancel_asked),
                root_url=root_url,
                started_at=started_at,
                finished_at=finished_at,
                error=error,
                start_url=start_url,
                settings=_SETTINGS.decode(settings),
            )
            for tenant, site, crawl, status, cancel_asked, root_url, started_at, finished_at, error, start_url, settings
            in self._database.rows(sql, *values)
        ]  # fmt: skip

    def _change(self, id_: CrawlId, change: str, *values: object, where: str = "") -> int:
        sql = f"UPDATE crawl SET {change} WHERE tenant = ? AND site = ? AND crawl = ? {where}"  # noqa: S608 - constants
        return self._database.change(sql, *values, id_.tenant, id_.site, id_.crawl)


def _count(connection: Connection, tenant: str, quota: Quota) -> bool:
    """Count a crawl in its tenant's month, as part of a transaction; return False where the month is used up."""
    found = connection.execute("SELECT crawls FROM usage WHERE tenant = ? AND month = ?", (tenant, quota.month))
    used = next((int(crawls) for (crawls,) in found), 0)
    if quota.limit is not None and used >= quota.limit:
        return False
    sql = "INSERT OR REPLACE INTO usage (tenant, month, crawls) VALUES (?, ?, ?)"
    connection.execute(sql, (tenant, quota.month, used + 1))
    return True
