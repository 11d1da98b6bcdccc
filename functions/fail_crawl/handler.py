"""Mark a crawl failed and free its site. Called by the state machine, and by EventBridge if that was stopped."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.fail_crawl import fail_crawl, failed_crawl
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import NotFoundError
from wavecrawl.telemetry import Context, Event, about, count, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bus")))


@instrumented
def handler(event: Event, _: Context) -> dict[str, object]:
    """Mark the crawl failed, unless it has ended; free its site; publish the failure, once."""
    failed = failed_crawl(event)
    about(failed.crawl)
    try:
        crawl, published = fail_crawl(cloud, failed)
    except NotFoundError:  # the event of an ended execution may come after its crawl was deleted
        logger.info("event dropped: its crawl was deleted")
        count("Dropped")
        return {"status": "deleted"}
    count("CrawlsFailed", published and crawl.status is CrawlStatus.FAILED)
    logger.error("crawl failed", error=failed.reason, status=crawl.status.value, published=published)
    return {"status": crawl.status.value}
