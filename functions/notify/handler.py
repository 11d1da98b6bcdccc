"""Publish that a crawl has ended."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.notify import notify
from wavecrawl.cloud.step_input import CrawlTask, task_of
from wavecrawl.telemetry import Context, Event, about, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bus")))


@instrumented
def handler(event: Event, _: Context) -> dict[str, object]:
    """Publish how the crawl ended, with its counts, and what changed on the site, unless that was published before."""
    task = task_of(event, CrawlTask)
    about(task.crawl)
    kind = notify(cloud, cloud.crawl(task.crawl))
    logger.info("ending published", kind=kind)
    return {"published": kind}
