"""What happens in a crawl, as server-sent events (spec [37])."""

from collections.abc import Iterator
from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header, Query

from wavecrawl.api.backend import Backend
from wavecrawl.api.event_stream import EVENT_STREAM, StreamEvent, event_stream
from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routing import CrawlName, Routes
from wavecrawl.api_models.types import moment
from wavecrawl.application.follow_crawl import Followed, follow_crawl
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import LoggedEvent

RETRY: Final = 3_000
"""Milliseconds until a client looks again: no function is paid to wait for news."""

AT_ONCE: Final = 50
"""The same where there is more to be told already."""

SNAPSHOT: Final = "progress"
"""The event that says how a running crawl stands. It is in no log, and bears no id."""

_LAST_SEEN = "the `id` of the last event that was seen: those after it are sent"
_DIGITS = 9


def crawl_event_routes(backend: Backend) -> Routes:
    """Return the route that crawls are followed by."""
    routes = Routes(backend, tag="crawls")

    @routes.on(
        "GET",
        "/v1/crawls/{crawl}/events",
        summary="Follow a crawl",
        problems=(HTTPStatus.NOT_FOUND,),
        media=EVENT_STREAM,
        also=(HTTPStatus.NO_CONTENT,),
    )
    def follow_events(
        crawl: CrawlName,
        last_event_id: Annotated[str | None, Header(description=_LAST_SEEN, alias="Last-Event-ID")] = None,
        last_event_id_query: Annotated[
            str | None, Query(description="the same, for a first request", alias="last_event_id")
        ] = None,
    ) -> Response[str]:
        """Return what happened in a crawl since `Last-Event-ID`, as server-sent events, each once and in order.

        Events bear the names of webhooks' events: `crawl.started`, `crawl.progress` for each wave, `site.changed`,
        and `crawl.completed` or `crawl.failed` as the last one; their `id` is their place in the crawl's log. While
        the crawl runs, an event `progress` without id says how it stands. An answer ends at once and names in `retry:`
        when to ask again, as an EventSource does by itself; after the last event 204 tells it to stop.
        """
        after = _sequence(last_event_id or last_event_id_query)
        row = crawl_of(routes, crawl)
        followed = follow_crawl(
            row,
            after=after,
            log=backend.event_log,
            progress=lambda: backend.waves.progress(row.id),
            now=backend.clock.now(),
        )
        if followed.over:
            return Response(status_code=HTTPStatus.NO_CONTENT.value, body="", headers={"cache-control": "no-store"})
        return Response(
            status_code=HTTPStatus.OK.value,
            content_type=EVENT_STREAM,
            body=event_stream(_events(row, followed), retry=AT_ONCE if followed.more else RETRY),
            headers={"cache-control": "no-store"},
        )

    return routes


def _sequence(seen: str | None) -> int:
    """Return the sequence that a client has seen last, -1 for none."""
    if not seen:
        return -1
    if not (seen.isascii() and seen.isdecimal() and len(seen) <= _DIGITS):
        raise Problem(HTTPStatus.BAD_REQUEST, "Last-Event-ID is the id of an event of this crawl")
    return int(seen)


def _events(row: CrawlRow, followed: Followed) -> Iterator[StreamEvent]:
    for entry in followed.entries:
        yield _logged(row, entry)
    if followed.progress is not None:
        counters = {name: value for name, value in asdict(followed.progress).items() if name != "usage"}
        data = {"crawl": row.id.crawl, "status": row.status.value, "cancel_asked": row.cancel_asked, **counters}
        yield StreamEvent(event=SNAPSHOT, data=data)


def _logged(row: CrawlRow, entry: LoggedEvent) -> StreamEvent:
    data = {"crawl": row.id.crawl, "site": row.id.site, "at": moment(entry.at), **entry.data}
    return StreamEvent(event=entry.kind.value, data=data, id=str(entry.sequence))
