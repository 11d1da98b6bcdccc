"""The first step of a crawl: follow the redirects of its start URL, and read robots.txt."""

import os

from wavecrawl.adapters.aws.signals import step_output
from wavecrawl.application.next_step import start_of
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.charging import charge_continuation, charged_on_error
from wavecrawl.cloud.open_crawl import open_crawl, results_again
from wavecrawl.cloud.self_test import self_tested
from wavecrawl.cloud.step_input import OpenTask, task_of
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.telemetry import Context, Event, about, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket")))


@instrumented
@self_tested(cloud, "table", "objects_read", "bus", "credentials")
def handler(event: Event, context: Context) -> dict[str, object]:
    """Open a crawl; return what follows."""
    task = task_of(event, OpenTask)
    about(task.crawl)
    with cloud.invocation(context.memory_limit_in_mb), charged_on_error(cloud, task.crawl):
        if task.continued:
            charge_continuation(cloud.meter)
        crawl = cloud.crawl(task.crawl)
        if task.results:
            return {**step_output(results_again(cloud, crawl)), "phase": Phase.BFS.value, "wave": 1}
        crawl = open_crawl(cloud, crawl)
        start = start_of(crawl, cloud.objects)
        if crawl.resumes:  # the messages of its last wave were dropped when it ended
            cloud.waves.mark_sent(crawl.id, start.wave, at=0.0)
    logger.info("crawl opened", root=crawl.root_url, resumes=crawl.resumes)
    return {"root": crawl.root_url, "next": start.next.value, "phase": start.phase.value, "wave": start.wave}
