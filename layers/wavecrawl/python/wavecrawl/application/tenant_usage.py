"""What a tenant has used of its month."""

from dataclasses import dataclass

from wavecrawl.application.tenant_terms import tenant_of
from wavecrawl.domain.tenants.months import end_of_month, month_of
from wavecrawl.domain.tenants.plans import CEILINGS, Plan
from wavecrawl.ports.tenants import Tenants


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantUsage:
    """One tenant's month."""

    tenant: str
    plan: Plan
    month: str  # such as "2026-11"
    crawls: int  # started in it
    crawls_a_month: int | None  # None = no limit
    max_pages: int | None  # of one crawl; None = no limit
    max_tries: int | None  # of one crawl; None = no limit
    budget_usd: float | None  # of one crawl; None = no limit
    max_sites: int | None  # saved at a time; None = no limit
    resets_at: float  # when the next month begins, Unix seconds


def usage_of(tenant: str, *, tenants: Tenants, own: str, now: float) -> TenantUsage:
    """Return what a tenant has used this month; raise NotFoundError where there is no such tenant."""
    row = tenant_of(tenant, tenants=tenants, own=own)
    month, ceilings = month_of(now), CEILINGS[row.plan]
    return TenantUsage(
        tenant=tenant,
        plan=row.plan,
        month=month,
        crawls=tenants.crawls_in(tenant, month),
        crawls_a_month=ceilings.crawls_a_month,
        max_pages=ceilings.max_pages,
        max_tries=ceilings.max_tries,
        budget_usd=ceilings.budget_usd,
        max_sites=ceilings.max_sites,
        resets_at=end_of_month(now),
    )
