"""One wave: gather the previous wave, plan this one, dispatch it."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.charging import charged_on_error
from wavecrawl.cloud.planners import CloudPlanners
from wavecrawl.cloud.run_wave import WaveTask, count_done_batches, run_wave
from wavecrawl.cloud.step_input import task_of
from wavecrawl.domain.crawl.planner_memory import MEBIBYTE
from wavecrawl.telemetry import Context, Event, about, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket", "fetch_queue_url")))
planners = CloudPlanners(cloud)


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Run a wave; without a task token, count its completed batches."""
    task = task_of(event, WaveTask)
    about(task.crawl, wave=task.wave)
    with (
        cloud.invocation(context.memory_limit_in_mb),
        charged_on_error(cloud, task.crawl, task.wave),
        planners.dropped_on_error(task.crawl),
    ):
        if not task.token:
            return count_done_batches(cloud, task)
        return run_wave(cloud, planners, task, memory=int(context.memory_limit_in_mb) * MEBIBYTE)
