"""Operations on pages. Generated from the OpenAPI document by `make generate`: do not edit."""

from collections.abc import Iterator

from wavecrawl.client.calls import Calls, pages, quoted
from wavecrawl.client.models import PageInFull, PageList, PageOrder, PageShown, UrlState
from wavecrawl.client.transport import Content


class PagesOperations(Calls):
    """Operations on pages."""

    def list_pages(
        self,
        crawl: str,
        *,
        state: UrlState | None = None,
        status: int | None = None,
        depth: int | None = None,
        content_type: str | None = None,
        url: str | None = None,
        order: PageOrder | None = None,
        descending: bool | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> PageList:
        """List pages.

        List the URLs that a crawl tried.

        While it runs, these are the pages whose order is certain already; a cursor stays good when the crawl is over.
        A filter that takes little may then give pages that are short, or empty, with a cursor that goes on.
        """
        return self._model(
            PageList,
            "GET",
            f"/v1/crawls/{quoted(crawl)}/pages",
            query={
                "state": state,
                "status": status,
                "depth": depth,
                "content_type": content_type,
                "url": url,
                "order": order,
                "descending": descending,
                "cursor": cursor,
                "limit": limit,
            },
        )

    def iter_pages(
        self,
        crawl: str,
        *,
        state: UrlState | None = None,
        status: int | None = None,
        depth: int | None = None,
        content_type: str | None = None,
        url: str | None = None,
        order: PageOrder | None = None,
        descending: bool | None = None,
        limit: int | None = None,
    ) -> Iterator[PageShown]:
        """List pages: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[PageShown], str | None]:
            page = self.list_pages(
                crawl,
                state=state,
                status=status,
                depth=depth,
                content_type=content_type,
                url=url,
                order=order,
                descending=descending,
                limit=limit,
                cursor=cursor,
            )
            return page.pages, page.next_cursor

        return pages(fetch)

    def read_page(self, crawl: str, key: str) -> PageInFull:
        """Look at a page.

        Return everything about a page: its facts, its text, its links both ways.
        """
        return self._model(PageInFull, "GET", f"/v1/crawls/{quoted(crawl)}/pages/{quoted(key)}")

    def delete_page(self, crawl: str, key: str) -> None:
        """Delete a page.

        Show a page of this crawl no more, and let its site forget it: the next crawl reads it as if it were new.

        WARC, records and files of the results stay as they are until the crawl is deleted.
        """
        self._nothing("DELETE", f"/v1/crawls/{quoted(crawl)}/pages/{quoted(key)}")

    def read_content(self, crawl: str, key: str, *, range_: str | None = None) -> Content | None:
        """Read what a page's server sent.

        Return the body of the answer, its content coding undone, as the WARC has it.

        It always comes as octets to save: what others wrote is never shown as a page of ours. `x-page-content-type`,
        `x-page-status` and `x-page-url` say what it was. Where a page had not changed since an earlier crawl,
        `content-location` names that crawl's page. 413 says how large a page is that does not fit into one answer: ask
        for ranges of it.
        """
        return self._content(
            "GET", f"/v1/crawls/{quoted(crawl)}/pages/{quoted(key)}/content", headers={"range": range_}
        )
