"""Delete a page from a crawl: it is shown no more, and its site forgets it (spec [34])."""

from dataclasses import dataclass

from wavecrawl.application.find_record import FindPorts, find_record
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_memories import PageMemories


@dataclass(frozen=True, slots=True, kw_only=True)
class HidePorts:
    """What hiding needs of the world."""

    find: FindPorts
    memories: PageMemories
    clock: Clock


def hide_page(crawl: CrawlRow, key: str, ports: HidePorts) -> None:
    """Hide a page of a crawl that is over, and forget what the site knows of it, so that its next crawl reads it anew.

    Record, WARC and the exported files stay as they are; deleting the crawl deletes those. Raise NotFoundError without
    such a page, ConflictError while the crawl runs: gather would remember the page again.
    """
    if crawl.status is CrawlStatus.RUNNING:
        raise ConflictError(f"crawl {crawl.id.crawl} is running; its pages can be deleted when it is over")
    find_record(crawl, key, ports.find)
    ports.find.hidden.hide(crawl.id, key, now=ports.clock.now())
    ports.memories.forget(crawl.id, key)
