"""Operations on crawls, their pages and their analysis."""

from collections.abc import Iterator
from functools import partial
from http import HTTPStatus

from wavecrawl.api_models.analysis import (
    CrawlDiff,
    CrawlStatistics,
    Difference,
    Duplicate,
    DuplicateList,
    Graph,
    Issue,
    IssueList,
    Orphan,
    OrphanList,
    TextChange,
    TextChangeList,
)
from wavecrawl.api_models.brand import CrawlBrand
from wavecrawl.api_models.crawls import (
    Crawl,
    CrawlDetail,
    CrawlExports,
    CrawlList,
    CrawlProgress,
    CrawlReference,
    NewCrawl,
)
from wavecrawl.api_models.pages import Page, PageDetail, PageList
from wavecrawl.api_models.urls import CrawlUrl, UrlExplanation, UrlList
from wavecrawl.client.events import CrawlEvent, crawl_events
from wavecrawl.client.operations import Operations, items, v1
from wavecrawl.client.transport import Call, Content
from wavecrawl.domain.crawl.states import CrawlStatus, UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.domain.pages.order import PageOrder


class CrawlOperations(Operations):
    """Operations on crawls."""

    def start_crawl(self, crawl: NewCrawl, *, idempotency_key: str | None = None) -> CrawlReference:
        """Start a crawl."""
        return self._post(CrawlReference, "crawls", body=crawl, idempotency_key=idempotency_key)

    def list_crawls(
        self,
        *,
        status: CrawlStatus | None = None,
        site: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> CrawlList:
        """List crawls, newest first."""
        return self._get(CrawlList, "crawls", status=status, site=site, cursor=cursor, limit=limit)

    def iter_crawls(
        self, *, status: CrawlStatus | None = None, site: str | None = None, limit: int | None = None
    ) -> Iterator[Crawl]:
        """Yield all crawls, newest first, `limit` per request."""
        return items(partial(self.list_crawls, status=status, site=site, limit=limit), lambda page: page.crawls)

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

    def stream_events(self, crawl: str, *, last_event_id: str = "") -> Iterator[CrawlEvent]:
        """Yield the events of a crawl until it has ended, from the event after `last_event_id`.

        Closed and broken connections are resumed, so that each event is yielded once. In between come `progress`
        events with the current counters; they are not part of the log and have no ID of their own.
        """
        return crawl_events(self._transport, v1("crawls", crawl, "events"), last_event_id=last_event_id)


class PageOperations(Operations):
    """Operations on the pages of a crawl."""

    def list_pages(
        self,
        crawl: str,
        *,
        state: UrlState | None = None,
        status: int | None = None,
        depth: int | None = None,
        lane: Lane | None = None,
        content_type: str | None = None,
        url: str | None = None,
        duplicate: bool | None = None,
        order: PageOrder | None = None,
        descending: bool | None = None,
        include: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> PageList:
        """List the pages of a crawl.

        `url` is a text that the URL contains. `include="text"` or `include="markdown"` adds the main texts.
        """
        return self._get(
            PageList,
            *("crawls", crawl, "pages"),
            state=state,
            status=status,
            depth=depth,
            lane=lane,
            content_type=content_type,
            url=url,
            duplicate=duplicate,
            order=order,
            descending=descending,
            include=include,
            cursor=cursor,
            limit=limit,
        )

    def iter_pages(
        self,
        crawl: str,
        *,
        state: UrlState | None = None,
        status: int | None = None,
        depth: int | None = None,
        lane: Lane | None = None,
        content_type: str | None = None,
        url: str | None = None,
        duplicate: bool | None = None,
        order: PageOrder | None = None,
        descending: bool | None = None,
        include: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Page]:
        """Yield all pages of a crawl, `limit` per request. See `list_pages`."""
        list_page = partial(
            self.list_pages,
            crawl,
            state=state,
            status=status,
            depth=depth,
            lane=lane,
            content_type=content_type,
            url=url,
            duplicate=duplicate,
            order=order,
            descending=descending,
            include=include,
            limit=limit,
        )
        return items(list_page, lambda page: page.pages)

    def list_urls(
        self,
        crawl: str,
        *,
        state: UrlState | None = None,
        reason: str | None = None,
        depth: int | None = None,
        lane: Lane | None = None,
        url: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> UrlList:
        """List the URLs that a crawl found, in any state. `url` is a text that the URL contains."""
        return self._get(
            UrlList,
            *("crawls", crawl, "urls"),
            state=state,
            reason=reason,
            depth=depth,
            lane=lane,
            url=url,
            cursor=cursor,
            limit=limit,
        )

    def iter_urls(
        self,
        crawl: str,
        *,
        state: UrlState | None = None,
        reason: str | None = None,
        depth: int | None = None,
        lane: Lane | None = None,
        url: str | None = None,
        limit: int | None = None,
    ) -> Iterator[CrawlUrl]:
        """Yield all URLs that a crawl found, `limit` per request. See `list_urls`."""
        list_page = partial(
            self.list_urls, crawl, state=state, reason=reason, depth=depth, lane=lane, url=url, limit=limit
        )
        return items(list_page, lambda page: page.urls)

    def explain_url(self, crawl: str, *, url: str) -> UrlExplanation:
        """Explain why a URL is or is not in a crawl."""
        return self._get(UrlExplanation, "crawls", crawl, "urls", "explain", url=url)

    def get_page(self, crawl: str, key: str) -> PageDetail:
        """Get everything about a page."""
        return self._get(PageDetail, "crawls", crawl, "pages", key)

    def get_page_content(self, crawl: str, key: str, *, range_: str | None = None) -> Content:
        """Get the content of a page, or a byte range such as `bytes=0-4194303`."""
        call = Call(method="GET", path=v1("crawls", crawl, "pages", key, "content"), headers={"range": range_})
        response = self._transport.send(call)
        return Content(
            body=response.content,
            content_type=response.headers.get("x-page-content-type", ""),
            partial=response.status_code == HTTPStatus.PARTIAL_CONTENT,
            headers=response.headers,
        )

    def delete_page(self, crawl: str, key: str) -> None:
        """Delete a page from the results of a crawl and from the memory of its site."""
        self._delete("crawls", crawl, "pages", key)


class AnalysisOperations(Operations):
    """Operations on the analysis of a crawl."""

    def get_graph(
        self,
        crawl: str,
        *,
        depth: int | None = None,
        around: str | None = None,
        steps: int | None = None,
        limit: int | None = None,
    ) -> Graph:
        """Get a part of the link graph: `depth` links from the root, or `steps` links `around` a page."""
        return self._get(Graph, "crawls", crawl, "graph", depth=depth, around=around, steps=steps, limit=limit)

    def list_orphans(self, crawl: str, *, cursor: str | None = None, limit: int | None = None) -> OrphanList:
        """List pages that sitemaps list and no crawled page links to."""
        return self._get(OrphanList, "crawls", crawl, "orphans", cursor=cursor, limit=limit)

    def iter_orphans(self, crawl: str, *, limit: int | None = None) -> Iterator[Orphan]:
        """Yield all orphans, `limit` per request."""
        return items(partial(self.list_orphans, crawl, limit=limit), lambda page: page.orphans)

    def list_issues(
        self,
        crawl: str,
        *,
        kind: IssueName | None = None,
        severity: Severity | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> IssueList:
        """List the issues of the site, most severe kinds first."""
        return self._get(IssueList, "crawls", crawl, "issues", kind=kind, severity=severity, cursor=cursor, limit=limit)

    def iter_issues(
        self, crawl: str, *, kind: IssueName | None = None, severity: Severity | None = None, limit: int | None = None
    ) -> Iterator[Issue]:
        """Yield all issues, `limit` per request."""
        return items(
            partial(self.list_issues, crawl, kind=kind, severity=severity, limit=limit), lambda page: page.issues
        )

    def list_duplicates(
        self,
        crawl: str,
        *,
        kind: DuplicateKind | None = None,
        cluster: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> DuplicateList:
        """List duplicates by the page that is kept, whose key is the `cluster`."""
        return self._get(
            DuplicateList, "crawls", crawl, "duplicates", kind=kind, cluster=cluster, cursor=cursor, limit=limit
        )

    def iter_duplicates(
        self, crawl: str, *, kind: DuplicateKind | None = None, cluster: str | None = None, limit: int | None = None
    ) -> Iterator[Duplicate]:
        """Yield all duplicates, `limit` per request."""
        return items(
            partial(self.list_duplicates, crawl, kind=kind, cluster=cluster, limit=limit), lambda page: page.duplicates
        )

    def get_statistics(self, crawl: str) -> CrawlStatistics:
        """Get the statistics of a crawl."""
        return self._get(CrawlStatistics, "crawls", crawl, "statistics")

    def get_crawl_brand(self, crawl: str) -> CrawlBrand:
        """Get the brand that a crawl found on the root page: colours, fonts and logo."""
        return self._get(CrawlBrand, "crawls", crawl, "brand")

    def compare_crawls(
        self,
        crawl: str,
        *,
        base: str,
        kind: DiffKind | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> CrawlDiff:
        """Compare a crawl with an earlier one (`base`) of the same site. With `kind`, list the differences."""
        return self._get(CrawlDiff, "crawls", crawl, "diff", base=base, kind=kind, cursor=cursor, limit=limit)

    def list_text_changes(
        self,
        crawl: str,
        *,
        base: str,
        key: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> TextChangeList:
        """List the changes of main texts since an earlier crawl (`base`) of the same site, as unified diffs."""
        return self._get(
            TextChangeList, "crawls", crawl, "diff", "texts", base=base, key=key, cursor=cursor, limit=limit
        )

    def iter_text_changes(
        self, crawl: str, *, base: str, key: str | None = None, limit: int | None = None
    ) -> Iterator[TextChange]:
        """Yield all changes of main texts, `limit` per request."""
        return items(partial(self.list_text_changes, crawl, base=base, key=key, limit=limit), lambda page: page.changes)

    def iter_differences(
        self, crawl: str, *, base: str, kind: DiffKind, limit: int | None = None
    ) -> Iterator[Difference]:
        """Yield all differences of a kind, `limit` per request."""
        return items(
            partial(self.compare_crawls, crawl, base=base, kind=kind, limit=limit), lambda page: page.differences
        )
