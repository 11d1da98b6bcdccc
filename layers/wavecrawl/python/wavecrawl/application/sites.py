"""Saved sites: create, change, delete. The schedule of a site takes effect when the site is saved.

A site without a schedule of its own has the default of its tenant, and gets a new one when that changes.
"""

from msgspec.structs import replace

from wavecrawl.application.crawl_settings import check_deployment
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.start_crawl import site_of
from wavecrawl.application.tenants import tenant_of, within_plan
from wavecrawl.application.uploaded_lists import hold_list, release_list
from wavecrawl.domain.tenants.plans import CEILINGS
from wavecrawl.errors import ConflictError, NotFoundError, OutdatedError, PlanLimitError, StoreBusyError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.sites import SiteRow
from wavecrawl.ports.tenants import TenantRow, Tenants

_ATTEMPTS = 5  # to put the schedule of the site's last version, while others change it
_SITES_PER_READ = 100
_RENEWING = 15.0  # seconds that a request may take to renew schedules; in AWS, each takes about 0.1 s


def create_site(site: SiteRow, ports: Ports, operator: OperatorSettings) -> SiteRow:
    """Store a new site, whose id follows from its URL; return it as stored.

    Raise InvalidInputError if the URL or the schedule is invalid, the settings are too large to be stored, they name an
    uploaded list that cannot be used, or its crawls need a browser and the deployment has none,
    PlanLimitError if the settings or the number of sites exceed the tenant's plan, ConflictError if the tenant has a
    site of that URL.
    """
    now = ports.clock.now()
    named = replace(site, site=site_of(site.url, site.settings), created_at=now, changed_at=now, version=1)
    new, tenant = _checked(named, ports.tenants, operator)
    most = CEILINGS[tenant.plan].max_sites
    _hold_list(new, tenant, ports)
    if not ports.sites.create(new, most=most):
        _release_list(new, ports)
        if most is not None and ports.sites.read(new.tenant, new.site) is None:
            raise _too_many(tenant, most)
        raise ConflictError(f"site {new.site} of {site.url} already exists; change that one")
    _put_schedule(new, ports)
    latest = tenant_of(new.tenant, tenants=ports.tenants, own=operator.tenant)
    return _renewed(new, latest, ports)  # if the tenant's default has changed meanwhile


def change_site(site: SiteRow, ports: Ports, operator: OperatorSettings, *, old_list: str = "") -> SiteRow:
    """Replace a site; return it as stored. `site` has the new values, and the version that was read.

    `old_list`: the uploaded list of URLs that the version named which was read.
    The schedule is put even if it is unchanged, which repairs one that an earlier failure left behind. Raise as
    `create_site`, and OutdatedError if the site was changed or deleted since it was read.
    """
    new = replace(site, changed_at=ports.clock.now(), version=site.version + 1)
    changed, tenant = _checked(new, ports.tenants, operator)
    _hold_list(changed, tenant, ports)
    if not ports.sites.update(changed):
        _release_list(changed, ports)
        raise OutdatedError(f"site {site.site} was changed or deleted by another request; get it again")
    if old_list and old_list != changed.settings.url_list:
        release_list(site.tenant, old_list, site.site, lists=ports.url_lists)
    _put_schedule(changed, ports)
    return changed


def delete_site(tenant: str, site: str, ports: Ports) -> None:
    """Delete a site, its schedule and its credentials. Its crawls and their results stay.

    Raise NotFoundError if there is no such site. Schedule and credentials are deleted first, so that a failure in
    between leaves a site that can be deleted again.
    """
    row = ports.sites.read(tenant, site)
    if row is None:
        raise NotFoundError(f"there is no site {site}")
    ports.schedules.remove(tenant, site)
    if row.credentials:
        ports.credentials.delete(tenant, site)
    ports.sites.delete(tenant, site)
    _release_list(row, ports)
    ports.schedules.remove(tenant, site)  # of a request that saved the site in between


