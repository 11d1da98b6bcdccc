"""End a crawl that cannot go on: marked, its site freed, whoever listens told, once (design 3)."""

from collections.abc import Callable
from dataclasses import dataclass

from wavecrawl.application.announce import ended, entry_of
from wavecrawl.domain.job import CrawlId
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls, CrawlStatus
from wavecrawl.ports.event_log import ENDED, EventLog
from wavecrawl.ports.events import Events


@dataclass(frozen=True, slots=True, kw_only=True)
class FailPorts:
    """What failing needs of the world."""

    crawls: Crawls
    log: EventLog
    events: Events
    clock: Clock


def fail_crawl(
    id_: CrawlId,
    ports: FailPorts,
    *,
    error: str,
    pages: Callable[[], int],
    status: CrawlStatus = CrawlStatus.FAILED,
) -> tuple[CrawlRow, bool]:
    """Return the crawl as it ended, and whether that is news; a crawl that is over already stays as it is.

    The log's last entry is written after the event was published: whoever dies between the two publishes again, and
    whoever comes later publishes nothing. `pages` says how many pages were fetched.
    Raise NotFoundError where the crawl does not exist.
    """
    ports.crawls.finish(id_, status=status, now=ports.clock.now(), error=error)
    crawl = ports.crawls.read(id_)
    if crawl is None:
        raise NotFoundError(f"crawl {id_} does not exist")
    if ports.log.after(id_, ENDED - 1, limit=1):
        return crawl, False
    event = ended(crawl, pages=pages())
    ports.events.publish(event)
    return crawl, ports.log.append(id_, entry_of(event))
