"""Whether a crawl has seen the whole site, so that pages it did not find no longer exist."""

from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.finish_crawl import is_whole
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.objects import Objects


def is_whole_site(crawl: CrawlRow, objects: Objects) -> bool:
    """Return whether an ended crawl requested all pages of its site: no setting, limit or cancellation ended it."""
    if crawl.status is not CrawlStatus.COMPLETED or not is_whole(crawl.settings):
        return False
    ending = CrawlStates(objects).summary(crawl.id)
    return not ending.stopped and ending.counters.fetched < crawl.settings.max_pages
