"""The end of a crawl whose root cannot be crawled.

The site or the request is the cause, not the deployment. So the crawl fails, but no function and no execution does, and
no alarm of the operator starts.
"""

from typing import TYPE_CHECKING

from wavecrawl.application.unused_turns import give_back_turns
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.telemetry import count, logger

if TYPE_CHECKING:
    from wavecrawl.bootstrap.cloud import Cloud
    from wavecrawl.domain.crawl.job import CrawlId


def fail_for_its_root(cloud: "Cloud", crawl: "CrawlId", reason: str) -> None:
    """Mark a crawl failed, unless it has ended, and start the next one of its tenant's queue.

    The state machine's step Notify publishes the end.
    """
    now = cloud.clock.now()
    cloud.crawls.finish(crawl, status=CrawlStatus.FAILED, now=now, error=reason)
    give_back_turns(crawl, cloud, now=now)
    cloud.launcher.launch(crawl)
    count("RootsFailed")
    logger.info("crawl failed: its root cannot be crawled", error=reason)
