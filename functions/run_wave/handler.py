"""One wave: gather what the last one brought, plan the next, dispatch it."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_charges import charge_wave, charged_on_error
from wavecrawl.bootstrap.cloud_crawls import CloudPlanners
from wavecrawl.bootstrap.cloud_settings import BUCKET, FETCH_QUEUE_URL, TABLE, CloudSettings
from wavecrawl.web.tasks import task_of
from wavecrawl.web.telemetry import Context, Event, about, instrumented, logger
from wavecrawl.web.wave_measures import measure_wave
from wavecrawl.web.wave_steps import WaveTask, how_far, what_follows

cloud = Cloud(CloudSettings.from_env(os.environ, needs=(TABLE, BUCKET, FETCH_QUEUE_URL)))
planners = CloudPlanners(cloud)


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Run a wave; tell the state machine what comes next, unless the wave's last batch will."""
    task = task_of(event, WaveTask)
    about(task.crawl, wave=task.wave)
    if not task.token:
        return how_far(cloud.waves, task)
    with (
        cloud.invocation(context.memory_limit_in_mb),
        charged_on_error(cloud, task.crawl, task.wave),
        planners.dropped_on_error(task.crawl),
    ):
        crawl = cloud.crawl(task.crawl)
        planner = planners.of(crawl)
        again = planner.state.wave >= task.wave
        result = planner.run_wave(task.phase, task.wave, task.token, order=task.order, cancelled=crawl.cancel_asked)
        output = what_follows(result, task.phase, crawl.settings.discovery)
        charge_wave(cloud, task.crawl, task.wave)
        if output is not None:
            cloud.signals.tell(task.token, output)
    measure_wave(result, planner.state.frontier, again=again)
    logger.info("wave planned", batches=result.batches, urls=result.urls, stopped=result.stopped.value, tells=output)
    return {"batches": result.batches, "urls": result.urls}
