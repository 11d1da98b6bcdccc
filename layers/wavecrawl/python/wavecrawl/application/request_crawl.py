"""Request a crawl: queue it, and launch its state machine as soon as the limits allow."""

import msgspec
from msgspec.structs import replace

from wavecrawl.application.crawl_settings import with_operator
from wavecrawl.application.operator_controls import require_permission
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.required_contact import require_contact
from wavecrawl.application.start_crawl import site_of, start_crawl
from wavecrawl.application.tenants import active_tenant, within_plan
from wavecrawl.application.uploaded_lists import give_list
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.setting_paths import with_values_of
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.domain.tenants.defaulted import DEFAULTED, URLS
from wavecrawl.errors import CrawlRunningError, NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.sites import SiteRow


class CrawlRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A requested crawl. The settings do not include those of the operator.

    It names a URL or a saved site. The site's settings apply to both, except those that the request names.
    """

    url: str = ""
    site: str = ""  # id of a saved site; "" = that of the URL, which may be saved
    settings: CrawlSettings = msgspec.field(default_factory=CrawlSettings)
    trigger: Trigger = Trigger.API
    named: frozenset[str] = DEFAULTED  # the settings that the request names, of those with defaults


def requested_site(request: CrawlRequest) -> str:
    """Return the id of the site that a request names; raise InvalidUrlError if its URL cannot be crawled."""
    return request.site or site_of(request.url, request.settings)


def request_crawl(id_: CrawlId, request: CrawlRequest, ports: Ports, operator: OperatorSettings) -> CrawlRow:
    """Queue and launch a crawl with the operator's settings; return it as stored. Idempotent for the same id.

    The crawl stays queued if as many crawls of its tenant are running as the limit allows.

    A process may die after it queued a crawl and before it launched it. A later request for the site therefore
    launches the crawl that holds the site's lock. Launching a running crawl does nothing.

    The tenant's plan limits pages, tries and dollars per crawl, and crawls per month. The deployment's own tenant
    has no limits by default. If the site is saved, its settings apply unless the request names them, and the crawl uses
    its credentials. The tenant's defaults apply to settings that neither names.

    The crawl gets its own copy of an uploaded list of URLs that the settings name.

    Raise NotFoundError if the request names a site that is not saved, InvalidUrlError or InvalidSettingsError if the
    input is invalid, InvalidInputError if the uploaded list cannot be used, or a public site needs a contact and the
    operator has none, CrawlRunningError if another crawl of the site is running, PlanLimitError or QuotaExceededError
    if the plan does not allow the crawl, ForbiddenError if the tenant is disabled. Raise as `require_permission` if the
    operator forbids the crawl.
    """
    tenant = active_tenant(id_.tenant, tenants=ports.tenants, own=operator.tenant)
    site = ports.sites.read(id_.tenant, id_.site)
    if site is not None:
        request = _with_settings_of(site, request)
    elif request.site:
        raise NotFoundError(f"there is no site {request.site}; save it first, or request a crawl of its URL")
    require_contact(request.url, operator)
    require_permission(request.url, tenant, ports)
    settings = with_operator(request.settings, operator)
    allowed = within_plan(settings, tenant, operator, named=request.named)
    if allowed.url_list:
        give_list(id_, allowed.url_list, tenant=tenant, lists=ports.url_lists, now=ports.clock.now())
    try:
        crawl = start_crawl(
            id_,
            request.url,
            allowed,
            crawls=ports.crawls,
            objects=ports.objects,
            clock=ports.clock,
            tenant=tenant,
            status=CrawlStatus.QUEUED,
            authenticated=site is not None and bool(site.credentials),
            triggered_by=request.trigger,
        )
    except CrawlRunningError as error:
        ports.launcher.launch(replace(id_, crawl=error.crawl))
        raise
    if crawl.status.has_ended:
        return crawl
    ports.launcher.launch(id_)
    return ports.crawls.read(id_) or crawl


def _with_settings_of(site: SiteRow, request: CrawlRequest) -> CrawlRequest:
    """Return the request with the settings of its saved site, except those that the request names."""
    settings = with_values_of(site.settings, request.settings, request.named)
    if request.settings.urls or request.settings.url_list:
        settings = with_values_of(settings, request.settings, URLS)
    elif settings.discovery is not Discovery.LIST:
        settings = with_values_of(settings, CrawlSettings(), URLS)
    return replace(request, url=request.url or site.url, settings=settings, named=site.named | request.named)
