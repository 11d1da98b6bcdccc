"""Follow a crawl: what happened since somebody looked last, and how it stands now (spec [37])."""

from collections.abc import Callable
from dataclasses import dataclass

from wavecrawl.application.announce import ended, entry_of
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.batches import Progress
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import ENDED, EventLog, LoggedEvent

AT_ONCE = 200
"""Entries of one answer."""

_PATIENCE = 60.0  # seconds after its end in which a crawl's last entry is waited for


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What is told to somebody who follows a crawl."""

    entries: tuple[LoggedEvent, ...]
    progress: Progress | None = None  # as of now, while the crawl runs and nothing else is to be told
    more: bool = False  # there is more to be told at once
    over: bool = False  # all was told before: nothing will ever follow


def follow_crawl(
    crawl: CrawlRow, *, after: int, log: EventLog, progress: Callable[[], Progress], now: float
) -> Followed:
    """Return what follows entry `after` (-1: everything). The crawl must have been read before.

    A crawl whose last entry never came, as with those older than the log, is given one a minute after its end.
    """
    if after >= ENDED:
        return Followed(entries=(), over=True)
    entries = tuple(log.after(crawl.id, after, limit=AT_ONCE))
    more = len(entries) == AT_ONCE
    if more or (entries and entries[-1].sequence >= ENDED):
        return Followed(entries=entries, more=more)
    if crawl.status is CrawlStatus.RUNNING:
        return Followed(entries=entries, progress=progress())
    if now - crawl.finished_at >= _PATIENCE:
        entries = (*entries, entry_of(ended(crawl, pages=progress().fetched)))
    return Followed(entries=entries)
