"""A crawl that cannot go on: marked failed, its site freed. Called by the state machine, and by EventBridge for it."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import TABLE, CloudSettings
from wavecrawl.ports.crawls import CrawlStatus
from wavecrawl.web.failed_execution import failed_crawl
from wavecrawl.web.telemetry import Context, Event, about, count, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=(TABLE,)))


@instrumented
def handler(event: Event, _: Context) -> dict[str, object]:
    """Mark the crawl failed, unless it has ended already; free its site."""
    failed = failed_crawl(event)
    about(failed.crawl)
    cloud.crawls.finish(failed.crawl, status=CrawlStatus.FAILED, now=cloud.clock.now(), error=failed.error)
    status = cloud.crawl(failed.crawl).status
    count("CrawlsFailed", status is CrawlStatus.FAILED)
    logger.error("crawl failed", error=failed.error, status=status.value)
    return {"status": status.value}
