"""Operations on pages and URLs of crawls."""

from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from typing import TypedDict, Unpack

from wavecrawl.api_models.pages import Page, PageDetail, PageList, PageResponse
from wavecrawl.api_models.urls import CrawlUrl, Suppression, SuppressionList, UrlExplanation, UrlList
from wavecrawl.client.operations import Operations, items, v1
from wavecrawl.client.transport import Call, Content
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.pages.order import PageOrder


class PageFilters(TypedDict, total=False):
    """Which pages to list, in which order, and how many per request."""

    state: UrlState | None
    status: int | None
    depth: int | None
    lane: Lane | None
    content_type: str | None
    url: str | None
    duplicate: bool | None
    order: PageOrder | None
    descending: bool | None
    include: str | None
    limit: int | None


class UrlFilters(TypedDict, total=False):
    """Which URLs to list, and how many per request."""

    state: UrlState | None
    reason: str | None
    depth: int | None
    lane: Lane | None
    url: str | None
    limit: int | None


class PageOperations(Operations):
    """Operations on the pages of a crawl."""

    def list_pages(self, crawl: str, *, cursor: str | None = None, **filters: Unpack[PageFilters]) -> PageList:
        """List the pages of a crawl.

        `url` is a text that the URL contains. `include="text"` or `include="markdown"` adds the main texts.
        """
        return self._get(PageList, *("crawls", crawl, "pages"), cursor=cursor, **filters)

    def iter_pages(self, crawl: str, **filters: Unpack[PageFilters]) -> Iterator[Page]:
        """Yield all pages of a crawl, `limit` per request. See `list_pages`."""
        return items(partial(self.list_pages, crawl, **filters), lambda page: page.pages)

    def list_urls(self, crawl: str, *, cursor: str | None = None, **filters: Unpack[UrlFilters]) -> UrlList:
        """List the URLs that a crawl found, in any state. `url` is a text that the URL contains."""
        return self._get(UrlList, "crawls", crawl, "urls", cursor=cursor, **filters)

    def list_suppressions(self, crawl: str, *, cursor: str | None = None, limit: int | None = None) -> SuppressionList:
        """List why URLs were found but not requested: traps first, then by number of URLs."""
        return self._get(SuppressionList, "crawls", crawl, "suppressions", cursor=cursor, limit=limit)

    def iter_suppressions(self, crawl: str, *, limit: int | None = None) -> Iterator[Suppression]:
        """Yield why URLs were found but not requested, `limit` per request."""
        return items(partial(self.list_suppressions, crawl, limit=limit), lambda page: page.suppressions)

    def iter_urls(self, crawl: str, **filters: Unpack[UrlFilters]) -> Iterator[CrawlUrl]:
        """Yield all URLs that a crawl found, `limit` per request. See `list_urls`."""
        return items(partial(self.list_urls, crawl, **filters), lambda page: page.urls)

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

    def get_page_response(self, crawl: str, key: str) -> PageResponse:
        """Get status and headers of the response from which a page was made."""
        return self._get(PageResponse, "crawls", crawl, "pages", key, "response")

    def delete_page(self, crawl: str, key: str) -> None:
        """Delete a page from the results of a crawl and from the memory of its site."""
        self._delete("crawls", crawl, "pages", key)
