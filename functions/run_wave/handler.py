"""One wave: gather what the last one brought, plan the next, dispatch it."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.charging import charged_on_error
from wavecrawl.cloud.planners import CloudPlanners
from wavecrawl.cloud.run_wave import run_wave_in_cloud
from wavecrawl.cloud.step_input import task_of
from wavecrawl.cloud.wave_steps import WaveTask, how_far
from wavecrawl.telemetry import Context, Event, about, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket", "fetch_queue_url")))
planners = CloudPlanners(cloud)


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Run a wave, or look how far it has come."""
    task = task_of(event, WaveTask)
    about(task.crawl, wave=task.wave)
    if not task.token:
        return how_far(cloud.waves, task)
    with (
        cloud.invocation(context.memory_limit_in_mb),
        charged_on_error(cloud, task.crawl, task.wave),
        planners.dropped_on_error(task.crawl),
    ):
        return run_wave_in_cloud(cloud, planners, task)
