"""Tenants in DynamoDB."""

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, float_of, int_of, number, text, text_of
from wavecrawl.adapters.aws.names import listed_tenant_row, tenant_terms_row, usage_row
from wavecrawl.adapters.aws.table import Change, NewRow, Table
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.ports.tenants import TenantRow

_SETTINGS = msgspec.msgpack.Decoder(TenantSettings)
_encode = msgspec.msgpack.Encoder().encode


class DynamoTenants:
    """`ports.tenants.Tenants`: each tenant's row stands in its own partition, and one more lists it."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def create(self, tenant: TenantRow) -> bool:
        """Store a new tenant; return False where its id is taken."""
        row = _attributes(tenant) | {"created_at": number(tenant.created_at)}
        new = NewRow(key=tenant_terms_row(tenant.tenant), row=row, condition="attribute_not_exists(#pk)")
        return not self._table.transact([new, NewRow(key=listed_tenant_row(tenant.tenant), row={})])

    def read(self, tenant: str) -> TenantRow | None:
        """Return a tenant, or None."""
        row = self._table.get(tenant_terms_row(tenant))
        return _tenant(row) if row else None

    def update(self, tenant: TenantRow) -> bool:
        """Replace the tenant whose version is one lower; return False where that is not so."""
        attributes = _attributes(tenant)
        answer = self._table.update(
            Change(
                key=tenant_terms_row(tenant.tenant),
                update="SET " + ", ".join(f"#{name} = :{name}" for name in attributes),
                condition="#version = :known",
                values={f":{name}": value for name, value in attributes.items()}
                | {":known": number(tenant.version - 1)},
            )
        )
        # A change that was sent twice, as its first answer was lost, meets itself.
        return answer.made or {name: answer.row.get(name) for name in attributes} == attributes

    def listed(self, *, limit: int, after: str = "") -> list[TenantRow]:
        """Return tenants by id."""
        partition, prefix = listed_tenant_row("")
        above = f"{prefix}{after}" if after else ""
        names = [_name(row) for row in self._table.oldest(partition, prefix, limit=limit, above=above)]
        found = map(_tenant, self._table.get_many(map(tenant_terms_row, names), consistent=True))
        return sorted(found, key=lambda tenant: tenant.tenant)

    def crawls_in(self, tenant: str, month: str) -> int:
        """Return how many crawls the tenant has started in a month."""
        return int_of(self._table.get(usage_row(tenant, month)) or {}, "crawls")


def _attributes(tenant: TenantRow) -> Row:
    return {
        "name": text(tenant.name),
        "plan": text(tenant.plan.value),
        "settings": binary(_encode(tenant.settings)),
        "disabled": {"BOOL": tenant.disabled},
        "version": number(tenant.version),
    }


def _tenant(row: Row) -> TenantRow:
    return TenantRow(
        tenant=text_of(row, "pk").partition("#")[2],
        name=text_of(row, "name"),
        plan=Plan(text_of(row, "plan")),
        settings=_SETTINGS.decode(bytes_of(row, "settings")),
        created_at=float_of(row, "created_at"),
        disabled=row["disabled"]["BOOL"],
        version=int_of(row, "version"),
    )


def _name(row: Row) -> str:
    return text_of(row, "sk").partition("#")[2]
