"""Sites in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.ports.sites import SiteRow


class SqliteSites:
    """`ports.sites.Sites`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sites = PackedTable(database, "saved_site", SiteRow, key=("tenant", "site"), columns=("version",))

    def create(self, site: SiteRow, *, most: int | None = None) -> bool:
        """Store a new site; return False, with nothing changed, if its id is taken or the tenant has `most`."""
        with self._database.transaction() as connection:
            sql = "SELECT count(*) FROM saved_site WHERE tenant = ?"
            (count,) = connection.execute(sql, (site.tenant,)).fetchone()
            return (most is None or count < most) and self._sites.add(site)

    def read(self, tenant: str, site: str) -> SiteRow | None:
        """Return a site, or None."""
        return self._sites.get(tenant, site)

    def update(self, site: SiteRow) -> bool:
        """Replace the site whose version is one lower; return False if there is none."""
        return self._sites.replace(site, version=site.version)

    def delete(self, tenant: str, site: str) -> bool:
        """Delete a site; return whether it existed."""
        return self._sites.delete(tenant, site)

    def of_tenant(self, tenant: str, *, limit: int, after: str = "") -> list[SiteRow]:
        """Return a tenant's sites by id, only those after `after` if given."""
        return self._sites.find("tenant = ? AND site > ? ORDER BY site LIMIT ?", tenant, after, limit)
