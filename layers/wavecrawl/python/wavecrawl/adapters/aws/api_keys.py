"""API keys in DynamoDB."""

from wavecrawl.adapters.aws.attributes import Row, float_of, number, text, text_of
from wavecrawl.adapters.aws.names import ALL_KEYS, api_key_row, tenant_key_row
from wavecrawl.adapters.aws.table import Change, NewRow, Table
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.api_keys import USED_EVERY, ApiKeyRow


class DynamoApiKeys:
    """`ports.api_keys.ApiKeys`: a key's row is found by its digest, and one more lists it for its tenant.

    The end of a key is no `expires_at` here: that is what the table deletes rows by, and an ended key is still shown.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def create(self, key: ApiKeyRow) -> None:
        """Store a new key."""
        row = {
            "tenant": text(key.tenant),
            "id": text(key.id),
            "role": text(key.role.value),
            "name": text(key.name),
            "created_at": number(key.created_at),
            "last_used_at": number(key.last_used_at),
            "ends_at": number(key.expires_at),
        }
        listed = NewRow(key=tenant_key_row(key.tenant, key.id), row={"digest": text(key.digest)})
        self._table.transact([NewRow(key=api_key_row(key.digest), row=row), listed])

    def by_digest(self, digest: str) -> ApiKeyRow | None:
        """Return the key of that digest, expired or not, or None."""
        row = self._table.get(api_key_row(digest))
        return _key(row) if row else None

    def of_tenant(self, tenant: str) -> list[ApiKeyRow]:
        """Return a tenant's keys by id."""
        partition, _ = tenant_key_row(tenant, "")
        digests = [text_of(row, "digest") for row in self._table.query(partition, ALL_KEYS)]
        found = map(_key, self._table.get_many(map(api_key_row, digests), consistent=True))
        return sorted(found, key=lambda key: key.id)

    def expire(self, tenant: str, id_: str, *, at: float) -> bool:
        """Let a key end; an end that is set already only comes nearer. Return whether the tenant has such a key."""
        listed = self._table.get(tenant_key_row(tenant, id_))
        if listed is None:
            return False
        self._table.update(
            Change(
                key=api_key_row(text_of(listed, "digest")),
                update="SET #ends_at = :at",
                condition="#tenant = :tenant AND (#ends_at = :never OR #ends_at > :at)",
                values={":at": number(at), ":tenant": text(tenant), ":never": number(0)},
            )
        )
        return True

    def delete(self, key: ApiKeyRow) -> None:
        """Delete a key, if it is there; its place in the list last, so that what is left half done can be repeated."""
        self._table.delete(api_key_row(key.digest))
        self._table.delete(tenant_key_row(key.tenant, key.id))

    def used(self, key: ApiKeyRow, *, now: float) -> None:
        """Write down that a key was used, at most once an hour."""
        if now - key.last_used_at < USED_EVERY:
            return
        self._table.update(
            Change(
                key=api_key_row(key.digest),
                update="SET #last_used_at = :now",
                condition="#last_used_at < :now",  # also false where the row is gone
                values={":now": number(now)},
            )
        )


def _key(row: Row) -> ApiKeyRow:
    return ApiKeyRow(
        id=text_of(row, "id"),
        digest=text_of(row, "pk").partition("#")[2],
        tenant=text_of(row, "tenant"),
        role=Role(text_of(row, "role")),
        name=text_of(row, "name"),
        created_at=float_of(row, "created_at"),
        last_used_at=float_of(row, "last_used_at"),
        expires_at=float_of(row, "ends_at"),
    )
