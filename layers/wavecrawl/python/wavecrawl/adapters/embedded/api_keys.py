"""API keys in SQLite."""

from msgspec.structs import replace

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.ports.api_keys import USED_EVERY, ApiKeyRow


class SqliteApiKeys:
    """`ports.api_keys.ApiKeys`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._keys = PackedTable(database, "api_key", ApiKeyRow, key=("digest",), columns=("tenant", "id"))

    def create(self, key: ApiKeyRow) -> None:
        """Store a new key."""
        self._keys.put(key)

    def by_digest(self, digest: str) -> ApiKeyRow | None:
        """Return the key of that digest, expired or not, or None."""
        return self._keys.get(digest)

    def of_tenant(self, tenant: str) -> list[ApiKeyRow]:
        """Return a tenant's keys by id."""
        return self._keys.find("tenant = ? ORDER BY id", tenant)

    def expire(self, tenant: str, id_: str, *, at: float) -> bool:
        """Set when a key expires, unless it expires earlier; return whether the tenant has such a key."""
        with self._database.transaction():
            found = self._keys.find("tenant = ? AND id = ?", tenant, id_)
            for key in found:
                if not key.expires_at or at < key.expires_at:
                    self._keys.put(replace(key, expires_at=at))
        return bool(found)

    def delete(self, key: ApiKeyRow) -> None:
        """Delete a key, if it exists."""
        self._keys.delete(key.digest)

    def used(self, key: ApiKeyRow, *, now: float) -> None:
        """Store when a key was used, at most once an hour."""
        if now - key.last_used_at < USED_EVERY:
            return
        with self._database.transaction():
            stored = self.by_digest(key.digest)
            if stored is not None and stored.last_used_at < now:
                self._keys.put(replace(stored, last_used_at=now))
