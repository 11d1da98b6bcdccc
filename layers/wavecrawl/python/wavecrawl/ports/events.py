"""Events of crawls, published for other software."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId


class CrawlEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a crawl."""

    kind: EventKind
    crawl: CrawlId
    sequence: int  # of its entry in the event log
    status: str  # of the crawl
    root_url: str
    pages: int
    error: str
    at: float  # Unix seconds
    data: Mapping[str, object] = msgspec.field(default_factory=dict)  # plain JSON values; depends on the kind


class Events(Protocol):
    """Publishes events, at least once. Contract: tests/contract/test_events.py."""

    def publish(self, event: CrawlEvent) -> None:
        """Publish an event."""
        ...
