"""The sitemaps of a site: read into the crawl's listing."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_crawls import read_sitemaps_in_cloud
from wavecrawl.bootstrap.cloud_settings import BUCKET, TABLE, CloudSettings
from wavecrawl.web.tasks import CrawlTask, task_of
from wavecrawl.web.telemetry import Context, Event, about, count, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=(TABLE, BUCKET)))


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Read the sitemaps, unless that was done before; return how much they list."""
    task = task_of(event, CrawlTask)
    about(task.crawl)
    with cloud.invocation(context.memory_limit_in_mb):
        listing = read_sitemaps_in_cloud(cloud, cloud.crawl(task.crawl))
    files, urls = len(listing.files), len(listing.entries)
    count("SitemapUrls", urls)
    logger.info("sitemaps read", files=files, urls=urls, notices=len(listing.notices))
    return {"files": files, "urls": urls}
