"""API keys in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.api_keys import USED_EVERY, ApiKeyRow

_COLUMNS = "tenant, id, digest, role, name, created_at, last_used_at, expires_at"


class SqliteApiKeys:
    """`ports.api_keys.ApiKeys`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, key: ApiKeyRow) -> None:
        """Store a new key."""
        self._database.change(
            f"INSERT INTO api_key ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - constant
            key.tenant,
            key.id,
            key.digest,
            key.role.value,
            key.name,
            key.created_at,
            key.last_used_at,
            key.expires_at,
        )

    def by_digest(self, digest: str) -> ApiKeyRow | None:
        """Return the key of that digest, expired or not, or None."""
        rows = self._rows("digest = ?", digest)
        return rows[0] if rows else None

    def of_tenant(self, tenant: str) -> list[ApiKeyRow]:
        """Return a tenant's keys by id."""
        return self._rows("tenant = ? ORDER BY id", tenant)

    def expire(self, tenant: str, id_: str, *, at: float) -> bool:
        """Let a key end; an end that is set already only comes nearer. Return whether the tenant has such a key."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE api_key SET expires_at = ?1 WHERE tenant = ?2 AND id = ?3 "
                "AND (expires_at = 0 OR expires_at > ?1)",
                (at, tenant, id_),
            )
            found = connection.execute("SELECT 1 FROM api_key WHERE tenant = ? AND id = ?", (tenant, id_))
            return found.fetchone() is not None

    def delete(self, key: ApiKeyRow) -> None:
        """Delete a key, if it is there."""
        self._database.change("DELETE FROM api_key WHERE digest = ?", key.digest)

    def used(self, key: ApiKeyRow, *, now: float) -> None:
        """Write down that a key was used, at most once an hour."""
        if now - key.last_used_at >= USED_EVERY:
            sql = "UPDATE api_key SET last_used_at = max(last_used_at, ?) WHERE digest = ?"
            self._database.change(sql, now, key.digest)

    def _rows(self, where: str, *values: object) -> list[ApiKeyRow]:
        sql = f"SELECT {_COLUMNS} FROM api_key WHERE {where}"  # noqa: S608 - constants of this class
        return [
            ApiKeyRow(
                tenant=tenant,
                id=id_,
                digest=digest,
                role=Role(role),
                name=name,
                created_at=created_at,
                last_used_at=last_used_at,
                expires_at=expires_at,
            )
            for tenant, id_, digest, role, name, created_at, last_used_at, expires_at in self._database.rows(
                sql, *values
            )
        ]
