"""The function open_crawl."""

from contextlib import closing

from wavecrawl.application import open_crawl as use_case
from wavecrawl.application.crawl_events import Announcer
from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import crawl_client
from wavecrawl.cloud.large_crawls import finish_of
from wavecrawl.domain.crawl.bill import SETUP
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.signals import Following, NextStep


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


def results_again(cloud: Cloud, crawl: CrawlRow) -> Following:
    """Return who makes the results of an ended crawl again: as at its end, a task if the crawl is large."""
    last = CrawlStates(cloud.objects).summary(crawl.id)
    return finish_of(cloud, Following(next=NextStep.FINISH), last.counters)
