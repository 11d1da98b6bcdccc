"""Events of a crawl: publish them, log them, read the log.

Every event has a fixed sequence number in its crawl, so that publishing it twice can be recognised.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.site_changes import SiteChanges
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import WavecrawlError
from wavecrawl.ports.batches import Progress
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import CHANGED, ENDED, STARTED, EventLog, LoggedEvent, first_of, planned
from wavecrawl.ports.events import CrawlEvent, Events

if TYPE_CHECKING:  # only planners have the state, and the import takes a tenth of the cold start of others
    from wavecrawl.application.crawl_state import WaveState

ENTRIES_PER_UPDATE = 200

_LAST_ENTRY_WAIT = 60.0  # seconds after a crawl's end that its last log entry is waited for


class Announcer(msgspec.Struct, frozen=True, kw_only=True):
    """Publishes events while a crawl runs, and logs them.

    If publishing fails, the event is only logged, and the crawl continues. The log entry is written after the event was
    published: a process that dies in between publishes the event again, with the same sequence number.
    """

    log: EventLog
    events: Events

    def announce(self, event: CrawlEvent) -> None:
        """Publish and log an event, unless it was logged before."""
        known = self.log.after(event.crawl, event.sequence - 1, limit=1)
        if known and known[0].sequence == event.sequence:
            return
        with suppress(WavecrawlError):
            self.events.publish(event)
        self.log.append(event.crawl, entry_of(event))


class CrawlUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """The new log entries of a crawl."""

    entries: tuple[LoggedEvent, ...]
    progress: Progress | None = None  # of a running crawl without further entries
    more: bool = False  # there are further entries now
    over: bool = False  # there will never be further entries


def follow_crawl(
    crawl: CrawlRow, *, after: int, log: EventLog, progress: Callable[[], Progress], now: float
) -> CrawlUpdate:
    """Return the log entries after sequence number `after` (-1 = all). `crawl` must have been read before.

    If a crawl's last entry is missing a minute after its end, it is made from the crawl's row.
    """
    last = first_of(crawl.resumes) + ENDED
    if after >= last:
        return CrawlUpdate(entries=(), over=True)
    entries = tuple(log.after(crawl.id, after, limit=ENTRIES_PER_UPDATE))
    more = len(entries) == ENTRIES_PER_UPDATE
    if more or (entries and entries[-1].sequence >= last):
        return CrawlUpdate(entries=entries, more=more)
    if not crawl.status.has_ended:
        return CrawlUpdate(entries=entries, progress=progress())
    if now - crawl.finished_at >= _LAST_ENTRY_WAIT:
        entries = (*entries, entry_of(end_event(crawl, pages=progress().fetched)))
    return CrawlUpdate(entries=entries)


def publish_ending(crawl: CrawlRow, *, log: EventLog, events: Events, pages: Callable[[], int]) -> EventKind | None:
    """Publish the last events of a finished crawl: its changes, if any, and its end.

    Return the kind of the end, None if it was published before. `pages` returns the number of fetched pages. The log
    entry of the end is written after both events were published: a process that dies in between publishes them again,
    with the same sequence numbers.
    """
    changed, ended = (first_of(crawl.resumes) + sequence for sequence in (CHANGED, ENDED))
    entries = {entry.sequence: entry for entry in log.after(crawl.id, changed - 1, limit=2)}
    if ended in entries:
        return None
    event = end_event(crawl, pages=pages())
    if changed in entries:
        events.publish(_event_of(entries[changed], ending=event))
    events.publish(event)
    return event.kind if log.append(crawl.id, entry_of(event)) else None


def entry_of(event: CrawlEvent) -> LoggedEvent:
    """Return the log entry of an event."""
    data: dict[str, object] = {"status": event.status, "pages": event.pages}
    if event.kind is not EventKind.PROGRESS:  # there are many of these: leave out a URL that may be long
        data["root_url"] = event.root_url
    if event.error:
        data["error"] = event.error
    return LoggedEvent(sequence=event.sequence, kind=event.kind, at=event.at, data=data | dict(event.data))


def start_event(crawl: CrawlRow) -> CrawlEvent:
    """Return the event of a crawl whose root URL is known."""
    data = {"url": crawl.start_url, "max_pages": crawl.settings.max_pages, **_trigger(crawl)}
    return _event(crawl, EventKind.STARTED, STARTED, at=crawl.started_at, data=data)


def wave_event(crawl: CrawlRow, wave: "WaveState", *, urls: int) -> CrawlEvent:
    """Return the event of a planned wave, with `urls` URLs to fetch."""
    counters = wave.counters
    data = {
        "phase": wave.phase.value,
        "wave": wave.wave,
        "planned": urls,
        "known": wave.known,
        "pending": wave.pending,
        "errors": wave.errors,
        "retries": counters.retries,
    }
    return _event(
        crawl, EventKind.PROGRESS, planned(wave.wave), status=CrawlStatus.RUNNING, pages=counters.fetched,
        at=wave.planned_at, data=data,
    )  # fmt: skip


def change_event(crawl: CrawlRow, changes: SiteChanges, *, status: CrawlStatus, pages: int, at: float) -> CrawlEvent:
    """Return the event of a crawl that found changes. It has numbers only, as logs and messages limit its size."""
    data = {"new": changes.new, "changed": changes.changed, "gone": changes.gone}
    return _event(crawl, EventKind.CHANGED, CHANGED, status=status, pages=pages, at=at, data=data)


def end_event(crawl: CrawlRow, *, pages: int) -> CrawlEvent:
    """Return the event of a crawl that has ended."""
    kind = EventKind.FAILED if crawl.status is CrawlStatus.FAILED else EventKind.COMPLETED
    data = _trigger(crawl)
    if crawl.outcome is not None:
        data |= {"seconds": round(crawl.seconds(crawl.finished_at), 3), **_figures(crawl)}
    return _event(crawl, kind, ENDED, pages=pages, at=crawl.finished_at, data=data)


def _trigger(crawl: CrawlRow) -> dict[str, object]:
    return {"triggered_by": crawl.triggered_by.value if crawl.triggered_by else None}


def _figures(crawl: CrawlRow) -> dict[str, object]:
    """Return the figures of a crawl's results, but `pages`, which every event has."""
    if crawl.outcome is None:
        return {}
    figures = {name: value for name, value in msgspec.to_builtins(crawl.outcome).items() if name != "pages"}
    return {**figures, "limits": sorted(crawl.outcome.limits)}


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
        sequence=first_of(crawl.resumes) + sequence,
        status=(status or crawl.status).value,
        root_url=crawl.root_url,
        pages=pages,
        error=crawl.error,
        at=at,
        data=data or {},
    )


def _event_of(entry: LoggedEvent, *, ending: CrawlEvent) -> CrawlEvent:
    """Return the event of a log entry; what the entry leaves out comes from the crawl's last event."""
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
