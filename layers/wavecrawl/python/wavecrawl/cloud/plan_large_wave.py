"""The Fargate task that plans a wave of a crawl with more URLs than the function run_wave has memory for (ADR 35).

`python -m wavecrawl.cloud.plan_large_wave`. It stores the plan and ends. The function dispatches the plan, for which it
needs no state of the crawl.
"""

import os
from collections.abc import Mapping

import msgspec

from wavecrawl.application.operator_controls import operator_stop
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.fargate import run_program
from wavecrawl.cloud.metrics import measure_planning
from wavecrawl.cloud.planners import CloudPlanners
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.planner_memory import MEBIBYTE, fits
from wavecrawl.telemetry import logger


class PlanTask(msgspec.Struct, frozen=True, kw_only=True):
    """A wave to plan."""

    crawl: CrawlId
    phase: Phase
    wave: int
    memory: int  # MB of the task


def main(environ: Mapping[str, str] = os.environ) -> None:
    """Plan the wave that the environment names, unless it is planned already."""
    run_program(environ, PlanTask, plan_wave, needs=("table", "bucket"))


def plan_wave(cloud: Cloud, task: PlanTask) -> None:
    """Plan a wave. If the task has too little memory, too, the plan ends the crawl."""
    crawl = cloud.crawl(task.crawl)
    planner = CloudPlanners(cloud).of(crawl)
    full = not fits(planner.bytes_for(task.wave), task.memory * MEBIBYTE)
    stop = operator_stop(crawl, cloud.current_controls.now(), cloud)
    cancelled = crawl.cancel_asked or stop.cancelled
    measure_planning(planner.plan(task.phase, task.wave, cancelled=cancelled, spent=stop.spent, full=full))
    cloud.waves.add_usage(task.crawl, task.wave, cloud.meter.take())
    logger.info("wave planned by a task", wave=task.wave, full=full)


if __name__ == "__main__":
    main()
