"""Pages of a crawl: list, look at, read, delete."""

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
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes, answer
from wavecrawl.api_models.pages import PageInFull, PageList, page_in_full, page_shown
from wavecrawl.application.find_record import FindPorts, find_record
from wavecrawl.application.hide_page import HidePorts, hide_page
from wavecrawl.application.page_content import page_content
from wavecrawl.application.page_in_record import page_in_record
from wavecrawl.application.pages_so_far import RecordPlace, RecordPorts, pages_so_far
from wavecrawl.domain.crawl.states import CrawlStatus, UrlState
from wavecrawl.domain.pages.order import PageOrder
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import Mark, PageFilter, PageQuery

PageName = Annotated[str, Path(description="the key of a page")]

_KEY: Final = re.compile(r"[0-9a-f]{32}")
_LINKS: Final = 100  # of a page, each way
_WITHOUT_RESULTS: Final = (CrawlStatus.RUNNING, CrawlStatus.FAILED)

_StateQuery = Annotated[UrlState | None, Query(description="what became of it")]
_StatusQuery = Annotated[int | None, Query(ge=100, le=999, description="the status of its answer")]
_DepthQuery = Annotated[int | None, Query(ge=0, le=1_000_000, description="links from the root")]
_TypeQuery = Annotated[str, Query(max_length=200, description="its media type, such as text/html")]
_TextQuery = Annotated[str, Query(max_length=500, description="a text somewhere in its URL, in any case")]
_OrderQuery = Annotated[PageOrder, Query(description="by what; a crawl without results has crawl order only")]
_WayQuery = Annotated[bool, Query(description="the other way round")]


def find_ports(backend: Backend) -> FindPorts:
    """Return where pages are looked for."""
    return FindPorts(
        results=backend.results,
        claims=backend.claims,
        batches=backend.batches,
        archive=backend.archive,
        hidden=backend.hidden,
    )


def has_results(row: CrawlRow) -> bool:
    """Tell whether a crawl has come to results."""
    return row.status not in _WITHOUT_RESULTS


def page_routes(backend: Backend) -> Routes:
    """Return the routes of pages."""
    routes = Routes(backend, tag="pages")

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
        """List the URLs that a crawl tried.

        While it runs, these are the pages whose order is certain already; a cursor stays good when the crawl is over.
        A filter that takes little may then give pages that are short, or empty, with a cursor that goes on.
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
            return PageList(pages=[page_shown(one) for one in part.rows], next_cursor=going_on, running=False)
        if order is not PageOrder.CRAWL or descending:
            raise Problem(HTTPStatus.BAD_REQUEST, "order: a crawl without results has its pages in crawl order only")
        running = row.status is CrawlStatus.RUNNING
        found = pages_so_far(
            row.id, _record_ports(backend), after=RecordPlace(**position), limit=limit, running=running, wanted=wanted
        )
        place = {"wave": found.following.wave, "batch": found.following.batch, "position": found.following.position}
        over = found.at_end and not running
        going_on = None if over else routes.cursor(json.dumps(place), **filters)
        return PageList(pages=[page_shown(one) for one in found.pages], next_cursor=going_on, running=running)

    @routes.on("GET", "/v1/crawls/{crawl}/pages/{key}", summary="Look at a page", problems=(HTTPStatus.NOT_FOUND,))
    def read_page(crawl: CrawlName, key: PageName) -> PageInFull:
        """Return everything about a page: its facts, its text, its links both ways."""
        row = crawl_of(routes, crawl)
        _must_be_a_key(key)
        if not has_results(row):
            record, _ = find_record(row, key, find_ports(backend))
            return page_in_full(page_in_record(record, links=_LINKS))
        found = backend.results.page(row.id, key, links=_LINKS)
        if found is None:
            raise NotFoundError(f"crawl {crawl} has no page {key}")
        return page_in_full(found)

    @routes.on(
        "GET",
        "/v1/crawls/{crawl}/pages/{key}/content",
        summary="Read what a page's server sent",
        media=OCTETS,
        also=(HTTPStatus.PARTIAL_CONTENT,),
        problems=(
            HTTPStatus.NOT_FOUND,
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
        ),
    )
    def read_content(
        crawl: CrawlName,
        key: PageName,
        range_: Annotated[str | None, Header(alias="range", description="bytes=FIRST-LAST, of a large page")] = None,
    ) -> Response[str]:
        """Return the body of the answer, its content coding undone, as the WARC has it.

        It always comes as octets to save: what others wrote is never shown as a page of ours. `x-page-content-type`,
        `x-page-status` and `x-page-url` say what it was. Where a page had not changed since an earlier crawl,
        `content-location` names that crawl's page. 413 says how large a page is that does not fit into one answer: ask
        for ranges of it.
        """
        row = crawl_of(routes, crawl)
        _must_be_a_key(key)
        found = page_content(row, key, find_ports(backend), limit=LARGEST)
        return content_response(found, range_ or "")

    @routes.on(
        "DELETE",
        "/v1/crawls/{crawl}/pages/{key}",
        summary="Delete a page",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def delete_page(crawl: CrawlName, key: PageName) -> Response[None]:
        """Show a page of this crawl no more, and let its site forget it: the next crawl reads it as if it were new.

        WARC, records and files of the results stay as they are until the crawl is deleted.
        """
        row = crawl_of(routes, crawl)
        _must_be_a_key(key)
        hide_page(row, key, HidePorts(find=find_ports(backend), memories=backend.memories, clock=backend.clock))
        return answer(None, status=HTTPStatus.NO_CONTENT)

    return routes


def _must_be_a_key(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise Problem(HTTPStatus.NOT_FOUND, f"there is no page {key}")


def _mark(mark: Mark) -> str:
    return json.dumps({"row": mark.row, "value": mark.value})


def _record_ports(backend: Backend) -> RecordPorts:
    return RecordPorts(waves=backend.waves, batches=backend.batches, archive=backend.archive, hidden=backend.hidden)
