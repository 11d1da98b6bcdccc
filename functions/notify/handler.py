"""Tell others that a crawl has ended."""

import os

from wavecrawl.adapters.aws.progress import progress_of
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import BUS, TABLE, CloudSettings
from wavecrawl.ports.crawls import CrawlStatus
from wavecrawl.ports.events import CrawlEvent, EventKind
from wavecrawl.web.tasks import CrawlTask, task_of
from wavecrawl.web.telemetry import Context, Event, about, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=(TABLE, BUS)))


@instrumented
def handler(event: Event, _: Context) -> dict[str, object]:
    """Publish how the crawl ended, with its numbers."""
    task = task_of(event, CrawlTask)
    about(task.crawl)
    crawl = cloud.crawl(task.crawl)
    kind = EventKind.FAILED if crawl.status is CrawlStatus.FAILED else EventKind.COMPLETED
    cloud.events.publish(
        CrawlEvent(
            kind=kind,
            crawl=crawl.id,
            status=crawl.status.value,
            root_url=crawl.root_url,
            pages=progress_of(cloud.table, crawl.id).fetched,
            error=crawl.error,
            at=crawl.finished_at or cloud.clock.now(),
        )
    )
    logger.info("event published", kind=kind.value)
    return {"published": kind.value}
