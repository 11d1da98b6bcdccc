"""Pages of a crawl."""

import re
from collections.abc import Sequence
from contextlib import closing, suppress
from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.content import LARGEST, OCTETS, content_response
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routes.lists_so_far import open_list
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LongLimitQuery, Routes, respond
from wavecrawl.api.serializers.pages import page_detail, page_models, page_response
from wavecrawl.api_models.pages import MOST_TEXT, MOST_TEXTS, Included, PageDetail, PageList, PageResponse
from wavecrawl.application.page_markdown import MarkdownView, PageMarkdown, RequestLimits
from wavecrawl.application.pages import hide_page, page_content
from wavecrawl.application.results_so_far import results_of
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.pages.order import PageOrder
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.media_results import PageMedia
from wavecrawl.ports.results import PageFilter, PageQuery, PageRow, Results

PageName = Annotated[str, Path(description="Key of a page.")]

_KEY: Final = re.compile(r"[0-9a-f]{32}")
_LINKS: Final = 100  # of a page, each way
_MEDIA: Final = 100  # of a page
_AT_ONCE: Final = 8  # pages whose Markdown is made at the same time: it is mostly waiting for the archive
_MOST_SECONDS: Final = 10.0  # for the Markdown of a response: API Gateway waits for 29 s
_MOST_CPU: Final = 2.0  # seconds of processor time for the Markdown of a page; a page of up to 1 MiB takes less

_StateQuery = Annotated[UrlState | None, Query(description="Return only pages in this state.")]
_StatusQuery = Annotated[int | None, Query(ge=100, le=999, description="Return only pages with this status code.")]
_DepthQuery = Annotated[int | None, Query(ge=0, le=1_000_000, description="Return only pages of this depth.")]
_LaneQuery = Annotated[Lane | None, Query(description="Return only pages of this lane.")]
_TypeQuery = Annotated[str, Query(max_length=200, description="Return only pages of this type, such as `text/html`.")]
_TextQuery = Annotated[
    str, Query(max_length=500, description="Return only pages whose URL contains this text, ignoring case.")
]
_DuplicateQuery = Annotated[
    bool | None,
    Query(description="`true`: return only duplicates. `false`: leave them out. See `duplicate_of` of a page."),
]
_OrderQuery = Annotated[PageOrder, Query(description="Sort key.")]
_WayQuery = Annotated[bool, Query(description="Whether to reverse the order.")]


_IncludeQuery = Annotated[
    Included | None,
    Query(
        description="`text` or `markdown`: include the main text of each page in this form. A text is cut off after "
        f"{MOST_TEXTS:,} / `limit` characters, and after {MOST_TEXT:,}. Markdown is made of the stored responses, for "
        f"at most {_MOST_SECONDS:.0f} s; the `markdown_problem` of further pages says so."
    ),
]


def page_routes(backend: Backend) -> Routes:
    """Return the routes of pages."""
    routes = Routes(backend, tag="Pages")
    _register_list(routes)
    _register_page(routes)
    _register_content(routes)
    _register_deletion(routes)
    return routes


def _register_list(routes: Routes) -> None:
    @routes.on("GET", "/v1/crawls/{crawl}/pages", summary="List pages", problems=(HTTPStatus.NOT_FOUND,))
    def list_pages(
        crawl: CrawlName,
        *,
        state: _StateQuery = None,
        status: _StatusQuery = None,
        depth: _DepthQuery = None,
        lane: _LaneQuery = None,
        content_type: _TypeQuery = "",
        url: _TextQuery = "",
        duplicate: _DuplicateQuery = None,
        order: _OrderQuery = PageOrder.CRAWL,
        descending: _WayQuery = False,
        include: _IncludeQuery = None,
        cursor: CursorQuery = None,
        limit: LongLimitQuery = PAGE,
    ) -> PageList:
        """List the pages that a crawl tried to fetch.

        Until the crawl has results, the list contains the pages of the waves up to `as_of_wave`. Order `crawl` is then
        the order in which they were fetched, and newer pages are added at the end. Cursors stay valid when the crawl
        ends.
        """
        row = crawl_of(routes, crawl)
        wanted = PageFilter(
            state=state,
            status=status,
            depth=depth,
            lane=lane,
            content_type=content_type,
            text=url,
            duplicate=duplicate,
        )
        filters = {"filter": repr(wanted), "order": order.value, "descending": descending}
        grows = order is PageOrder.CRAWL and not descending
        opened = open_list(routes, row, cursor, filters, grows=grows)
        query = PageQuery(
            filter=wanted,
            order=order,
            descending=descending,
            with_text=include is Included.TEXT,
            limit=limit,
            after=opened.after,
        )
        part = opened.so_far.results.pages(row.id, query)
        running = not row.status.has_ended
        markdown = {}
        if include is Included.MARKDOWN:
            markdown = _markdown_of(part.rows, row, routes.backend, opened.so_far.results)
        return PageList(
            pages=page_models(part.rows, limit=limit, include=include, markdown=markdown),
            next_cursor=opened.cursor(part, running=running),
            total=part.total,
            as_of_wave=opened.so_far.as_of_wave,
            running=running,
        )


