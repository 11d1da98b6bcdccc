"""A crawl that cannot go on: marked failed, its site freed. Called by the state machine, and by EventBridge for it."""

import os

from wavecrawl.application.fail_crawl import fail_crawl
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.fail_crawl import failed_crawl
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.telemetry import Context, Event, about, count, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bus")))


@instrumented
def handler(event: Event, _: Context) -> dict[str, object]:
    """Mark the crawl failed, unless it has ended already; free its site; tell others, once."""
    failed = failed_crawl(event)
    about(failed.crawl)
    crawl, news = fail_crawl(
        failed.crawl,
        cloud.fail_ports,
        error=failed.error,
        pages=lambda: cloud.waves.progress(failed.crawl).fetched,
    )
    count("CrawlsFailed", news and crawl.status is CrawlStatus.FAILED)
    logger.error("crawl failed", error=failed.error, status=crawl.status.value, told=news)
    return {"status": crawl.status.value}
