"""The function open_crawl."""

from contextlib import closing

from wavecrawl.adapters.aws.signals import step_output
from wavecrawl.application import open_crawl as use_case
from wavecrawl.application.crawl_events import Announcer
from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.next_step import Start, start_of
from wavecrawl.application.open_crawl import ROOT_WAITS
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import crawl_client
from wavecrawl.cloud.charging import charge_continuation, charge_opening_again, charged_on_error
from wavecrawl.cloud.large_crawls import finish_of
from wavecrawl.cloud.root_failed import fail_for_its_root
from wavecrawl.cloud.step_input import OpenTask
from wavecrawl.domain.crawl.bill import SETUP
from wavecrawl.errors import RootFailedError, RootUnreachableError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.signals import Following, NextStep
from wavecrawl.telemetry import logger


def open_task(cloud: Cloud, task: OpenTask) -> dict[str, object]:
    """Open a crawl; return what follows.

    While the robots.txt of its root cannot be fetched, a pause follows. If the root cannot be crawled, the crawl has
    failed, and its end follows.
    """
    try:
        return _opened(cloud, task)
    except RootUnreachableError as error:
        if task.tries < len(ROOT_WAITS):
            return _pause(cloud, task, error)
        fail_for_its_root(cloud, task.crawl, str(error))
    except RootFailedError as error:
        fail_for_its_root(cloud, task.crawl, str(error))
    return _output("", Start(next=NextStep.END))


def _opened(cloud: Cloud, task: OpenTask) -> dict[str, object]:
    with charged_on_error(cloud, task.crawl):
        if task.continued:
            charge_continuation(cloud.meter)
        crawl = cloud.crawl(task.crawl)
        if task.results:
            again = step_output(_results_again(cloud, crawl))
            cloud.meter.take()  # it is not charged, and must not be charged to the next crawl
            return {**_output(crawl.root_url, Start(next=NextStep.FINISH)), **again}
        crawl = open_crawl(cloud, crawl)
        start = start_of(crawl, cloud.objects)
        if crawl.resumes:  # the messages of its last wave were dropped when it ended
            cloud.waves.mark_sent(crawl.id, start.wave, at=0.0)
    logger.info("crawl opened", root=crawl.root_url, resumes=crawl.resumes)
    return _output(crawl.root_url, start)


def open_crawl(cloud: Cloud, crawl: CrawlRow) -> CrawlRow:
    """Return the crawl with its root URL settled; charge it for that."""
    with closing(crawl_client(crawl, cloud)) as client:
        opened = use_case.open_crawl(
            crawl,
            crawls=cloud.crawls,
            client=client,
            cache=cloud.robots,
            clock=cloud.clock,
            announcer=Announcer(log=cloud.event_log, events=cloud.events),
        )
    cloud.waves.add_usage(crawl.id, SETUP, cloud.meter.take())
    return opened


def _results_again(cloud: Cloud, crawl: CrawlRow) -> Following:
    """Return who makes the results of an ended crawl again: as at its end, a task if the crawl is large."""
    last = CrawlStates(cloud.objects).summary(crawl.id)
    return finish_of(cloud, Following(next=NextStep.FINISH), last.counters)


def _pause(cloud: Cloud, task: OpenTask, error: RootUnreachableError) -> dict[str, object]:
    """Return the pause before the next try."""
    until = cloud.clock.now() + ROOT_WAITS[task.tries]
    charge_opening_again(cloud.meter)
    cloud.waves.add_usage(task.crawl, SETUP, cloud.meter.take())
    logger.info("crawl not opened yet", error=str(error), tries=task.tries + 1)
    pause = step_output(Following(next=NextStep.PAUSE, until=until))
    return {**_output("", Start(next=NextStep.PAUSE)), **pause, "tries": task.tries + 1}


def _output(root: str, start: Start) -> dict[str, object]:
    return {"root": root, "next": start.next.value, "phase": start.phase.value, "wave": start.wave}
