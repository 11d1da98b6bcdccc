"""Pages of a crawl."""

import json
import re
from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.content import LARGEST, OCTETS, content_response
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes, respond
from wavecrawl.api.serializers.pages import page_detail, page_model
from wavecrawl.api_models.pages import PageDetail, PageList
from wavecrawl.application.page_records import page_in_record
from wavecrawl.application.pages import find_record, hide_page, page_content
from wavecrawl.application.pages_so_far import RecordPlace, pages_so_far
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.order import PageOrder
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import Mark, PageFilter, PageQuery

PageName = Annotated[str, Path(description="Key of a page.")]

_KEY: Final = re.compile(r"[0-9a-f]{32}")
_LINKS: Final = 100  # of a page, each way

_StateQuery = Annotated[UrlState | None, Query(description="Return only pages in this state.")]
_StatusQuery = Annotated[int | None, Query(ge=100, le=999, description="Return only pages with this status code.")]
_DepthQuery = Annotated[int | None, Query(ge=0, le=1_000_000, description="Return only pages of this depth.")]
_TypeQuery = Annotated[str, Query(max_length=200, description="Return only pages of this type, such as `text/html`.")]
_TextQuery = Annotated[
    str, Query(max_length=500, description="Return only pages whose URL contains this text, ignoring case.")
]
_OrderQuery = Annotated[
    PageOrder, Query(description="Sort key. Running and failed crawls allow only the value `crawl`.")
]
_WayQuery = Annotated[bool, Query(description="Whether to reverse the order.")]


def has_results(row: CrawlRow) -> bool:
    """Return whether a crawl has results."""
    return row.has_results


def page_routes(backend: Backend) -> Routes:
    """Return the routes of pages."""
    routes = Routes(backend, tag="Pages")

    @routes.on("GET", "/v1/crawls/{crawl}/pages", summary="List pages", problems=(HTTPStatus.NOT_FOUND,))
    def list_pages(
        crawl: CrawlName,
        *,
        state: _StateQuery = None,
        status: _StatusQuery = None,
        depth: _DepthQuery = None,
        content_type: _TypeQuery = "",
        url: _TextQuery = "",
        order: _OrderQuery = PageOrder.CRAWL,
        descending: _WayQuery = False,
        cursor: CursorQuery = None,
        limit: LimitQuery = PAGE,
    ) -> PageList:
        """List the pages that a crawl tried to fetch.

        While the crawl is running, a page appears in the list when its position is final. Until the crawl has results,
        a response can contain fewer than `limit` items, or none, even if more follow. Continue with
        `next_cursor`. Cursors stay valid when the crawl ends.
        """
        row = crawl_of(routes, crawl)
        wanted = PageFilter(state=state, status=status, depth=depth, content_type=content_type, text=url)
        filters = {"filter": repr(wanted), "order": order.value, "descending": descending}
        position = json.loads(routes.position(cursor, **filters) or "null")
        if position is None:
            position = {} if has_results(row) else {"wave": 1, "batch": 0, "position": 0}
        if "wave" not in position:
            after = Mark(**position) if position else None
            query = PageQuery(filter=wanted, order=order, descending=descending, limit=limit, after=after)
            part = backend.results.pages(row.id, query)
            mark = part.following
            going_on = None if mark is None else routes.cursor(_mark(mark), **filters)
            return PageList(pages=[page_model(one) for one in part.rows], next_cursor=going_on, running=False)
        if order is not PageOrder.CRAWL or descending:
            raise Problem(
                HTTPStatus.BAD_REQUEST,
                "order: a crawl without results supports crawl order only",
            )
        running = not row.status.has_ended
        found = pages_so_far(
            row.id, backend, after=RecordPlace(**position), limit=limit, running=running, wanted=wanted
        )
        place = {"wave": found.following.wave, "batch": found.following.batch, "position": found.following.position}
        over = found.at_end and not running
        going_on = None if over else routes.cursor(json.dumps(place), **filters)
        return PageList(pages=[page_model(one) for one in found.pages], next_cursor=going_on, running=running)

    @routes.on("GET", "/v1/crawls/{crawl}/pages/{key}", summary="Get a page", problems=(HTTPStatus.NOT_FOUND,))
    def get_page(crawl: CrawlName, key: PageName) -> PageDetail:
        """Get everything about a page: metadata, text, and links in both directions."""
        row = crawl_of(routes, crawl)
        _must_be_a_key(key)
        if not has_results(row):
            record, _ = find_record(row, key, backend)
            return page_detail(page_in_record(record, links=_LINKS))
        found = backend.results.page(row.id, key, links=_LINKS)
        if found is None:
            raise NotFoundError(f"page {key} does not exist in crawl {crawl}")
        return page_detail(found)

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
        "DELETE",
        "/v1/crawls/{crawl}/pages/{key}",
        summary="Delete a page",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def delete_page(crawl: CrawlName, key: PageName) -> Response[None]:
        """Delete a page from the lists and details of a crawl. The next crawl of the site fetches it as a new page.

        The WARC archive and the export files still contain the page until the crawl is deleted. Returns 409 if the
        crawl is running.
        """
        row = crawl_of(routes, crawl)
        _must_be_a_key(key)
        hide_page(row, key, backend)
        return respond(None, status=HTTPStatus.NO_CONTENT)

    return routes


def _must_be_a_key(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise Problem(HTTPStatus.NOT_FOUND, f"page {key} does not exist")


def _mark(mark: Mark) -> str:
    return json.dumps({"row": mark.row, "value": mark.value})
