"""Events: what other software is told of a crawl (spec [36])."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class EventKind(StrEnum):
    """What happened."""

    STARTED = "crawl.started"
    PROGRESS = "crawl.progress"  # a wave was planned
    CHANGED = "site.changed"  # since an earlier crawl of the site
    COMPLETED = "crawl.completed"  # also cancelled or out of budget: the results so far are there
    FAILED = "crawl.failed"
    TEST = "webhook.test"  # sent to one webhook, because its owner asked for it; never part of a crawl


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlEvent:
    """Something that happened to a crawl."""

    kind: EventKind
    crawl: CrawlId
    sequence: int  # of its entry in the crawl's log
    status: str  # of the crawl
    root_url: str
    pages: int
    error: str
    at: float  # Unix seconds
    data: Mapping[str, object] = field(default_factory=dict)  # plain JSON values: the numbers of its kind


class Events(Protocol):
    """Publishes events, at least once. Contract: tests/contract/test_events.py."""

    def publish(self, event: CrawlEvent) -> None:
        """Tell whoever listens."""
        ...


class NoEvents:
    """Nobody listens."""

    def publish(self, event: CrawlEvent) -> None:
        """Tell nobody."""
