"""Tenants: who the service works for, what they have booked, what they used this month."""

from dataclasses import dataclass, field
from typing import Protocol

from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantRow:
    """One tenant. Times are Unix seconds."""

    tenant: str  # its id
    name: str
    plan: Plan
    settings: TenantSettings = field(default_factory=TenantSettings)
    created_at: float = 0.0
    disabled: bool = False  # its keys open nothing
    version: int = 1  # one higher with each change


class Tenants(Protocol):
    """Tenant rows. Contract: tests/contract/test_tenants.py."""

    def create(self, tenant: TenantRow) -> bool:
        """Store a new tenant; return False, with nothing changed, where its id is taken."""
        ...

    def read(self, tenant: str) -> TenantRow | None:
        """Return a tenant, or None."""
        ...

    def update(self, tenant: TenantRow) -> bool:
        """Replace the tenant whose version is one lower; return False where that is not so."""
        ...

    def listed(self, *, limit: int, after: str = "") -> list[TenantRow]:
        """Return tenants by id; where given, only those after `after`."""
        ...

    def crawls_in(self, tenant: str, month: str) -> int:
        """Return how many crawls the tenant has started in a month such as "2026-11" (`Crawls.create` counts them)."""
        ...
