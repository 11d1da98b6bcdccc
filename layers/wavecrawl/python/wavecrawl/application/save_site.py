"""Save a site, and have its schedule follow at once."""

from dataclasses import replace

from wavecrawl.application.start_crawl import site_of
from wavecrawl.application.tenant_terms import tenant_of, within_plan
from wavecrawl.domain.tenants.plans import CEILINGS
from wavecrawl.errors import ConflictError, OutdatedError, PlanLimitError, StoreBusyError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.schedules import Schedules
from wavecrawl.ports.sites import SiteRow, Sites
from wavecrawl.ports.tenants import TenantRow, Tenants

_TURNS = 5  # until the schedule is that of the site's last version, while others change it


def create_site(
    site: SiteRow, *, sites: Sites, schedules: Schedules, tenants: Tenants, clock: Clock, own_tenant: str
) -> SiteRow:
    """Store a new site, whose id follows from its URL; return it as stored.

    Raise InvalidUrlError or InvalidSettingsError where the input does not hold, PlanLimitError where the tenant's plan
    does not go so far, or the tenant has as many sites as it allows, ConflictError where it has a site of that URL.
    """
    now = clock.now()
    new = replace(site, site=site_of(site.url, site.settings), created_at=now, changed_at=now, version=1)
    tenant = _checked(new, tenants, own_tenant)
    most = CEILINGS[tenant.plan].max_sites
    if not sites.create(new, most=most):
        if most is not None and sites.read(new.tenant, new.site) is None:
            raise _too_many(tenant, most)
        raise ConflictError(f"there is a site of {site.url} already: {new.site}")
    _follow(new, sites, schedules)
    return new


def change_site(
    site: SiteRow, *, sites: Sites, schedules: Schedules, tenants: Tenants, clock: Clock, own_tenant: str
) -> SiteRow:
    """Replace a site, given as it is to be but with the version that was read; return it as stored.

    The schedule is put again even where it is the same: so saving mends what a failure left behind. Raise as
    `create_site`, but OutdatedError where the site was changed or deleted since it was read.
    """
    changed = replace(site, changed_at=clock.now(), version=site.version + 1)
    _checked(changed, tenants, own_tenant)
    if not sites.update(changed):
        raise OutdatedError(f"site {site.site} was changed by somebody else: read it again")
    _follow(changed, sites, schedules)
    return changed


def _checked(site: SiteRow, tenants: Tenants, own_tenant: str) -> TenantRow:
    """Return the site's tenant; raise where schedule or settings do not hold, or the plan does not go so far."""
    site.schedule.validated()
    tenant = tenant_of(site.tenant, tenants=tenants, own=own_tenant)
    within_plan(site.settings, tenant, pages_named=site.pages_named)
    return tenant


def _too_many(tenant: TenantRow, most: int) -> PlanLimitError:
    plan = tenant.plan.value
    message = f"plan {plan} allows {most:,} saved sites, and as many there are; delete one, or upgrade"
    return PlanLimitError(message, plan=plan, limit="max_sites", ceiling=most)


def _follow(site: SiteRow, sites: Sites, schedules: Schedules) -> None:
    """Put the schedule of a site; look again, as whoever saved it meanwhile may have been quicker with theirs."""
    for _ in range(_TURNS):
        schedules.put(site.tenant, site.site, site.schedule)
        stored = sites.read(site.tenant, site.site)
        if stored is None:
            schedules.remove(site.tenant, site.site)
            return
        if stored.version == site.version:
            return
        site = stored
    raise StoreBusyError(f"site {site.site} is changed again and again; its schedule may not be its last one")
