"""One wave: gather what the last one brought, plan the next, dispatch it."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_charges import charge_wave, charged_on_error
from wavecrawl.bootstrap.cloud_crawls import CloudPlanners
from wavecrawl.bootstrap.cloud_settings import BUCKET, FETCH_QUEUE_URL, TABLE, CloudSettings
from wavecrawl.web.tasks import task_of
from wavecrawl.web.telemetry import Context, Event, about, instrumented, logger
from wavecrawl.web.wave_measures import measure_wave
from wavecrawl.web.wave_steps import ANEW, FINISH, SITEMAPS, WaveTask, how_far, what_follows

cloud = Cloud(CloudSettings.from_env(os.environ, needs=(TABLE, BUCKET, FETCH_QUEUE_URL)))
planners = CloudPlanners(cloud)


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Run a wave; lead the state machine elsewhere where no wave follows. The wave's last batch leads to the next."""
    task = task_of(event, WaveTask)
    about(task.crawl, wave=task.wave)
    if not task.token:
        return how_far(cloud.waves, task)
    if task.full:
        cloud.signals.lead_elsewhere(task.token, ANEW)
        return dict(ANEW)
    with (
        cloud.invocation(context.memory_limit_in_mb),
        charged_on_error(cloud, task.crawl, task.wave),
        planners.dropped_on_error(task.crawl),
    ):
        crawl = cloud.crawl(task.crawl)
        planner = planners.of(crawl)
        again = planner.state.wave >= task.wave
        result = planner.run_wave(task.phase, task.wave, task.token, order=task.order, cancelled=crawl.cancel_asked)
        following = what_follows(result, task.phase, crawl.settings.discovery)
        if following == SITEMAPS and planners.finds_no_sitemaps(crawl):
            following = FINISH
        elsewhere, paused = following is not None, result.pause_until > 0
        charge_wave(cloud, task.crawl, task.wave, elsewhere=elsewhere, paused=paused)
        if following is not None:
            cloud.signals.lead_elsewhere(task.token, following)
        elif result.given_up:
            cloud.signals.succeed(task.token)
    measure_wave(result, planner.state.frontier, again=again)
    logger.info("wave planned", batches=result.batches, urls=result.urls, stopped=result.stopped.value, next=following)
    return {"batches": result.batches, "urls": result.urls}
