"""The event log: what happened in a crawl, in order, for whoever follows it (spec [37])."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from wavecrawl.domain.job import CrawlId
from wavecrawl.ports.events import EventKind


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedEvent:
    """One entry. Sequences grow with time; each has its fixed meaning, so that whoever repeats a step adds nothing."""

    sequence: int
    kind: EventKind
    at: float  # Unix seconds
    data: Mapping[str, object] = field(default_factory=dict)  # plain JSON values


class EventLog(Protocol):
    """The entries of each crawl. Contract: tests/contract/test_event_log.py."""

    def append(self, crawl: CrawlId, event: LoggedEvent) -> bool:
        """Add an entry; return False, with nothing changed, where its sequence is taken."""
        ...

    def after(self, crawl: CrawlId, sequence: int, *, limit: int) -> list[LoggedEvent]:
        """Return the entries above `sequence`, in order, read consistently."""
        ...
