"""Request a crawl: start it, and launch its state machine."""

from dataclasses import dataclass, replace

from wavecrawl.application.start_crawl import start_crawl
from wavecrawl.application.tenants import active_tenant, within_plan
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import CrawlRunningError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.launcher import Launcher
from wavecrawl.ports.tenants import Tenants


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRequest:
    """A requested crawl. The settings do not include those of the operator."""

    url: str
    settings: CrawlSettings
    pages_named: bool  # whether the request sets `max_pages`


def request_crawl(
    id_: CrawlId,
    start_url: str,
    settings: CrawlSettings,
    *,
    crawls: Crawls,
    launcher: Launcher,
    clock: Clock,
    tenants: Tenants,
    own_tenant: str,
    pages_named: bool = True,
) -> CrawlRow:
    """Start and launch a crawl; return it as stored. Idempotent for the same id.

    A process may die after it started a crawl and before it launched it. A later request for the site therefore
    launches the crawl that holds the site's lock. Launching a running crawl does nothing.

    The tenant's plan limits pages, tries and dollars per crawl, and crawls per month. The deployment's own tenant
    (`own_tenant`) has no limits by default. If the request names no page limit (`pages_named`), the tenant's default
    applies.

    Raise InvalidUrlError or InvalidSettingsError if the input is invalid, CrawlRunningError if another crawl of the
    site is running, PlanLimitError or QuotaExceededError if the plan does not allow the crawl, ForbiddenError if the
    tenant is disabled.
    """
    tenant = active_tenant(id_.tenant, tenants=tenants, own=own_tenant)
    allowed = within_plan(settings, tenant, pages_named=pages_named)
    try:
        crawl = start_crawl(id_, start_url, allowed, crawls=crawls, clock=clock, tenant=tenant)
    except CrawlRunningError as error:
        launcher.launch(replace(id_, crawl=error.crawl))
        raise
    if crawl.status is CrawlStatus.RUNNING:
        launcher.launch(id_)
    return crawl
