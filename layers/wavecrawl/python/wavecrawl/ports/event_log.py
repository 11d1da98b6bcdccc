"""The event log: what happened in a crawl, in order, for whoever follows it (spec [37])."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId

STARTED: Final = 0
"""Sequence of the first entry."""

CHANGED: Final = 1_999_999
"""Sequence of what the crawl found changed."""

ENDED: Final = 2_000_000
"""Sequence of the last entry, above those of a million waves: whoever has seen it has seen everything."""


def planned(wave: int) -> int:
    """Return the sequence of a wave's plan."""
    return 2 * wave


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedEvent:
    """One entry. Sequences grow with time; each has its fixed meaning, so that whoever repeats a step adds nothing."""

    sequence: int
    kind: EventKind
    at: float  # Unix seconds
    data: Mapping[str, object] = field(default_factory=dict)  # plain JSON values


class EventLog(Protocol):
    """The entries of each crawl. Contract: tests/contract/test_event_log.py.

    A step writes its entry before it lets the next step begin, so entries come in the order of their sequences. Where a
    step that everybody took for dead writes late all the same, whoever has read further does not see its entry.
    """

    def append(self, crawl: CrawlId, event: LoggedEvent) -> bool:
        """Add an entry; return False, with nothing changed, where its sequence is taken."""
        ...

    def after(self, crawl: CrawlId, sequence: int, *, limit: int) -> list[LoggedEvent]:
        """Return the entries above `sequence`, in order, read consistently."""
        ...
