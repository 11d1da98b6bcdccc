"""Tell whoever listens how a crawl ended, and what it found changed."""

from collections.abc import Callable

from wavecrawl.application.announce import ended
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import CHANGED, ENDED, EventLog, LoggedEvent
from wavecrawl.ports.events import CrawlEvent, EventKind, Events


def tell_ending(crawl: CrawlRow, *, log: EventLog, events: Events, pages: Callable[[], int]) -> EventKind:
    """Publish the last entries of a finished crawl's log; return how it ended.

    `pages` is asked where the log does not say how many pages were fetched, as with crawls older than the log.
    """
    entries = {entry.sequence: entry for entry in log.after(crawl.id, CHANGED - 1, limit=2)}
    end = entries.get(ENDED)
    event = ended(crawl, pages=_pages(end) if end else pages())
    if CHANGED in entries:
        events.publish(_told_again(event, entries[CHANGED]))
    events.publish(event)
    return event.kind


def _told_again(ending: CrawlEvent, entry: LoggedEvent) -> CrawlEvent:
    """Return the event of an entry, with what its crawl's last event says besides."""
    known = {"status", "pages", "root_url", "error"}
    return CrawlEvent(
        kind=entry.kind,
        crawl=ending.crawl,
        sequence=entry.sequence,
        status=ending.status,
        root_url=ending.root_url,
        pages=ending.pages,
        error=ending.error,
        at=entry.at,
        data={name: value for name, value in entry.data.items() if name not in known},
    )


def _pages(entry: LoggedEvent) -> int:
    pages = entry.data["pages"]
    return pages if isinstance(pages, int) else 0
