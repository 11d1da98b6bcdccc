"""Read the sitemaps of a site into the crawl's listing."""

import os

from wavecrawl.adapters.aws.signals import step_output
from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.next_step import after_sitemaps
from wavecrawl.application.read_sitemaps import Unfinished
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.charging import charged_on_error
from wavecrawl.cloud.large_crawls import finish_of
from wavecrawl.cloud.read_sitemaps import read_sitemaps
from wavecrawl.cloud.step_input import CrawlTask, task_of
from wavecrawl.ports.signals import Following, NextStep
from wavecrawl.telemetry import Context, Event, about, count, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket")))


@instrumented
def handler(event: Event, context: Context) -> dict[str, object]:
    """Read the sitemaps, unless they were read before; return what follows and how many URLs they list."""
    task = task_of(event, CrawlTask)
    about(task.crawl)
    with cloud.invocation(context.memory_limit_in_mb), charged_on_error(cloud, task.crawl):
        crawl = cloud.crawl(task.crawl)
        read = read_sitemaps(cloud, crawl, remaining=context.get_remaining_time_in_millis() / 1000)
    if isinstance(read, Unfinished):
        logger.info("reading sitemaps continues later", at=read.resume_at)
        return step_output(Following(next=NextStep.PAUSE, until=read.resume_at))
    files, urls = len(read.files), len(read.entries)
    count("SitemapUrls", urls)
    logger.info("sitemaps read", files=files, urls=urls, notices=len(read.notices))
    following = Following(next=after_sitemaps(crawl.settings, leads_on=read.leads_on))
    if following.next is NextStep.FINISH and cloud.settings.finish_pages:
        following = finish_of(cloud, following, CrawlStates(cloud.objects).summary(crawl.id).counters)
    return {**step_output(following), "files": files, "urls": urls}
