"""The last step of a crawl: its results, its status, its site's lock."""

import os

from wavecrawl.application.wacz_package import PACKAGE
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.charging import charged_on_error
from wavecrawl.cloud.finish_crawl import finish_crawl
from wavecrawl.cloud.metrics import measure_crawl
from wavecrawl.cloud.self_test import self_tested
from wavecrawl.cloud.step_input import OpenTask, task_of
from wavecrawl.telemetry import Context, Event, about, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket")))


@instrumented
@self_tested(cloud, "table", "objects", "tables", "memory_deleted", "catalog", "state_machine", "analytics")
def handler(event: Event, context: Context) -> dict[str, object]:
    """Build and publish the results, mark the crawl finished."""
    task = task_of(event, OpenTask)
    about(task.crawl)
    crawl = cloud.crawl(task.crawl)
    if not crawl.status.has_ended and task.run != crawl.resumes:
        logger.info("results not made: the crawl was resumed")
        return {"status": crawl.status.value, "pages": 0}
    with cloud.invocation(context.memory_limit_in_mb), charged_on_error(cloud, task.crawl):
        summary = finish_crawl(cloud, crawl)
    measure_crawl(summary)
    for notice in summary.notices:
        if notice.subject == PACKAGE:
            logger.warning("a result is missing", result=PACKAGE, reason=notice.message)
    logger.info("crawl finished", status=summary.status, pages=summary.pages, urls=summary.urls)
    return {"status": summary.status, "pages": summary.pages}
