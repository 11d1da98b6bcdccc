"""The function open_crawl."""

from contextlib import closing

from wavecrawl.application import open_crawl as use_case
from wavecrawl.application.crawl_events import Announcer
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import crawl_client
from wavecrawl.domain.crawl.bill import SETUP
from wavecrawl.ports.crawls import CrawlRow


def open_crawl(cloud: Cloud, crawl: CrawlRow) -> CrawlRow:
    """Return the crawl with its root URL settled; charge it for that."""
    with closing(crawl_client(crawl, cloud.credentials)) as client:
        opened = use_case.open_crawl(
            crawl,
            crawls=cloud.crawls,
            client=client,
            cache=cloud.robots,
            clock=cloud.clock,
            announcer=Announcer(log=cloud.event_log, events=cloud.events),
        )
    cloud.waves.add_usage(crawl.id, SETUP, cloud.meter.take())
    return opened
