"""Operations on crawls. Generated from the OpenAPI document by `make generate`: do not edit."""

from collections.abc import Iterator

from wavecrawl.client.calls import Calls, pages, quoted
from wavecrawl.client.models import (
    CrawlExports,
    CrawlInFull,
    CrawlList,
    CrawlOutline,
    CrawlStarted,
    CrawlStatus,
    CrawlSummaryModel,
    NewCrawl,
)
from wavecrawl.client.transport import Content


class CrawlsOperations(Calls):
    """Operations on crawls."""

    def list_crawls(
        self,
        *,
        status: CrawlStatus | None = None,
        site: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> CrawlList:
        """List crawls.

        List the tenant's crawls, the newest first.

        A status is looked for among a thousand crawls at a time: where most have another, a page may hold few or none,
        and still name a next one.
        """
        return self._model(
            CrawlList, "GET", "/v1/crawls", query={"status": status, "site": site, "cursor": cursor, "limit": limit}
        )

    def iter_crawls(
        self, *, status: CrawlStatus | None = None, site: str | None = None, limit: int | None = None
    ) -> Iterator[CrawlOutline]:
        """List crawls: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[CrawlOutline], str | None]:
            page = self.list_crawls(status=status, site=site, limit=limit, cursor=cursor)
            return page.crawls, page.next_cursor

        return pages(fetch)

    def start_crawl(self, body: NewCrawl, *, idempotency_key: str | None = None) -> CrawlStarted:
        """Start a crawl.

        Crawl a URL, saved as a site or not.

        409 names the crawl of the same site that is under way; 402 the plan's ceiling; 429 may mean that the month's
        crawls are used up, and says when the next month begins.
        """
        return self._model(CrawlStarted, "POST", "/v1/crawls", headers={"idempotency-key": idempotency_key}, body=body)

    def read_crawl(self, crawl: str) -> CrawlInFull:
        """Look at a crawl.

        Return a crawl with its counters and its bill so far.
        """
        return self._model(CrawlInFull, "GET", f"/v1/crawls/{quoted(crawl)}")

    def delete_crawl(self, crawl: str) -> None:
        """Delete a crawl.

        Delete a crawl that has ended, with its pages, results and log.

        409 where it is running. A crawl of very many pages may take more than one request: ask again after a 503.
        """
        self._nothing("DELETE", f"/v1/crawls/{quoted(crawl)}")

    def cancel_crawl(self, crawl: str, *, idempotency_key: str | None = None) -> CrawlStarted:
        """Cancel a crawl.

        Ask a running crawl to stop. It does so between two waves, and keeps its results so far.
        """
        return self._model(
            CrawlStarted, "POST", f"/v1/crawls/{quoted(crawl)}/cancel", headers={"idempotency-key": idempotency_key}
        )

    def follow_events(self, crawl: str, *, last_event_id: str | None = None) -> Content | None:
        """Follow a crawl.

        Return what happened in a crawl since `Last-Event-ID`, as server-sent events, each once and in order.

        Events bear the names of webhooks' events: `crawl.started`, `crawl.progress` for each wave, `site.changed`,
        and `crawl.completed` or `crawl.failed` as the last one; their `id` is their place in the crawl's log. While
        the crawl runs, an event `progress` without id says how it stands. An answer ends at once and names in `retry:`
        when to ask again, as an EventSource does by itself; after the last event 204 tells it to stop.
        """
        return self._content("GET", f"/v1/crawls/{quoted(crawl)}/events", query={"last_event_id": last_event_id})

    def list_exports(self, crawl: str) -> CrawlExports:
        """List result files.

        List the files of a crawl's results, each with a URL that downloads it.
        """
        return self._model(CrawlExports, "GET", f"/v1/crawls/{quoted(crawl)}/exports")

    def read_crawl_summary(self, crawl: str) -> CrawlSummaryModel:
        """How far a crawl is.

        Say how far a crawl has come: cheap enough to ask every few seconds, best with `if-none-match`.
        """
        return self._model(CrawlSummaryModel, "GET", f"/v1/crawls/{quoted(crawl)}/summary")
