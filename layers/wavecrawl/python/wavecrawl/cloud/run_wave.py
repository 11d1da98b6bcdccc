"""Running a wave for the state machine: planned, charged, and followed by what comes next."""

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.charging import charge_wave
from wavecrawl.cloud.crawl_metrics import measure_wave
from wavecrawl.cloud.planners import CloudPlanners
from wavecrawl.cloud.wave_steps import FINISH, SITEMAPS, WaveTask, what_comes_first, what_follows
from wavecrawl.telemetry import logger


def run_wave_in_cloud(cloud: Cloud, planners: CloudPlanners, task: WaveTask) -> dict[str, object]:
    """Run a wave; lead the state machine elsewhere where no wave follows. The wave's last batch leads to the next."""
    crawl = cloud.crawl(task.crawl)
    first = what_comes_first(task, crawl.settings.discovery)
    if first is not None:
        charge_wave(cloud, task.crawl, task.wave, elsewhere=True)
        cloud.signals.lead_elsewhere(task.token, first)
        return dict(first)
    planner = planners.of(crawl)
    again = planner.state.wave >= task.wave
    result = planner.run_wave(task.phase, task.wave, task.token, order=task.order, cancelled=crawl.cancel_asked)
    following = what_follows(result, task.phase, crawl.settings.discovery)
    if following == SITEMAPS and planners.finds_no_sitemaps(crawl):
        following = FINISH
    charge_wave(cloud, task.crawl, task.wave, elsewhere=following is not None, paused=result.pause_until > 0)
    if following is not None:
        cloud.signals.lead_elsewhere(task.token, following)
    elif result.given_up:
        cloud.signals.succeed(task.token)
    measure_wave(result, planner.state.frontier, again=again)
    logger.info("wave planned", batches=result.batches, urls=result.urls, stopped=result.stopped.value, next=following)
    return {"batches": result.batches, "urls": result.urls}