def _register_page(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/crawls/{crawl}/pages/{key}", summary="Get a page", problems=(HTTPStatus.NOT_FOUND,))
    def get_page(crawl: CrawlName, key: PageName) -> PageDetail:
        """Get everything about a page: metadata, text, media, and links in both directions."""
        row = crawl_of(routes, crawl)
        _must_be_a_key(key)
        so_far = results_of(row, backend)
        found = so_far.results.page(row.id, key, links=_LINKS)
        if found is None:
            raise NotFoundError(f"page {key} does not exist in crawl {crawl}")
        markdown = _markdown_of([found.page], row, backend, so_far.results)[key]
        screenshot_url = backend.screenshots.signed_url(row.id, found.screenshot)
        media: Sequence[PageMedia] = ()
        if row.settings.lists_media:
            with suppress(NotFoundError):  # the export of media could not be written
                media = so_far.results.media_of(row.id, key, limit=_MEDIA).rows
        return page_detail(
            found, markdown=markdown, media=media, screenshot_url=screenshot_url, as_of_wave=so_far.as_of_wave
        )


def _markdown_of(
    pages: Sequence[PageRow], crawl: CrawlRow, backend: Backend, results: Results
) -> dict[str, PageMarkdown]:
    """Return the Markdown of pages by key, with a problem for those that take too long or cannot be read."""
    batches = results.batches_of(crawl.id, [page.key for page in pages if page.words])
    places = {key: backend.archive.place(batch, attempt=attempt, key=key) for key, (batch, attempt) in batches.items()}
    end = backend.clock.now() + _MOST_SECONDS
    view = MarkdownView(
        backend.archive,
        backend.parser,
        crawl.settings,
        hidden=backend.hidden,
        at_once=_AT_ONCE,
        limits=RequestLimits(cpu_seconds=_MOST_CPU, is_over=lambda: backend.clock.now() > end),
    )
    with closing(view.of_all([page.key for page in pages], lambda key: places.get(key, ""))) as made:
        return dict(made)


def _register_content(routes: Routes) -> None:
    backend = routes.backend

    @routes.on(
        "GET",
        "/v1/crawls/{crawl}/pages/{key}/content",
        summary="Get the content of a page",
        media=OCTETS,
        also=(HTTPStatus.PARTIAL_CONTENT,),
        problems=(
            HTTPStatus.NOT_FOUND,
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
        ),
    )
    def get_page_content(
        crawl: CrawlName,
        key: PageName,
        range_: Annotated[
            str | None, Header(alias="range", description="Byte range, such as `bytes=0-4194303`.")
        ] = None,
    ) -> Response[str]:
        """Get the response body of a page from the WARC archive, after content decoding.

        The body is returned as `application/octet-stream`, so that browsers do not render it. The response headers
        `x-page-content-type`, `x-page-status` and `x-page-url` describe the original response. If the page was not
        modified since an earlier crawl, `content-location` refers to that crawl.

        Returns 413 if the response would be larger than 4 MiB. The problem's `bytes` contains the size of the body.
        Request the body in several ranges then.
        """
        row = crawl_of(routes, crawl)
        _must_be_a_key(key)
        found = page_content(row, key, backend, limit=LARGEST)
        return content_response(found, range_ or "")

    @routes.on(
        "GET",
        "/v1/crawls/{crawl}/pages/{key}/response",
        summary="Get the response of a page",
        problems=(HTTPStatus.NOT_FOUND,),
    )
    def get_page_response(crawl: CrawlName, key: PageName) -> PageResponse:
        """Get status and headers of the response from which a page was made, from the WARC archive."""
        row = crawl_of(routes, crawl)
        _must_be_a_key(key)
        return page_response(page_content(row, key, backend, limit=0).response)


def _register_deletion(routes: Routes) -> None:
    backend = routes.backend

    @routes.on(
        "DELETE",
        "/v1/crawls/{crawl}/pages/{key}",
        summary="Delete a page",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def delete_page(crawl: CrawlName, key: PageName) -> Response[None]:
        """Delete a page from the lists and details of a crawl. The next crawl of the site fetches it as a new page.

        The screenshot of the page and its passages in the knowledge index are deleted. The WARC archive and the
        export files, such as the report, still contain the page until the crawl is deleted. Returns 409 if the crawl is
        running.
        """
        row = crawl_of(routes, crawl)
        _must_be_a_key(key)
        hide_page(row, key, backend)
        return respond(None, status=HTTPStatus.NO_CONTENT)


def _must_be_a_key(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise Problem(HTTPStatus.NOT_FOUND, f"page {key} does not exist")
