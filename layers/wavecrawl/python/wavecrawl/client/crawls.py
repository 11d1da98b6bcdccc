"""Operations on crawls."""

from collections.abc import Iterator
from functools import partial
from typing import TypedDict, Unpack

from wavecrawl.api_models.crawls import (
    Crawl,
    CrawlDetail,
    CrawlExport,
    CrawlExports,
    CrawlList,
    CrawlProgress,
    CrawlReference,
    NewCrawl,
)
from wavecrawl.client.events import CrawlEvent, crawl_events
from wavecrawl.client.operations import items, v1
from wavecrawl.client.url_lists import UrlListOperations
from wavecrawl.domain.crawl.states import CrawlStatus


class CrawlFilters(TypedDict, total=False):
    """Which crawls to list, and how many per request."""

    status: CrawlStatus | None
    site: str | None
    limit: int | None


class CrawlOperations(UrlListOperations):
    """Operations on crawls."""

    def start_crawl(self, crawl: NewCrawl, *, idempotency_key: str | None = None) -> CrawlReference:
        """Start a crawl. A list of URLs that is too long for the request is uploaded first."""
        crawl = self._fitting(crawl, idempotency_key)
        return self._post(CrawlReference, "crawls", body=crawl, idempotency_key=idempotency_key)

    def list_crawls(self, *, cursor: str | None = None, **filters: Unpack[CrawlFilters]) -> CrawlList:
        """List crawls, newest first."""
        return self._get(CrawlList, "crawls", cursor=cursor, **filters)

    def iter_crawls(self, **filters: Unpack[CrawlFilters]) -> Iterator[Crawl]:
        """Yield all crawls, newest first, `limit` per request."""
        return items(partial(self.list_crawls, **filters), lambda page: page.crawls)

    def get_crawl(self, crawl: str) -> CrawlDetail:
        """Get a crawl with its counters and its cost."""
        return self._get(CrawlDetail, "crawls", crawl)

    def get_crawl_progress(self, crawl: str) -> CrawlProgress:
        """Get the progress of a crawl."""
        return self._get(CrawlProgress, "crawls", crawl, "summary")

    def delete_crawl(self, crawl: str) -> None:
        """Delete a crawl that has ended, with its pages, results and log."""
        self._delete("crawls", crawl)

    def cancel_crawl(self, crawl: str, *, idempotency_key: str | None = None) -> CrawlReference:
        """Cancel a running crawl. It stops within a few seconds and keeps its results so far."""
        return self._post(CrawlReference, "crawls", crawl, "cancel", idempotency_key=idempotency_key)

    def resume_crawl(self, crawl: str, *, idempotency_key: str | None = None) -> CrawlReference:
        """Resume a failed or cancelled crawl. It continues where it stopped, with the same ID and settings."""
        return self._post(CrawlReference, "crawls", crawl, "resume", idempotency_key=idempotency_key)

    def create_exports(self, crawl: str, *, idempotency_key: str | None = None) -> CrawlReference:
        """Create the result files of a crawl that has ended, or create them again, in the background."""
        return self._post(CrawlReference, "crawls", crawl, "exports", idempotency_key=idempotency_key)

    def list_exports(self, crawl: str) -> CrawlExports:
        """List the result files of a crawl with their download URLs."""
        return self._get(CrawlExports, "crawls", crawl, "exports")

    def get_export(self, crawl: str, file: str) -> CrawlExport:
        """Get a result file with its download URL. Its creation begins if it does not exist yet (`export` is None)."""
        return self._get(CrawlExport, "crawls", crawl, "exports", file)

    def stream_events(self, crawl: str, *, last_event_id: str = "") -> Iterator[CrawlEvent]:
        """Yield the events of a crawl until it has ended, from the event after `last_event_id`.

        Closed and broken connections are resumed, so that each event is yielded once. In between come `progress`
        events with the current counters; they are not part of the log and have no ID of their own.
        """
        return crawl_events(self._transport, v1("crawls", crawl, "events"), last_event_id=last_event_id)
