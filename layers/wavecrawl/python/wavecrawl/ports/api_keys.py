"""API keys: whoever shows one acts for its tenant, as far as its role allows."""

from dataclasses import dataclass
from typing import Protocol

from wavecrawl.domain.tenants.role import Role

USED_EVERY = 3600.0
"""Seconds between two notes of a key's use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKeyRow:
    """One key, as it is stored: never the key itself. Times are Unix seconds, 0 = never."""

    id: str  # tells keys of a tenant apart; no secret
    digest: str  # SHA-256 of the whole key, hex
    tenant: str
    role: Role
    name: str  # for people
    created_at: float
    last_used_at: float = 0.0  # to the hour
    expires_at: float = 0.0

    def has_ended(self, now: float) -> bool:
        """Tell whether the key opens nothing any more."""
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
        """Let a key end; an end that is set already only comes nearer. Return whether the tenant has such a key."""
        ...

    def delete(self, key: ApiKeyRow) -> None:
        """Delete a key, if it is there."""
        ...

    def used(self, key: ApiKeyRow, *, now: float) -> None:
        """Write down that a key was used, at most once an hour."""
        ...
