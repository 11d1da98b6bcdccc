"""End a crawl that failed: store its status, release its site, publish its end once."""

from collections.abc import Callable

from wavecrawl.application.crawl_events import publish_ending
from wavecrawl.application.unused_turns import give_back_turns
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow


def fail_crawl(
    id_: CrawlId,
    ports: Ports,
    *,
    error: str,
    pages: Callable[[], int],
    status: CrawlStatus = CrawlStatus.FAILED,
) -> tuple[CrawlRow, bool]:
    """End a crawl, unless it has ended; return it, and whether this call published its end.

    A crawl that ended before keeps its status. Its end is published if it was not: its execution may have been stopped
    just before. `pages` returns the number of fetched pages. Raise NotFoundError if the crawl does not exist.
    """
    ports.crawls.finish(id_, status=status, now=ports.clock.now(), error=error)
    give_back_turns(id_, ports, now=ports.clock.now())
    crawl = ports.crawls.read(id_)
    if crawl is None:
        raise NotFoundError(f"crawl {id_} does not exist")
    return crawl, publish_ending(crawl, log=ports.event_log, events=ports.events, pages=pages) is not None
