"""Sites in SQLite."""

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.ports.sites import SiteRow

_SETTINGS = msgspec.msgpack.Decoder(CrawlSettings)
_SCHEDULE = msgspec.msgpack.Decoder(Schedule)
_encode = msgspec.msgpack.Encoder().encode


class SqliteSites:
    """`ports.sites.Sites`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, site: SiteRow, *, most: int | None = None) -> bool:
        """Store a new site; return False, with nothing changed, where the tenant has one of that id, or `most`."""
        made = self._database.change(
            "INSERT INTO saved_site (url, name, settings, pages_named, schedule, created_at, changed_at, version, "
            "tenant, site) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 "
            "WHERE ?11 IS NULL OR (SELECT count(*) FROM saved_site WHERE tenant = ?9) < ?11 ON CONFLICT DO NOTHING",
            *_values(site),
            site.tenant,
            site.site,
            most,
        )
        return made == 1

    def read(self, tenant: str, site: str) -> SiteRow | None:
        """Return a site, or None."""
        found = self._rows("tenant = ? AND site = ?", tenant, site)
        return found[0] if found else None

    def update(self, site: SiteRow) -> bool:
        """Replace the site whose version is one lower; return False where that is not so."""
        changed = self._database.change(
            "UPDATE saved_site SET url = ?, name = ?, settings = ?, pages_named = ?, schedule = ?, created_at = ?, "
            "changed_at = ?, version = ? WHERE tenant = ? AND site = ? AND version = ?",
            *_values(site),
            site.tenant,
            site.site,
            site.version - 1,
        )
        return changed == 1

    def delete(self, tenant: str, site: str) -> bool:
        """Delete a site; return whether there was one."""
        return self._database.change("DELETE FROM saved_site WHERE tenant = ? AND site = ?", tenant, site) == 1

    def of_tenant(self, tenant: str, *, limit: int, after: str = "") -> list[SiteRow]:
        """Return a tenant's sites by id; where given, only those after `after`."""
        return self._rows("tenant = ? AND site > ? ORDER BY site LIMIT ?", tenant, after, limit)

    def _rows(self, where: str, *values: object) -> list[SiteRow]:
        columns = "tenant, site, url, name, settings, pages_named, schedule, created_at, changed_at, version"
        sql = f"SELECT {columns} FROM saved_site WHERE {where}"  # noqa: S608 - constants of this class
        return [
            SiteRow(
                tenant=tenant,
                site=site,
                url=url,
                name=name,
                settings=_SETTINGS.decode(settings),
                pages_named=bool(pages_named),
                schedule=_SCHEDULE.decode(schedule),
                created_at=created_at,
                changed_at=changed_at,
                version=version,
            )
            for tenant, site, url, name, settings, pages_named, schedule, created_at, changed_at, version
            in self._database.rows(sql, *values)
        ]  # fmt: skip


def _values(site: SiteRow) -> tuple[object, ...]:
    return (
        site.url,
        site.name,
        _encode(site.settings),
        int(site.pages_named),
        _encode(site.schedule),
        site.created_at,
        site.changed_at,
        site.version,
    )
