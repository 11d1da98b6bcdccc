"""The first step of a crawl: follow the redirects of its start URL, and read robots.txt."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.open_crawl import open_task
from wavecrawl.cloud.step_input import OpenTask, task_of
from wavecrawl.telemetry import Context, Event, about, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket", "state_machine_arn")))


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Open a crawl; return what follows."""
    task = task_of(event, OpenTask)
    about(task.crawl)
    with cloud.invocation(context.memory_limit_in_mb):
        return open_task(cloud, task)
