"""Tenants in DynamoDB."""

from wavecrawl.adapters.aws.names import listed_tenant_row, tenant_terms_row, usage_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NewRow
from wavecrawl.ports.tenants import TenantRow


class DynamoTenants:
    """`ports.tenants.Tenants`: a row in the tenant's own partition, and one in the list of tenants."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._tenants = PackedItems(table, TenantRow)

    def create(self, tenant: TenantRow) -> bool:
        """Store a new tenant; return False if its id is taken."""
        new = self._tenants.new(tenant_terms_row(tenant.tenant), tenant, version=tenant.version)
        return not self._table.transact([new, NewRow(key=listed_tenant_row(tenant.tenant), row={})])

    def read(self, tenant: str) -> TenantRow | None:
        """Return a tenant, or None."""
        return self._tenants.get(tenant_terms_row(tenant))

    def update(self, tenant: TenantRow) -> bool:
        """Replace the tenant whose version is one lower; return False if there is none."""
        return self._tenants.replace(tenant_terms_row(tenant.tenant), tenant, version=tenant.version)

    def listed(self, *, limit: int, after: str = "") -> list[TenantRow]:
        """Return tenants by id."""
        partition, prefix = listed_tenant_row("")
        listed = self._table.query(partition, prefix, after=after, limit=limit)
        keys = [tenant_terms_row(row["sk"].removeprefix(prefix)) for row in listed]
        found = map(self._tenants.unpack, self._table.get_many(keys))
        return sorted(found, key=lambda tenant: tenant.tenant)

    def crawls_in(self, tenant: str, month: str) -> int:
        """Return the number of crawls that the tenant started in a month."""
        row = self._table.get(usage_row(tenant, month))
        return int(row.get("crawls", 0)) if row else 0
