"""Crawls: requests and responses."""

from typing import Annotated

from pydantic import Field

from wavecrawl.api_models.settings import CrawlSettings, RequestedSettings
from wavecrawl.api_models.types import LONGEST_URL, NextCursor, RequestModel, ResponseModel, Timestamp
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.crawl.trigger import Trigger

_BATCHES = "Number of batches planned so far."
_BATCHES_DONE = "Number of batches completed so far."
_TRIES = "Number of attempts to fetch a page so far. Retries and postponed attempts are included."
_IN_PROGRESS = (
    "Number of attempts so far in batches that are still running. The other counters do not include them. Updated "
    "every few seconds, so short batches do not appear."
)
_FETCHED = "Number of pages fetched or unchanged so far."
_BYTES = "Bytes of response bodies so far, as transferred."
_MEDIA = "Number of media URLs so far whose content was stored or is unchanged."
_PLACE = (
    "Place of a queued crawl in the queue of the tenant: 1 starts next. `null` if the crawl is not queued, or if more "
    "than 100 crawls are queued before it."
)
_FAULTS = "Number of URLs so far that ended in state `failed`, `http_error`, `not_found`, `forbidden` or `blocked`."


class NewCrawl(RequestModel):
    """A crawl to start."""

    url: str = Field(
        min_length=1,
        max_length=LONGEST_URL,
        description="URL to start from. Scheme `http` or `https`.",
        examples=["https://example.com/"],
    )
    settings: RequestedSettings = Field(
        default=None,
        description="Settings of the crawl. Settings that are left out are those of the saved site with this URL, else "
        "the tenant's defaults, else those of the crawler.",
    )


class NewSiteCrawl(RequestModel):
    """A crawl of a saved site to start."""

    settings: RequestedSettings = Field(
        default=None, description="Settings of this crawl only. Settings that are left out are those of the site."
    )


class CrawlReference(ResponseModel):
    """The IDs and the status of a crawl."""

    crawl: str = Field(description="ID of the crawl.")
    site: str = Field(description="ID of the site, derived from the start URL.")
    status: CrawlStatus
    triggered_by: Trigger | None = Field(
        description="What started the crawl first. `null` for crawls that were started before this was stored."
    )
    cancel_asked: bool = Field(description="Whether cancellation was requested.")


class CrawlCounters(ResponseModel):
    """Counters of a crawl so far."""

    waves: int = Field(description="Number of planned waves.")
    batches: int = Field(description=_BATCHES)
    batches_done: int = Field(description=_BATCHES_DONE)
    records: int = Field(description=_TRIES)
    in_progress: int = Field(description=_IN_PROGRESS)
    fetched: int = Field(description=_FETCHED)
    bytes: int = Field(description=_BYTES)
    faults: int = Field(description=_FAULTS)
    media: int = Field(description=_MEDIA)


class CrawlBill(ResponseModel):
    """AWS cost of a crawl so far, at list prices."""

    usd: float = Field(description="Total cost, in US dollars.")
    usd_per_million_pages: float = Field(description="Total cost per million fetched pages, in US dollars.")
    services: dict[str, float] = Field(description="Cost per AWS service, in US dollars.")


class CrawlOutcome(ResponseModel):
    """Figures of the results of a crawl."""

    pages: int = Field(description="Number of pages fetched or unchanged.")
    errors: int = Field(description="Number of issues of severity `error`.")
    new: int | None = Field(
        description="Number of pages that no earlier crawl of the site had. Pages that the crawl before knew, but did "
        "not read for a limit, do not count; pages behind them do. `null` if there is no earlier crawl."
    )
    changed: int | None = Field(
        description="Number of pages whose main text changed since they were last fetched. `null` as `new`."
    )
    gone: int | None = Field(
        description="Number of pages that earlier crawls read and that this crawl shows to be gone: by 404 or 410, a "
        "permanent redirect or a rule in robots.txt, or because a complete crawl did not find them. `null` as `new`."
    )
    limits: list[str] = Field(
        default_factory=list,
        description="Limits at which the crawl stopped, such as `max_pages`. If this crawl or the one before stopped "
        "at one, not all new and gone pages are known.",
    )


class Crawl(CrawlReference):
    """A crawl with its counters and its cost."""

    url: str = Field(description="Start URL, as requested.")
    root_url: str | None = Field(description="Start URL, or the URL that it redirects to. `null` until known.")
    started_at: Timestamp
    finished_at: Timestamp | None = Field(description="`null` until the crawl has ended.")
    resumes: int = Field(description="How often the crawl was resumed after its end.")
    queue_place: int | None = Field(description=_PLACE)
    seconds: float = Field(
        description="Duration in seconds: until the crawl ended, or until now. Time in which the crawl was queued, or "
        "had ended before it was resumed, does not count."
    )
    error: str | None = Field(description="Why the crawl did not complete. `null` if there was no error.")
    counters: CrawlCounters
    outcome: CrawlOutcome | None = Field(description="`null` if the crawl has no results.")
    bill: CrawlBill | None = Field(description="`null` if the crawl has no AWS cost, as on a single machine.")


