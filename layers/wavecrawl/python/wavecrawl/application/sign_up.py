"""Sign-up: create a tenant with an API key and a saved site, and start the first crawl of the site."""

import msgspec
from msgspec.structs import replace

from wavecrawl.application.api_keys import NewKey, create_key, revoke_key
from wavecrawl.application.crawl_settings import check_deployment
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.required_contact import require_contact
from wavecrawl.application.sites import create_site
from wavecrawl.application.start_crawl import site_of
from wavecrawl.application.start_site import start_site
from wavecrawl.application.tenants import create_tenant
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.errors import ConflictError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.sites import SiteRow
from wavecrawl.ports.tenants import TenantRow

_KEY_NAME = "sign-up"


class SignUp(msgspec.Struct, frozen=True, kw_only=True):
    """A tenant that has signed up."""

    tenant: TenantRow
    site: SiteRow
    crawl: CrawlRow
    key: NewKey


def sign_up(site: SiteRow, *, name: str, plan: Plan, crawl: str, ports: Ports, operator: OperatorSettings) -> SignUp:
    """Create the tenant of `site`, the site, a key of role `tenant`, and start a crawl with the id `crawl`.

    Everything that can be wrong is checked before anything is stored. A repeat with the same `crawl` continues an
    attempt that was interrupted; its key, which was never shown, is revoked.

    Raise InvalidInputError if the tenant or the URL is invalid, or a public site needs a contact and the operator has
    none, ConflictError if the tenant exists.
    """
    site = replace(site, site=site_of(site.url, site.settings))
    require_contact(site.url, operator)
    check_deployment(site.settings, operator)
    tenant = _tenant(site.tenant, name=name, plan=plan, sign_up=crawl, ports=ports)
    saved = ports.sites.read(site.tenant, site.site) or create_site(site, ports, operator)
    id_ = CrawlId(tenant=site.tenant, site=saved.site, crawl=crawl)
    started = start_site(id_, ports, operator, trigger=Trigger.SIGN_UP)
    return SignUp(tenant=tenant, site=saved, crawl=started, key=_key(site.tenant, ports))


def _tenant(tenant: str, *, name: str, plan: Plan, sign_up: str, ports: Ports) -> TenantRow:
    """Return the new tenant, or the one that an interrupted attempt at the same sign-up created."""
    try:
        return create_tenant(
            tenant, name=name, plan=plan, sign_up=sign_up, tenants=ports.tenants, now=ports.clock.now()
        )
    except ConflictError:
        known = ports.tenants.read(tenant)
        if known is None or known.sign_up != sign_up:
            raise
        return known


def _key(tenant: str, ports: Ports) -> NewKey:
    now = ports.clock.now()
    for key in ports.keys.of_tenant(tenant):
        if key.name == _KEY_NAME and not key.has_ended(now):
            revoke_key(tenant, key.id, keys=ports.keys, now=now)
    return create_key(tenant, role=Role.TENANT, name=_KEY_NAME, keys=ports.keys, now=now)
