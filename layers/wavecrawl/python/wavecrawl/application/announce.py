"""What happens to a crawl, as others are told of it: in its log for who follows it, as events for who listens."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass

from wavecrawl.application.crawl_state import CrawlState
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.graph.changes import SiteChanges
from wavecrawl.errors import WavecrawlError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import CHANGED, ENDED, STARTED, EventLog, LoggedEvent, planned
from wavecrawl.ports.events import CrawlEvent, Events


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcer:
    """Announces what happens while a crawl runs. Its entries are certain; the events are not worth a crawl.

    So an event that nobody takes stands in the log alone, and the crawl goes on. The entry is written after the event
    was published: whoever dies between the two publishes it again, under the same number.
    """

    log: EventLog
    events: Events

    def announce(self, event: CrawlEvent) -> None:
        """Tell whoever listens, and write an event into the log, unless it was written before."""
        known = self.log.after(event.crawl, event.sequence - 1, limit=1)
        if known and known[0].sequence == event.sequence:
            return
        with suppress(WavecrawlError):
            self.events.publish(event)
        self.log.append(event.crawl, entry_of(event))


def entry_of(event: CrawlEvent) -> LoggedEvent:
    """Return an event as its crawl's log keeps it: without what every entry would repeat."""
    data: dict[str, object] = {"status": event.status, "pages": event.pages}
    if event.kind is not EventKind.PROGRESS:  # the one kind of which there are many: below a KB, whatever the URL
        data["root_url"] = event.root_url
    if event.error:
        data["error"] = event.error
    return LoggedEvent(sequence=event.sequence, kind=event.kind, at=event.at, data=data | dict(event.data))


def started(crawl: CrawlRow) -> CrawlEvent:
    """Return the event of a crawl whose root is settled."""
    data = {"url": crawl.start_url, "max_pages": crawl.settings.max_pages}
    return _event(crawl, EventKind.STARTED, STARTED, at=crawl.started_at, data=data)


def wave_planned(crawl: CrawlRow, state: CrawlState, *, urls: int) -> CrawlEvent:
    """Return the event of the wave that was planned last; `urls` of it are to be fetched."""
    counters, frontier = state.counters, state.frontier
    data = {
        "phase": state.phase.value,
        "wave": state.wave,
        "planned": urls,
        "known": len(frontier),
        "pending": frontier.waiting,
        "errors": counters.errors,
        "retries": counters.retries,
    }
    at = state.times[state.wave]
    return _event(
        crawl, EventKind.PROGRESS, planned(state.wave), status=CrawlStatus.RUNNING, pages=counters.fetched, at=at,
        data=data,
    )  # fmt: skip


def site_changed(crawl: CrawlRow, changes: SiteChanges, *, status: CrawlStatus, pages: int, at: float) -> CrawlEvent:
    """Return the event of a crawl that found something changed."""
    return _event(crawl, EventKind.CHANGED, CHANGED, status=status, pages=pages, at=at, data=asdict(changes))


def ended(crawl: CrawlRow, *, pages: int) -> CrawlEvent:
    """Return the event of a crawl that is over."""
    kind = EventKind.FAILED if crawl.status is CrawlStatus.FAILED else EventKind.COMPLETED
    return _event(crawl, kind, ENDED, pages=pages, at=crawl.finished_at)


def _event(
    crawl: CrawlRow,
    kind: EventKind,
    sequence: int,
    *,
    at: float,
    status: CrawlStatus | None = None,
    pages: int = 0,
    data: Mapping[str, object] | None = None,
) -> CrawlEvent:
    return CrawlEvent(
        kind=kind,
        crawl=crawl.id,
        sequence=sequence,
        status=(status or crawl.status).value,
        root_url=crawl.root_url,
        pages=pages,
        error=crawl.error,
        at=at,
        data=data or {},
    )
