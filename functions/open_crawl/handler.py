"""The first step of a crawl: follow the redirects of its start URL, and read robots.txt."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.charging import charged_on_error
from wavecrawl.cloud.open_crawl import open_crawl
from wavecrawl.cloud.step_input import CrawlTask, task_of
from wavecrawl.telemetry import Context, Event, about, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table",)))


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Open a crawl."""
    task = task_of(event, CrawlTask)
    about(task.crawl)
    with cloud.invocation(context.memory_limit_in_mb), charged_on_error(cloud, task.crawl):
        crawl = open_crawl(cloud, cloud.crawl(task.crawl))
    logger.info("crawl opened", root=crawl.root_url)
    return {"root": crawl.root_url}
