"""A batch of work: the whole content of one queue message (at most 256 KiB)."""

from dataclasses import dataclass
from enum import StrEnum

from wavecrawl.domain.politeness.pace import Pace


class BatchKind(StrEnum):
    """What a worker does with the URLs of a batch."""

    FETCH = "fetch"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobItem:
    """One URL to fetch."""

    url: str
    key: str
    depth: int
    tries: int  # this try's number, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlId:
    """Names one crawl, and with it everything stored for it."""

    tenant: str
    site: str
    crawl: str

    def __str__(self) -> str:
        return f"{self.tenant}/{self.site}/{self.crawl}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchId:
    """Names one batch of one crawl."""

    crawl: CrawlId
    wave: int
    batch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJob:
    """One batch: up to 100 URLs of one host and one kind (`waves.batch_size`)."""

    id: BatchId
    kind: BatchKind
    host: str  # host[:port]
    items: tuple[JobItem, ...]
    starts_at: float  # Unix seconds; no request may start before
    pace: Pace
    remembered: bool = True  # whether anything may be remembered of the pages from crawls before