class CrawlDetail(Crawl):
    """A crawl with its counters, its cost, its settings and the name of its site."""

    site_name: str | None = Field(description="Name of the site. `null` if the site is not saved.")
    settings: CrawlSettings = Field(description="Settings of the crawl. `urls` is always empty.")


class CrawlWait(ResponseModel):
    """For what a crawl waits, or why it is slow."""

    reason: str = Field(
        description="`retry_after` (the host asked for it), `breaker` (the host failed too often), `other_crawls` "
        "(crawls of the same host come first), `crawl_delay` (of robots.txt), `overloaded` (the host responds slowly "
        "or with errors), `interval` (`polite.interval`), `retry` (URLs that failed are requested again), "
        "`robots_unreachable` (robots.txt cannot be read), or `queued` (behind other crawls of the tenant)."
    )
    host: str | None = Field(description="Host that the crawl waits for. `null` for a queued crawl.")
    until: Timestamp | None = Field(description="`null` if the crawl goes on slowly, or is queued.")
    text: str = Field(description="The reason in words, such as `example.org asked for it (Retry-After 600 s)`.")


class CrawlProgress(CrawlReference):
    """Progress of a crawl."""

    started_at: Timestamp
    finished_at: Timestamp | None = Field(description="`null` until the crawl has ended.")
    queue_place: int | None = Field(description=_PLACE)
    pages: int = Field(description=_FETCHED)
    tries: int = Field(description=_TRIES)
    in_progress: int = Field(description=_IN_PROGRESS)
    faults: int = Field(description=_FAULTS)
    media: int = Field(description=_MEDIA)
    bytes: int = Field(description=_BYTES)
    batches: int = Field(description=_BATCHES)
    batches_done: int = Field(description=_BATCHES_DONE)
    wave: int = Field(description="Number of the last planned wave, from 1. 0 before the first wave.")
    phase: str | None = Field(
        description="Phase of the last planned wave. With discovery `links_first`: `bfs` (pages found by links), "
        "`sitemap` (first wave of pages that only sitemaps list), or `orphan` (further such pages, and pages they "
        "link to). With any other discovery: `bfs`. If the crawl checks URLs or stores media, `media` follows. `null` "
        "before the first wave."
    )
    known: int | None = Field(
        description="Number of URLs found before the last wave was planned, including skipped URLs. `null` before "
        "the first wave."
    )
    pending: int | None = Field(
        description="Number of waiting URLs that are in no wave planned so far. `null` before the first wave."
    )
    wait: CrawlWait | None = Field(description="For what the crawl waits. `null` if it does not wait.")


class CrawlList(ResponseModel):
    """Paginated list of crawls, newest first."""

    crawls: list[Crawl]
    next_cursor: NextCursor


class SiteCrawl(CrawlReference):
    """A crawl in a list of sites."""

    started_at: Timestamp
    finished_at: Timestamp | None = Field(description="`null` until the crawl has ended.")
    pages: int = Field(description=_FETCHED)
    outcome: CrawlOutcome | None = Field(description="`null` if the crawl has no results.")


class ExportFile(ResponseModel):
    """A result file of a crawl."""

    name: str = Field(description="File name.", examples=["pages.csv"])
    description: str = Field(description="Contents of the file. Empty if the file is not one of those known.")
    bytes: int = Field(description="Size in bytes.")
    content_type: str = Field(description="Media type.")
    url: str = Field(description="Signed download URL. It needs no API key, so keep it private.")
    viewer_url: str | None = Field(
        default=None,
        description="URL that shows `crawl.wacz` in the viewer of `wavecrawl serve`. `null` for other files, and if "
        "the viewer is not installed. It needs no API key, so keep it private.",
    )


class PossibleFile(ResponseModel):
    """A result file that is created when it is first requested."""

    name: str = Field(description="File name.", examples=["graph.json"])
    description: str = Field(description="Contents of the file.")


class CrawlExports(CrawlReference):
    """The result files of a crawl."""

    expires_at: Annotated[Timestamp, Field(description="When the download URLs expire.")]
    exports: list[ExportFile]
    possible: list[PossibleFile] = Field(
        default_factory=list,
        description="Files that do not exist yet. Request one of them by its name to have it created.",
    )


class CrawlExport(CrawlReference):
    """A result file of a crawl."""

    expires_at: Annotated[Timestamp, Field(description="When the download URL expires.")]
    export: ExportFile | None = Field(description="`null` while the file is being created.")
