"""The wave tasks of the state machine: run a wave, or count its completed batches."""

from datetime import datetime

import msgspec
from msgspec import structs

from wavecrawl.application.next_step import after_wave
from wavecrawl.application.operator_controls import operator_stop
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.charging import charge_large_wave, charge_time_out, charge_wave
from wavecrawl.cloud.crawl_limits import wake_up
from wavecrawl.cloud.large_crawls import finish_of
from wavecrawl.cloud.metrics import measure_wave
from wavecrawl.cloud.planners import CloudPlanners
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.ports.signals import Following, NextStep
from wavecrawl.telemetry import logger


class WaveTask(msgspec.Struct, frozen=True, kw_only=True):
    """A wave to run. Without a token, its completed batches are counted instead."""

    crawl: CrawlId
    phase: Phase
    wave: int
    token: str = ""  # of the task that waits for the wave
    entered: str = ""  # when the state machine entered the task: ISO 8601
    retry: int = 0  # retries of the task since then

    @property
    def order(self) -> float:
        """Return the rank of the token among those of its wave. The latest request has the highest."""
        entered = datetime.fromisoformat(self.entered).timestamp() if self.entered else 0.0
        return entered + self.retry / 1000


def run_wave(cloud: Cloud, planners: CloudPlanners, task: WaveTask, *, memory: int) -> dict[str, object]:
    """Plan and dispatch a wave. The last batch completes the task; if there are none, this function does.

    `memory`: bytes of memory of the function. If planning the wave needs more, a Fargate task plans it first. A
    deployment without this task ends the crawl.
    """
    crawl = cloud.crawl(task.crawl)
    has_task = cloud.settings.has_task
    full = not planners.has_room(crawl, task.wave, memory=memory, measured=has_task)
    if full and has_task:
        return _plan_by_task(cloud, task)
    stop = operator_stop(crawl, cloud.current_controls.now(), cloud)
    result = planners.of(crawl).run_wave(
        task.phase,
        task.wave,
        task.token,
        order=task.order,
        cancelled=crawl.cancel_asked or stop.cancelled,
        spent=stop.spent,
        full=full,
    )
    following = after_wave(result, task.phase, crawl.settings.discovery)
    if following.next is NextStep.SITEMAPS and planners.finds_no_sitemaps(crawl):
        following = Following(next=NextStep.MEDIA if result.media else NextStep.FINISH)
    following = finish_of(cloud, following, result.counters)
    following = structs.replace(following, until=wake_up(cloud, crawl, following.until))
    charge_wave(cloud, task.crawl, task.wave, paused=following.until > 0)
    if following.next is not NextStep.WAVE or result.cancelled:
        cloud.signals.succeed(task.token, following)
    measure_wave(result)
    logger.info(
        "wave planned",
        batches=result.batches,
        urls=result.urls,
        stopped=result.stopped.value,
        next=following.next.value,
    )
    return {"batches": result.batches, "urls": result.urls}


def _plan_by_task(cloud: Cloud, task: WaveTask) -> dict[str, object]:
    """Complete the task with the output that the wave must be planned by a Fargate task."""
    charge_large_wave(cloud, task.crawl, task.wave)
    cloud.signals.succeed(task.token, Following(next=NextStep.PLAN))
    logger.warning("the wave needs more memory than the function has; a task plans it")
    return {"batches": 0, "urls": 0}


def count_done_batches(cloud: Cloud, task: WaveTask) -> dict[str, object]:
    """Return how many batches of a wave that timed out are done, and whether others may still wait for a worker."""
    wave = cloud.waves.read(task.crawl, task.wave)
    waits = wave is not None and wave.sent_at > 0 and _waits(cloud, task, sent_at=wave.sent_at)
    charge_time_out(cloud, task.crawl, task.wave)
    return {"done": wave.done if wave else 0, "waits": waits}


def _waits(cloud: Cloud, task: WaveTask, *, sent_at: float) -> bool:
    """Return whether batches of a wave may wait for a free worker, or for their turn at a host."""
    if cloud.queues.holds(sent_at=sent_at):
        return True
    now = cloud.clock.now()
    return any(row.starts_at > now and not row.done for row in cloud.batches.of_wave(task.crawl, task.wave))
