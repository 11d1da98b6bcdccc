"""Events: what other software is told of a crawl (spec [36])."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from wavecrawl.domain.job import CrawlId


class EventKind(StrEnum):
    """What happened."""

    COMPLETED = "crawl.completed"  # also cancelled or out of budget: the results so far are there
    FAILED = "crawl.failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlEvent:
    """Something that happened to a crawl."""

    kind: EventKind
    crawl: CrawlId
    status: str  # of the crawl
    root_url: str
    pages: int
    error: str
    at: float  # Unix seconds


class Events(Protocol):
    """Publishes events, at least once. Contract: tests/contract/test_events.py."""

    def publish(self, event: CrawlEvent) -> None:
        """Tell whoever listens."""
        ...