def renew_schedules(tenant: TenantRow, ports: Ports) -> None:
    """Give the default schedule of a tenant to its sites that have none of their own. Takes effect immediately.

    Raise StoreBusyError if that takes too long for one request. A repeat continues where it stopped.
    """
    until, after = ports.clock.now() + _RENEWING, ""
    while sites := ports.sites.of_tenant(tenant.tenant, limit=_SITES_PER_READ, after=after):
        for site in sites:
            if ports.clock.now() > until:
                raise StoreBusyError(
                    f"tenant {tenant.tenant} has too many sites to renew all schedules in one request; the settings "
                    "are stored, so send the request again until it succeeds"
                )
            _renewed(site, tenant, ports)
        after = sites[-1].site


def _renewed(site: SiteRow, tenant: TenantRow, ports: Ports) -> SiteRow:
    """Return a site with the default schedule of its tenant, unless it has its own.

    The schedule is put before the site is stored: after a failure in between, the site still differs from the default,
    and a repeat renews it.
    """
    for _ in range(_ATTEMPTS):
        new = _scheduled(site, tenant)
        if new.schedule == site.schedule:
            return site
        new = replace(new, changed_at=ports.clock.now(), version=site.version + 1)
        ports.schedules.put(new.tenant, new.site, new.schedule)
        if ports.sites.update(new):
            return new
        _put_schedule(site, ports)  # another request has changed the site
        stored = ports.sites.read(site.tenant, site.site)
        if stored is None:
            return site
        site = stored
    raise _never_still(site)


def _hold_list(site: SiteRow, tenant: TenantRow, ports: Ports) -> None:
    """Keep the uploaded list that a site names, if any. Raise as `hold_list`."""
    list_ = site.settings.url_list
    if list_:
        hold_list(tenant, list_, site.site, lists=ports.url_lists, now=ports.clock.now())


def _release_list(site: SiteRow, ports: Ports) -> None:
    """Release the uploaded list that a version of a site names, unless the stored version names it too."""
    list_ = site.settings.url_list
    if not list_:
        return
    stored = ports.sites.read(site.tenant, site.site)
    if stored is None or stored.settings.url_list != list_:
        release_list(site.tenant, list_, site.site, lists=ports.url_lists)


def _scheduled(site: SiteRow, tenant: TenantRow) -> SiteRow:
    return replace(site, schedule=tenant.settings.schedule) if site.inherits_schedule else site


def _checked(site: SiteRow, tenants: Tenants, operator: OperatorSettings) -> tuple[SiteRow, TenantRow]:
    """Return the site with the schedule that applies, and its tenant.

    Raise if the schedule is invalid or its crawls would be refused.
    """
    check_deployment(site.settings, operator)
    tenant = tenant_of(site.tenant, tenants=tenants, own=operator.tenant)
    within_plan(site.settings, tenant, operator, named=site.named)
    scheduled = _scheduled(site, tenant)
    scheduled.schedule.validated()
    return scheduled, tenant


def _too_many(tenant: TenantRow, most: int) -> PlanLimitError:
    plan = tenant.plan.value
    message = f"plan {plan} allows {most:,} saved sites, and all are in use; delete one, or upgrade"
    return PlanLimitError(message, plan=plan, limit="max_sites", ceiling=most)


def _put_schedule(site: SiteRow, ports: Ports) -> None:
    """Put the schedule of a site, until it is that of the stored version: another request may save the site too."""
    for _ in range(_ATTEMPTS):
        ports.schedules.put(site.tenant, site.site, site.schedule)
        stored = ports.sites.read(site.tenant, site.site)
        if stored is None:
            ports.schedules.remove(site.tenant, site.site)
            return
        if stored.version == site.version:
            return
        site = stored
    raise _never_still(site)


def _never_still(site: SiteRow) -> StoreBusyError:
    return StoreBusyError(f"site {site.site} is being changed again and again; save it again to set its schedule")
