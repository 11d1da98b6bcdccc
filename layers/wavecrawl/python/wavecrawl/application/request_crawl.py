"""Request a crawl where a state machine of its own runs each: start it, and set it going."""

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
    """A requested crawl; its settings are without those of the operator."""

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
    """Return the crawl as stored, under way. Asking again with the same id changes nothing.

    Whoever asks may die between the two steps. So a crawl that holds its site's lock is launched by whoever finds it
    there: launching what runs does nothing, and a lock without a crawl behind it cannot last.

    The tenant's plan bounds the crawl's pages, tries and dollars, and the crawls of a month; `own_tenant`, the
    deployment's own, has no bounds unless it was given some. Where no page limit was named (`pages_named`), the
    tenant's own applies.

    Raise InvalidUrlError or InvalidSettingsError where the input does not hold, CrawlRunningError where another crawl
    of the site is under way, PlanLimitError or QuotaExceededError where the plan does not go so far, ForbiddenError
    where the tenant is disabled.
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
