"""The event log: the events of a crawl, in order, for clients that follow it."""

from collections.abc import Mapping
from typing import Final, Protocol

import msgspec

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId

STARTED: Final = 0
"""Sequence of the first entry."""

CHANGED: Final = 1_999_999
"""Sequence of the site's changes."""

ENDED: Final = 2_000_000
"""Sequence of the last entry, above those of a million waves."""

_ENTRIES_PER_RUN: Final = 3_000_000


def planned(wave: int) -> int:
    """Return the sequence of a wave's plan."""
    return 2 * wave


def first_of(resumes: int) -> int:
    """Return the sequence of the first entry after a crawl was resumed so often. Each run has the entries above."""
    return resumes * _ENTRIES_PER_RUN


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One entry. Sequences increase with time. Each has a fixed meaning, so a repeated step adds nothing."""

    sequence: int
    kind: EventKind
    at: float  # Unix seconds
    data: Mapping[str, object] = msgspec.field(default_factory=dict)  # plain JSON values


class EventLog(Protocol):
    """The entries of each crawl. Contract: tests/contract/test_event_log.py.

    A step writes its entry before the next step starts, so entries are written in the order of their sequences. If a
    step that was given up writes its entry late, clients that have already read further do not see it.
    """

    def append(self, crawl: CrawlId, event: LoggedEvent) -> bool:
        """Add an entry; return False without a change if its sequence exists."""
        ...

    def after(self, crawl: CrawlId, sequence: int, *, limit: int) -> list[LoggedEvent]:
        """Return the entries above `sequence`, in order, read consistently."""
        ...
