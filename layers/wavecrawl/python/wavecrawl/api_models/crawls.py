"""Crawls, as they are asked for and shown."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from wavecrawl.api_models.settings import GivenSettings
from wavecrawl.api_models.types import Asked, Moment, Shown, moment, moment_or_none
from wavecrawl.domain.crawl.bill import priced
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.batches import Progress
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import LoggedEvent

_CENTS = 6  # digits of dollars
_LONGEST_URL = 8_192


class NewCrawl(Asked):
    """A crawl to start."""

    url: str = Field(
        min_length=1,
        max_length=_LONGEST_URL,
        description="where to start, http or https",
        examples=["https://example.com/"],
    )
    settings: GivenSettings = Field(default=None, description="what is not named has its default")


class CrawlStarted(Shown):
    """A crawl that was asked for."""

    crawl: str = Field(description="its id")
    site: str = Field(description="the id of its site, which follows from the URL")
    status: CrawlStatus
    cancel_asked: bool = Field(description="whether it was asked to stop")


class CrawlOutline(CrawlStarted):
    """A crawl, as lists have it."""

    url: str = Field(description="where it starts, as given")
    root_url: str | None = Field(description="the same after its own redirects; null until they are settled")
    started_at: Moment
    finished_at: Moment | None
    error: str | None = Field(description="why it failed")


class CrawlCounters(Shown):
    """What is done so far."""

    waves: int
    batches: int = Field(description="planned")
    batches_done: int
    records: int = Field(description="tries, of which a page may take several")
    fetched: int = Field(description="pages")
    bytes: int
    faults: int = Field(description="requests without an answer")


class CrawlBill(Shown):
    """What a crawl has cost in AWS so far, at list prices."""

    usd: float
    usd_per_million_pages: float
    services: dict[str, float] = Field(description="dollars of each service")


class CrawlInFull(CrawlOutline):
    """A crawl with its counters and its bill."""

    counters: CrawlCounters
    bill: CrawlBill | None = Field(description="null while nothing was used, and on one machine")


class CrawlSummaryModel(CrawlStarted):
    """How far a crawl has come."""

    started_at: Moment
    finished_at: Moment | None
    pages: int = Field(description="fetched so far")
    tries: int = Field(description="requests for pages, of which one page may take several")
    faults: int = Field(description="requests without an answer")
    bytes: int
    batches: int = Field(description="planned so far")
    batches_done: int
    wave: int = Field(description="the wave planned last; 0 before the first")
    phase: str | None = Field(description="of that wave: bfs, sitemap or orphan; null before the first")
    known: int | None = Field(description="URLs known when it was planned")
    pending: int | None = Field(description="URLs that were waiting after it was planned")


class CrawlList(Shown):
    """Crawls, the newest first."""

    crawls: list[CrawlOutline]
    next_cursor: str | None = Field(description="asks for the next page; null on the last one")


class ExportedFile(Shown):
    """A file of a crawl's results."""

    name: str
    bytes: int
    content_type: str
    url: str = Field(description="downloads it; whoever has this URL needs no key")


class CrawlExports(CrawlStarted):
    """The results of a crawl."""

    expires_at: Annotated[Moment, Field(description="when the URLs end")]
    exports: list[ExportedFile]


def started(row: CrawlRow) -> CrawlStarted:
    """Return what is said of a crawl that was asked for."""
    return CrawlStarted(crawl=row.id.crawl, site=row.id.site, status=row.status, cancel_asked=row.cancel_asked)


def outline(row: CrawlRow) -> CrawlOutline:
    """Return what lists say of a crawl."""
    return CrawlOutline(
        crawl=row.id.crawl,
        site=row.id.site,
        status=row.status,
        cancel_asked=row.cancel_asked,
        url=row.start_url,
        root_url=row.root_url or None,
        started_at=moment(row.started_at),
        finished_at=moment_or_none(row.finished_at),
        error=row.error or None,
    )


def in_full(row: CrawlRow, progress: Progress) -> CrawlInFull:
    """Return a crawl with its counters and its bill so far."""
    counters = {name: value for name, value in asdict(progress).items() if name != "usage"}
    return CrawlInFull(**outline(row).model_dump(), counters=CrawlCounters(**counters), bill=_bill(progress))


def summary_of(row: CrawlRow, progress: Progress, plans: Sequence[LoggedEvent]) -> CrawlSummaryModel:
    """Return how far a crawl has come; the last of `plans` is what its log says of the wave planned last."""
    said = plans[-1].data if plans else {}
    return CrawlSummaryModel(
        **started(row).model_dump(),
        started_at=moment(row.started_at),
        finished_at=moment_or_none(row.finished_at),
        pages=progress.fetched,
        tries=progress.records,
        faults=progress.faults,
        bytes=progress.bytes,
        batches=progress.batches,
        batches_done=progress.batches_done,
        wave=_number(said, "wave") or 0,
        phase=str(said["phase"]) if "phase" in said else None,
        known=_number(said, "known"),
        pending=_number(said, "pending"),
    )


def _number(said: Mapping[str, object], name: str) -> int | None:
    value = said.get(name)
    return value if isinstance(value, int) else None


def _bill(progress: Progress) -> CrawlBill | None:
    if not progress.usage:
        return None
    bill = priced(progress.usage, pages=progress.fetched)
    return CrawlBill(
        usd=round(bill.total, _CENTS),
        usd_per_million_pages=round(bill.per_million_pages, 2),
        services={service: round(dollars, _CENTS) for service, dollars in bill.services.items()},
    )
