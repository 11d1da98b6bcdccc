"""Tell others that a crawl has ended."""

import os

from wavecrawl.application.tell_ending import tell_ending
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.step_input import CrawlTask, task_of
from wavecrawl.telemetry import Context, Event, about, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bus")))


@instrumented
def handler(event: Event, _: Context) -> dict[str, object]:
    """Publish how the crawl ended, with its numbers, and what it found changed, unless somebody did."""
    task = task_of(event, CrawlTask)
    about(task.crawl)
    kind = tell_ending(
        cloud.crawl(task.crawl),
        log=cloud.event_log,
        events=cloud.events,
        pages=lambda: cloud.waves.progress(task.crawl).fetched,
    )
    logger.info("ending told", kind=kind)
    return {"published": kind}
