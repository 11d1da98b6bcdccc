"""API keys in DynamoDB."""

from wavecrawl.adapters.aws.attributes import Row
from wavecrawl.adapters.aws.names import api_key_row, tenant_key_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import Change, NewRow
from wavecrawl.ports.api_keys import USED_EVERY, ApiKeyRow


class DynamoApiKeys:
    """`ports.api_keys.ApiKeys`: a row by the key's digest, and one in the tenant's list.

    The field `expires_at` is the attribute `ends_at`: the table deletes rows by `expires_at`, and expired keys stay.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._keys = PackedItems(table, ApiKeyRow)

    def create(self, key: ApiKeyRow) -> None:
        """Store a new key."""
        item = self._keys.item(key, last_used_at=key.last_used_at, ends_at=key.expires_at)
        listed = NewRow(key=tenant_key_row(key.tenant, key.id), row={"digest": key.digest})
        self._table.transact([NewRow(key=api_key_row(key.digest), row=item), listed])

    def by_digest(self, digest: str) -> ApiKeyRow | None:
        """Return the key of that digest, expired or not, or None."""
        item = self._table.get(api_key_row(digest))
        return self._key(item) if item else None

    def of_tenant(self, tenant: str) -> list[ApiKeyRow]:
        """Return a tenant's keys by id."""
        listed = self._table.query(*tenant_key_row(tenant, ""))
        items = self._table.get_many([api_key_row(row["digest"]) for row in listed])
        return sorted(map(self._key, items), key=lambda key: key.id)

    def expire(self, tenant: str, id_: str, *, at: float) -> bool:
        """Set when a key expires, unless it expires earlier; return whether the tenant has such a key."""
        listed = self._table.get(tenant_key_row(tenant, id_))
        if listed is None:
            return False
        self._table.update(
            Change(
                key=api_key_row(listed["digest"]),
                set={"ends_at": at},
                condition="#ends_at = :never OR #ends_at > :ends_at",  # also false if the row is gone
                values={"never": 0},
            )
        )
        return True

    def delete(self, key: ApiKeyRow) -> None:
        """Delete a key if it exists; its place in the list last, so that a deletion that broke off can be repeated."""
        self._table.delete(api_key_row(key.digest))
        self._table.delete(tenant_key_row(key.tenant, key.id))

    def used(self, key: ApiKeyRow, *, now: float) -> None:
        """Store when a key was used, at most once an hour."""
        if now - key.last_used_at < USED_EVERY:
            return
        condition = "#last_used_at < :last_used_at"  # also false if the row is gone
        self._table.update(Change(key=api_key_row(key.digest), set={"last_used_at": now}, condition=condition))

    def _key(self, item: Row) -> ApiKeyRow:
        return self._keys.unpack(item, expires_at=item["ends_at"])
