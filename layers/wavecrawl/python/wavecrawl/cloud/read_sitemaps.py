"""The function read_sitemaps."""

from contextlib import closing

from wavecrawl.application.crawl_limits import is_budget_spent
from wavecrawl.application.earlier_sitemaps import EarlierSitemaps
from wavecrawl.application.read_sitemaps import SitemapReader, Unfinished
from wavecrawl.application.request_budget import left_for_sitemaps
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.sitemap_listing import SitemapListing
from wavecrawl.application.sitemap_requests import ReadingLimits, wait_notes
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import crawl_client
from wavecrawl.cloud.charging import charge_sitemaps
from wavecrawl.cloud.crawl_limits import LONGEST_WAIT, ends_at, wake_up
from wavecrawl.domain.crawl.bill import SETUP
from wavecrawl.ports.crawls import CrawlRow

RESERVE = 30.0
"""Seconds of an invocation that are reserved for storing what was read."""


def read_sitemaps(cloud: Cloud, crawl: CrawlRow, *, remaining: float) -> SitemapListing | Unfinished:
    """Read a crawl's sitemaps, unless an earlier invocation has. `remaining`: seconds left of the invocation."""
    now = cloud.clock.now()
    is_over = crawl.cancel_asked or is_budget_spent(crawl, cloud.waves)
    limits = ReadingLimits(
        max_wait=LONGEST_WAIT,
        deadline=now + remaining - RESERVE,
        crawl_ends_at=now if is_over else ends_at(crawl),
        max_requests=left_for_sitemaps(crawl, cloud.objects),
    )
    with closing(crawl_client(crawl, cloud)) as client:
        rules = site_rules(crawl, client=client, cache=cloud.robots, clock=cloud.clock)
        reader = SitemapReader(
            crawl.id,
            rules,
            client=client,
            objects=cloud.objects,
            hosts=cloud.hosts,
            clock=cloud.clock,
            earlier=EarlierSitemaps(crawl.id, cloud.crawls, cloud.objects),
            note_wait=wait_notes(crawl.id, cloud.waves, cloud.objects),
        )
        read = reader.read(limits)
    charge_sitemaps(cloud.meter, paused=isinstance(read, Unfinished))
    cloud.waves.add_usage(crawl.id, SETUP, cloud.meter.take())
    return Unfinished(resume_at=wake_up(cloud, crawl, read.resume_at)) if isinstance(read, Unfinished) else read
