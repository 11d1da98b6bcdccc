"""Tell whoever listens how a crawl ended, and what it found changed: the one place that does."""

from collections.abc import Callable

from wavecrawl.application.announce import ended, entry_of
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import CHANGED, ENDED, EventLog, LoggedEvent
from wavecrawl.ports.events import CrawlEvent, Events


def tell_ending(crawl: CrawlRow, *, log: EventLog, events: Events, pages: Callable[[], int]) -> EventKind | None:
    """Publish how a finished crawl ended, after what it found changed; return what was told, None where it was before.

    The log's last entry is written after the events were published, so it says that they were: whoever dies between the
    two publishes again, under the same numbers, and whoever comes later publishes nothing. `pages` says how many pages
    were fetched.
    """
    entries = {entry.sequence: entry for entry in log.after(crawl.id, CHANGED - 1, limit=2)}
    if ENDED in entries:
        return None
    event = ended(crawl, pages=pages())
    if CHANGED in entries:
        events.publish(_told_again(event, entries[CHANGED]))
    events.publish(event)
    return event.kind if log.append(crawl.id, entry_of(event)) else None


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
