"""Sites and their schedules in the cloud."""

from wavecrawl.application.start_crawl import crawl_id_at
from wavecrawl.application.start_site import SitePorts, Skip, start_quietly, start_scheduled
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.domain.crawl.job import CrawlId


def start_in_cloud(
    cloud: Cloud, tenant: str, site: str, *, message: str, scheduled: bool
) -> tuple[CrawlId, Skip | None]:
    """Start the crawl of a saved site that a message asks for; return its id, and why it was not started, if so.

    The message decides the crawl's id, so that another delivery of it finds what was started, or half started.
    """
    now = cloud.clock.now()
    candidate = CrawlId(tenant=tenant, site=site, crawl=crawl_id_at(now, message))
    id_ = cloud.messages.crawl_of(message, candidate, now=now)
    start = start_scheduled if scheduled else start_quietly
    return id_, start(id_, _ports(cloud), cloud.settings)


def _ports(cloud: Cloud) -> SitePorts:
    return SitePorts(
        sites=cloud.sites,
        schedules=cloud.schedules,
        crawls=cloud.crawls,
        tenants=cloud.tenants,
        launcher=cloud.launcher,
        clock=cloud.clock,
    )
