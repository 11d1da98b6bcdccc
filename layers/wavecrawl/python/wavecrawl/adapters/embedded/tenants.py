"""Tenants in SQLite."""

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.ports.tenants import TenantRow

_SETTINGS = msgspec.msgpack.Decoder(TenantSettings)
_encode = msgspec.msgpack.Encoder().encode

_COLUMNS = "tenant, name, plan, settings, created_at, disabled, version"


class SqliteTenants:
    """`ports.tenants.Tenants`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, tenant: TenantRow) -> bool:
        """Store a new tenant; return False where its id is taken."""
        values = (
            tenant.tenant,
            tenant.name,
            tenant.plan.value,
            _encode(tenant.settings),
            tenant.created_at,
            int(tenant.disabled),
            tenant.version,
        )
        sql = f"INSERT OR IGNORE INTO tenant ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - constant
        return self._database.change(sql, *values) == 1

    def read(self, tenant: str) -> TenantRow | None:
        """Return a tenant, or None."""
        rows = self._rows("tenant = ?", tenant)
        return rows[0] if rows else None

    def update(self, tenant: TenantRow) -> bool:
        """Replace the tenant whose version is one lower; return False where that is not so."""
        changed = self._database.change(
            "UPDATE tenant SET name = ?, plan = ?, settings = ?, disabled = ?, version = ? "
            "WHERE tenant = ? AND version = ?",
            tenant.name,
            tenant.plan.value,
            _encode(tenant.settings),
            int(tenant.disabled),
            tenant.version,
            tenant.tenant,
            tenant.version - 1,
        )
        return changed == 1

    def listed(self, *, limit: int, after: str = "") -> list[TenantRow]:
        """Return tenants by id."""
        return self._rows("tenant > ? ORDER BY tenant LIMIT ?", after, limit)

    def crawls_in(self, tenant: str, month: str) -> int:
        """Return how many crawls the tenant has started in a month."""
        rows = self._database.rows("SELECT crawls FROM usage WHERE tenant = ? AND month = ?", tenant, month)
        return int(rows[0][0]) if rows else 0

    def _rows(self, where: str, *values: object) -> list[TenantRow]:
        sql = f"SELECT {_COLUMNS} FROM tenant WHERE {where}"  # noqa: S608 - constants of this class
        return [
            TenantRow(
                tenant=tenant,
                name=name,
                plan=Plan(plan),
                settings=_SETTINGS.decode(settings),
                created_at=created_at,
                disabled=bool(disabled),
                version=version,
            )
            for tenant, name, plan, settings, created_at, disabled, version in self._database.rows(sql, *values)
        ]
