"""Tenants in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.ports.tenants import TenantRow


class SqliteTenants:
    """`ports.tenants.Tenants`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tenants = PackedTable(database, "tenant", TenantRow, key=("tenant",), columns=("version",))

    def create(self, tenant: TenantRow) -> bool:
        """Store a new tenant; return False if its id is taken."""
        return self._tenants.add(tenant)

    def read(self, tenant: str) -> TenantRow | None:
        """Return a tenant, or None."""
        return self._tenants.get(tenant)

    def update(self, tenant: TenantRow) -> bool:
        """Replace the tenant whose version is one lower; return False if there is none."""
        return self._tenants.replace(tenant, version=tenant.version)

    def listed(self, *, limit: int, after: str = "") -> list[TenantRow]:
        """Return tenants by id."""
        return self._tenants.find("tenant > ? ORDER BY tenant LIMIT ?", after, limit)

    def crawls_in(self, tenant: str, month: str) -> int:
        """Return the number of crawls that the tenant started in a month."""
        rows = self._database.rows("SELECT crawls FROM usage WHERE tenant = ? AND month = ?", tenant, month)
        return int(rows[0][0]) if rows else 0
