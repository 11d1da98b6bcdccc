"""URLs of a crawl, in any state."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from aws_lambda_powertools.event_handler.openapi.params import Query
from msgspec.structs import asdict

from wavecrawl.api.backend import Backend
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routes.lists_so_far import open_list
from wavecrawl.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, LongLimitQuery, Routes
from wavecrawl.api_models.types import LONGEST_URL, timestamp, timestamp_or_none
from wavecrawl.api_models.urls import (
    CrawlUrl,
    LinkSource,
    ScorePart,
    Suppression,
    SuppressionList,
    UrlExplanation,
    UrlList,
)
from wavecrawl.api_models.urls import LaterCrawl as ShownCrawl
from wavecrawl.application.absence import LaterCrawl
from wavecrawl.application.explain_url import Explanation
from wavecrawl.application.explain_url import explain_url as explained
from wavecrawl.application.reason_texts import REASONS
from wavecrawl.domain.crawl.ledger import LedgerRow
from wavecrawl.domain.crawl.record import TRAPS, PageRecord, Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.ports.live_results import Suppression as UrlGroup
from wavecrawl.ports.live_results import UrlFilter

_StateQuery = Annotated[UrlState | None, Query(description="Return only URLs in this state.")]
_ReasonQuery = Annotated[Reason | None, Query(description="Return only URLs with this reason.")]
_DepthQuery = Annotated[int | None, Query(ge=0, le=1_000_000, description="Return only URLs of this depth.")]
_LaneQuery = Annotated[Lane | None, Query(description="Return only URLs of this lane.")]
_TextQuery = Annotated[
    str, Query(max_length=500, description="Return only URLs that contain this text, ignoring case.")
]
_UrlQuery = Annotated[
    str, Query(min_length=1, max_length=LONGEST_URL, description="URL to explain, absolute or relative to the root.")
]

_EXAMPLES = 3  # URLs of a suppression
_LONGEST = 2_000  # characters of a title


def url_routes(backend: Backend) -> Routes:
    """Return the routes of URLs."""
    routes = Routes(backend, tag="Pages")
    problems = (HTTPStatus.NOT_FOUND, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)

    @routes.on("GET", "/v1/crawls/{crawl}/urls", summary="List URLs", problems=problems)
    def list_urls(
        crawl: CrawlName,
        *,
        state: _StateQuery = None,
        reason: _ReasonQuery = None,
        depth: _DepthQuery = None,
        lane: _LaneQuery = None,
        url: _TextQuery = "",
        cursor: CursorQuery = None,
        limit: LongLimitQuery = PAGE,
    ) -> UrlList:
        """List the URLs that a crawl found, in any state, also those that it did not request.

        While the crawl is running, states and reasons are those after wave `as_of_wave`.
        """
        row = crawl_of(routes, crawl)
        wanted = UrlFilter(state=state, reason=reason, depth=depth, lane=lane, text=url)
        opened = open_list(routes, row, cursor, {"filter": repr(wanted)})
        urls = opened.so_far.urls
        part = urls.list(row.id, wanted, limit=limit, after=opened.after)
        return UrlList(
            urls=[_url(one) for one in part.rows],
            next_cursor=opened.cursor(part),
            total=part.total,
            totals=urls.totals(row.id),
            as_of_wave=opened.so_far.as_of_wave,
        )

    @routes.on("GET", "/v1/crawls/{crawl}/suppressions", summary="List suppressions", problems=problems)
    def list_suppressions(crawl: CrawlName, cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> SuppressionList:
        """List why URLs were found but not requested: rules against traps with their evidence, and other rules.

        To list the URLs of a reason, use `reason` in the list of URLs.
        """
        row = crawl_of(routes, crawl)
        opened = open_list(routes, row, cursor, {})
        part = opened.so_far.urls.suppressions(row.id, examples=_EXAMPLES, limit=limit, after=opened.after)
        return SuppressionList(
            suppressions=[_suppression(one) for one in part.rows],
            next_cursor=opened.cursor(part),
            total=part.total,
            as_of_wave=opened.so_far.as_of_wave,
        )

    @routes.on("GET", "/v1/crawls/{crawl}/urls/explain", summary="Explain a URL", problems=problems)
    def explain_url(crawl: CrawlName, url: _UrlQuery) -> UrlExplanation:
        """Explain why a URL is or is not in a crawl.

        The URL does not need to be one that the crawl found. Nothing is requested from the site: if the crawl did not
        find the URL, the rules of robots.txt are those that were read last.
        """
        row = crawl_of(routes, crawl)
        found = explained(url, row, backend)
        name = found.record.screenshot if found.record else ""
        return _explanation(found, screenshot_url=backend.screenshots.signed_url(row.id, name))

    return routes


def _url(row: LedgerRow) -> CrawlUrl:
    fields = msgspec.structs.asdict(row) | {"found_at": timestamp_or_none(row.found_at)}
    del fields["order"]
    return CrawlUrl(**fields)


def _suppression(group: UrlGroup) -> Suppression:
    because = REASONS.get(group.reason, group.reason.value)
    return Suppression(**asdict(group), because=because, trap=group.reason in TRAPS)


def _later(found: LaterCrawl) -> ShownCrawl:
    return ShownCrawl(**asdict(found) | {"started_at": timestamp(found.started_at)})


def _explanation(found: Explanation, *, screenshot_url: str | None) -> UrlExplanation:
    record = found.record or PageRecord(key="", url="", depth=0, state=UrlState.PENDING)
    return UrlExplanation(
        url=found.url,
        key=found.key,
        found=_url(found.ledger) if found.ledger else None,
        deleted=found.deleted,
        because=found.because,
        absence=found.absence,
        later=_later(found.later) if found.later else None,
        matches_focus=found.matches_focus,
        status=record.status,
        content_type=record.content_type,
        title=record.facts.title[:_LONGEST] if record.facts else "",
        redirect_to=record.redirect_to,
        shell=record.shell,
        rendered=record.rendered,
        render_added=record.render_added,
        render_problem=record.render_problem,
        screenshot_url=screenshot_url,
        duplicate_of=found.duplicate_of,
        near_duplicate_of=found.near_duplicate_of,
        similarity=found.similarity,
        score=[ScorePart(**msgspec.structs.asdict(part)) for part in found.score],
        linked_from=[LinkSource(**asdict(source)) for source in found.linked_from],
    )
