"""Crawls: requests and responses."""

from typing import Annotated

from pydantic import Field

from wavecrawl.api_models.settings import RequestedSettings
from wavecrawl.api_models.types import LONGEST_URL, NextCursor, RequestModel, ResponseModel, Timestamp
from wavecrawl.domain.crawl.states import CrawlStatus


class NewCrawl(RequestModel):
    """A crawl to start."""

    url: str = Field(
        min_length=1,
        max_length=LONGEST_URL,
        description="URL to start from. Scheme `http` or `https`.",
        examples=["https://example.com/"],
    )
    settings: RequestedSettings = Field(
        default=None, description="Settings of the crawl. Those left out have their defaults."
    )


class CrawlReference(ResponseModel):
    """The IDs and the status of a crawl."""

    crawl: str = Field(description="ID of the crawl.")
    site: str = Field(description="ID of the site, derived from the start URL.")
    status: CrawlStatus
    cancel_asked: bool = Field(description="Whether cancellation was requested.")


class Crawl(CrawlReference):
    """A crawl."""

    url: str = Field(description="Start URL, as requested.")
    root_url: str | None = Field(description="Start URL after its redirects. `null` until it was fetched.")
    started_at: Timestamp
    finished_at: Timestamp | None = Field(description="`null` while the crawl is running.")
    error: str | None = Field(description="Why the crawl failed. `null` unless it did.")


class CrawlCounters(ResponseModel):
    """Counters of a crawl so far."""

    waves: int = Field(description="Waves planned.")
    batches: int = Field(description="Batches planned.")
    batches_done: int = Field(description="Batches completed.")
    records: int = Field(description="Attempts to fetch a page, retries included.")
    fetched: int = Field(description="Pages fetched.")
    bytes: int = Field(description="Bytes received.")
    faults: int = Field(description="Requests without a complete response.")


class CrawlBill(ResponseModel):
    """AWS cost of a crawl so far, at list prices."""

    usd: float = Field(description="Total, in US dollars.")
    usd_per_million_pages: float = Field(description="Total per million fetched pages, in US dollars.")
    services: dict[str, float] = Field(description="US dollars by AWS service.")


class CrawlDetail(Crawl):
    """A crawl with its counters and its cost."""

    counters: CrawlCounters
    bill: CrawlBill | None = Field(description="`null` if the crawl has no AWS cost, as on a single machine.")


class CrawlProgress(CrawlReference):
    """Progress of a crawl."""

    started_at: Timestamp
    finished_at: Timestamp | None = Field(description="`null` while the crawl is running.")
    pages: int = Field(description="Pages fetched so far.")
    tries: int = Field(description="Attempts to fetch a page so far, retries included.")
    faults: int = Field(description="Requests without a complete response so far.")
    bytes: int = Field(description="Bytes received so far.")
    batches: int = Field(description="Batches planned so far.")
    batches_done: int = Field(description="Batches completed so far.")
    wave: int = Field(description="Number of the last planned wave. 0 before the first one.")
    phase: str | None = Field(
        description="Phase of the last planned wave: `bfs`, `sitemap` or `orphan`. `null` before the first wave."
    )
    known: int | None = Field(description="URLs known when the last wave was planned. `null` before the first wave.")
    pending: int | None = Field(
        description="URLs left to fetch after the last wave was planned. `null` before the first wave."
    )


class CrawlList(ResponseModel):
    """Paginated list of crawls, newest first."""

    crawls: list[Crawl]
    next_cursor: NextCursor


class ExportFile(ResponseModel):
    """A result file of a crawl."""

    name: str = Field(description="File name.", examples=["pages.csv"])
    bytes: int = Field(description="Size in bytes.")
    content_type: str = Field(description="Media type.")
    url: str = Field(description="Signed download URL. It needs no API key, so keep it private.")


class CrawlExports(CrawlReference):
    """The result files of a crawl."""

    expires_at: Annotated[Timestamp, Field(description="When the download URLs expire.")]
    exports: list[ExportFile]
