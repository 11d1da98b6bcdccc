"""API keys: each gives access to one tenant, with the permissions of its role."""

from typing import Protocol

import msgspec

from wavecrawl.domain.tenants.role import Role

USED_EVERY = 3600.0
"""Minimum seconds between two updates of `last_used_at`."""


class ApiKeyRow(msgspec.Struct, frozen=True, kw_only=True):
    """One stored key, without its secret. Times are Unix seconds, 0 = never."""

    id: str  # identifies the key within its tenant; not secret
    digest: str  # SHA-256 of the whole key, hex
    tenant: str
    role: Role
    name: str  # display name
    created_at: float
    last_used_at: float = 0.0  # to the hour
    expires_at: float = 0.0

    def has_ended(self, now: float) -> bool:
        """Return whether the key has expired or is revoked."""
        return 0.0 < self.expires_at <= now


class ApiKeys(Protocol):
    """Key rows. Contract: tests/contract/test_api_keys.py."""

    def create(self, key: ApiKeyRow) -> None:
        """Store a new key."""
        ...

    def by_digest(self, digest: str) -> ApiKeyRow | None:
        """Return the key of that digest, expired or not, or None."""
        ...

    def of_tenant(self, tenant: str) -> list[ApiKeyRow]:
        """Return a tenant's keys by id."""
        ...

    def expire(self, tenant: str, id_: str, *, at: float) -> bool:
        """Let a key expire at `at`, or earlier if it already does; return whether the tenant has the key."""
        ...

    def delete(self, key: ApiKeyRow) -> None:
        """Delete a key if it exists."""
        ...

    def used(self, key: ApiKeyRow, *, now: float) -> None:
        """Record the use of a key, at most once an hour."""
        ...
