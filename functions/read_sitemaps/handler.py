"""Read the sitemaps of a site into the crawl's listing."""

import os

from wavecrawl.application.read_sitemaps import Later
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.charging import charged_on_error
from wavecrawl.cloud.read_sitemaps import read_sitemaps
from wavecrawl.cloud.step_input import CrawlTask, task_of
from wavecrawl.cloud.wave_steps import paused
from wavecrawl.telemetry import Context, Event, about, count, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket")))


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Read the sitemaps, unless they were read before; return how many URLs they list, or when to continue."""
    task = task_of(event, CrawlTask)
    about(task.crawl)
    with cloud.invocation(context.memory_limit_in_mb), charged_on_error(cloud, task.crawl):
        remaining = context.get_remaining_time_in_millis() / 1000
        read = read_sitemaps(cloud, cloud.crawl(task.crawl), remaining=remaining)
    if isinstance(read, Later):
        logger.info("reading sitemaps continues later", at=read.at)
        return paused(read.at)
    files, urls = len(read.files), len(read.entries)
    count("SitemapUrls", urls)
    logger.info("sitemaps read", files=files, urls=urls, notices=len(read.notices))
    return {"next": "done", "files": files, "urls": urls, "leads_on": read.leads_on}
