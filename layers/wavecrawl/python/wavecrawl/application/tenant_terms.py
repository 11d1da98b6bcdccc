"""What a tenant may do: its row, its month's quota, how far a crawl of it may go."""

from dataclasses import replace

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.tenants.limits import NO_CEILING, TENANT_ID
from wavecrawl.domain.tenants.months import month_of
from wavecrawl.domain.tenants.plans import CEILINGS, Plan
from wavecrawl.errors import ForbiddenError, NotFoundError, PlanLimitError
from wavecrawl.ports.crawls import Quota
from wavecrawl.ports.tenants import TenantRow, Tenants


def tenant_of(tenant: str, *, tenants: Tenants, own: str) -> TenantRow:
    """Return a tenant as stored. The deployment's own, where it was never stored, is one without limits.

    Raise NotFoundError where there is no such tenant.
    """
    row = tenants.read(tenant) if tenant == own or TENANT_ID.fullmatch(tenant) else None
    if row is None and tenant == own:
        return TenantRow(tenant=own, name=own, plan=Plan.UNLIMITED, version=0)
    if row is None:
        raise NotFoundError(f"there is no tenant {tenant}")
    return row


def active_tenant(tenant: str, *, tenants: Tenants, own: str) -> TenantRow:
    """Return a tenant that may start crawls; raise as `tenant_of`, and ForbiddenError where it is disabled."""
    row = tenant_of(tenant, tenants=tenants, own=own)
    if row.disabled:
        raise ForbiddenError(f"tenant {tenant} is disabled; only the operator can change that")
    return row


def quota_of(tenant: TenantRow, now: float) -> Quota:
    """Return the tenant's quota of the month that `now` lies in."""
    return Quota(month=month_of(now), limit=CEILINGS[tenant.plan].crawls_a_month)


def within_plan(settings: CrawlSettings, tenant: TenantRow, *, pages_named: bool) -> CrawlSettings:
    """Return the settings as the tenant's plan allows them.

    Whoever named no page limit gets the tenant's own, or else the crawler's, as far as the plan goes; of tries and
    dollars, all that the plan has. Raise PlanLimitError where a limit was named that is beyond the plan.
    """
    ceilings = CEILINGS[tenant.plan]
    pages = settings.max_pages
    if not pages_named:
        pages = min(tenant.settings.max_pages or pages, ceilings.max_pages or NO_CEILING)
    allowed = replace(
        settings,
        max_pages=pages,
        max_tries=settings.max_tries or ceilings.max_tries or 0,
        budget_usd=settings.budget_usd or ceilings.budget_usd or 0.0,
    )
    for limit, unit in (("max_pages", "pages"), ("max_tries", "tries"), ("budget_usd", "dollars")):
        asked, ceiling = getattr(allowed, limit), getattr(ceilings, limit)
        if ceiling is not None and asked > ceiling:
            plan = tenant.plan.value
            what = f"plan {plan} allows {ceiling:,} {unit} a crawl, {asked:,} were asked for; ask for fewer, or upgrade"
            raise PlanLimitError(what, plan=plan, limit=limit, ceiling=ceiling)
    return allowed
