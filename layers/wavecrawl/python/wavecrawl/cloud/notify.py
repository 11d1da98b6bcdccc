"""The function notify."""

from wavecrawl.application.crawl_events import publish_ending
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.ports.crawls import CrawlRow


def notify(cloud: Cloud, crawl: CrawlRow) -> EventKind | None:
    """Publish how a crawl ended; return the kind of the event, None if it was published before."""
    return publish_ending(
        crawl,
        log=cloud.event_log,
        events=cloud.events,
        pages=lambda: cloud.waves.progress(crawl.id).fetched,
    )
