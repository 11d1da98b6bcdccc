"""The first step of a crawl: follow the redirects of its start URL, and read robots.txt."""

import os

from wavecrawl.application.next_step import first_step
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.charging import charge_continuation, charged_on_error
from wavecrawl.cloud.open_crawl import open_crawl
from wavecrawl.cloud.step_input import OpenTask, task_of
from wavecrawl.telemetry import Context, Event, about, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table",)))


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Open a crawl; return what follows."""
    task = task_of(event, OpenTask)
    about(task.crawl)
    with cloud.invocation(context.memory_limit_in_mb), charged_on_error(cloud, task.crawl):
        if task.continued:
            charge_continuation(cloud.meter)
        crawl = open_crawl(cloud, cloud.crawl(task.crawl))
    logger.info("crawl opened", root=crawl.root_url)
    return {"root": crawl.root_url, "next": first_step(crawl.settings.discovery).value}
