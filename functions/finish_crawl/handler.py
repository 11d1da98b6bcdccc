"""The last step of a crawl: its results, its status, its site's lock."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.finish_crawl import finish_task
from wavecrawl.cloud.step_input import OpenTask, task_of
from wavecrawl.telemetry import Context, Event, about, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket")))


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Build and publish the results, mark the crawl finished."""
    task = task_of(event, OpenTask)
    about(task.crawl)
    with cloud.invocation(context.memory_limit_in_mb):
        return finish_task(cloud, task)
