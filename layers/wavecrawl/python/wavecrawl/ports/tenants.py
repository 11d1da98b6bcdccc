"""Tenants: their plans, settings and monthly usage."""

from typing import Protocol

import msgspec

from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings


class TenantRow(msgspec.Struct, frozen=True, kw_only=True):
    """One tenant. Times are Unix seconds."""

    tenant: str  # its id
    name: str
    plan: Plan
    settings: TenantSettings = msgspec.field(default_factory=TenantSettings)
    created_at: float = 0.0
    disabled: bool = False  # its keys are rejected
    max_running_crawls: int | None = None  # at the same time; None = the operator's setting
    # Of settings, by path; they replace those of the plan.
    maximums: dict[str, float] = msgspec.field(default_factory=dict)
    may_ignore_robots: bool = False  # whether its crawls may have `polite.obey_robots` false
    may_name_crawlers: bool = False  # whether `user_agent_suffix` of its crawls may name another crawler
    budget_usd_a_month: float | None = None  # what its crawls may cost in a month, in dollars; None = no limit
    sign_up: str = ""  # id of the crawl that its sign-up starts; "" if it was created without one
    version: int = 1  # increases with each change


class Tenants(Protocol):
    """Tenant rows. Contract: tests/contract/test_tenants.py."""

    def create(self, tenant: TenantRow) -> bool:
        """Store a new tenant; return False without a change if its id exists."""
        ...

    def read(self, tenant: str) -> TenantRow | None:
        """Return a tenant, or None."""
        ...

    def update(self, tenant: TenantRow) -> bool:
        """Replace the tenant if the stored version is one lower; return whether it was."""
        ...

    def listed(self, *, limit: int, after: str = "") -> list[TenantRow]:
        """Return tenants by id; if given, only those after `after`."""
        ...

    def crawls_in(self, tenant: str, month: str) -> int:
        """Return the number of crawls started in a month such as "2026-11" (counted by `Crawls.create`)."""
        ...
