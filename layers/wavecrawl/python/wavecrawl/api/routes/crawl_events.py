"""Events of a crawl, as server-sent events."""

import json
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header, Query
from msgspec import structs

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.crawls import crawl_of
from wavecrawl.api.routing import EVENT_STREAM, CrawlName, Routes
from wavecrawl.api_models.types import rfc3339, timestamp
from wavecrawl.application.crawl_events import CrawlUpdate, follow_crawl
from wavecrawl.ports.batches import Progress
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import LoggedEvent

RETRY: Final = 3_000
"""Milliseconds until a client sends the next request. In AWS, responses end at once, as a waiting function would cost
money."""

AT_ONCE: Final = 50
"""The same, if more events are available already."""

SNAPSHOT: Final = "progress"
"""The event with the current counters of a running crawl. It is not part of the log and has no ID."""

_LAST_SEEN = "ID of the last event received. Only later events are returned."
_DIGITS = 9


class StreamEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A server-sent event. Without an ID, it does not change the client's last event ID."""

    event: str
    data: Mapping[str, Any]
    id: str = ""


def crawl_event_routes(backend: Backend) -> Routes:
    """Return the route of events."""
    routes = Routes(backend, tag="Crawls")

    @routes.on(
        "GET",
        "/v1/crawls/{crawl}/events",
        summary="Stream crawl events",
        problems=(HTTPStatus.NOT_FOUND,),
        media=EVENT_STREAM,
        also=(HTTPStatus.NO_CONTENT,),
    )
    def stream_events(
        crawl: CrawlName,
        last_event_id: Annotated[str | None, Header(description=_LAST_SEEN, alias="Last-Event-ID")] = None,
        last_event_id_query: Annotated[
            str | None,
            Query(
                description="Same as the header `Last-Event-ID`.",
                alias="last_event_id",
            ),
        ] = None,
    ) -> Response[str]:
        """Get the events of a crawl as server-sent events, in order. Send `Last-Event-ID` to get only later ones.

        Events: `crawl.started`, `crawl.progress` for each wave, `site.changed` if pages are new or gone, or if their
        main text has changed since the earlier crawls of the site, and finally `crawl.failed` if the crawl failed,
        otherwise `crawl.completed`. Their `id` is their position in the log of the crawl. While the crawl is running,
        an event `progress` (not `crawl.progress`) without an ID contains the current counters.

        `wavecrawl serve` keeps the response open and sends each event when it happens. In AWS, the response does not
        stay open: it contains the events available now, at most 200. The line `retry:` is the delay before the next
        request, in milliseconds, also after a broken connection. The EventSource of a browser sends that request by
        itself. If an ended crawl has no event after `Last-Event-ID`, the response is 204.
        """
        after = sequence_of(last_event_id or last_event_id_query)
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
            body=event_stream(updates(row, followed), retry=AT_ONCE if followed.more else RETRY),
            headers={"cache-control": "no-store"},
        )

    return routes


def sequence_of(seen: str | None) -> int:
    """Return the sequence number of the last event received, -1 for none; raise Problem 400 if it is no such ID."""
    if not seen:
        return -1
    if not (seen.isascii() and seen.isdecimal() and len(seen) <= _DIGITS):
        raise Problem(HTTPStatus.BAD_REQUEST, "Last-Event-ID must be the ID of an event of this crawl")
    return int(seen)


def updates(row: CrawlRow, update: CrawlUpdate) -> Iterator[StreamEvent]:
    """Yield all events of an update."""
    yield from logged(row, update.entries)
    yield from counters(row, update.progress)


def logged(row: CrawlRow, entries: Iterable[LoggedEvent]) -> Iterator[StreamEvent]:
    """Yield the events of log entries."""
    for entry in entries:
        data = {"crawl": row.id.crawl, "site": row.id.site, "at": rfc3339(timestamp(entry.at)), **entry.data}
        yield StreamEvent(event=entry.kind.value, data=data, id=str(entry.sequence))


def counters(row: CrawlRow, progress: Progress | None) -> Iterator[StreamEvent]:
    """Yield the event with the current counters of a running crawl."""
    if progress is not None:
        found = {name: value for name, value in structs.asdict(progress).items() if name not in ("usage", "wait")}
        wait = progress.wait
        if wait is not None:
            until = rfc3339(timestamp(wait.until)) if wait.until else None
            found["wait"] = {"reason": wait.reason.value, "host": wait.host, "until": until, "text": wait.text}
        data = {"crawl": row.id.crawl, "status": row.status.value, "cancel_asked": row.cancel_asked, **found}
        yield StreamEvent(event=SNAPSHOT, data=data)


def event_stream(events: Iterable[StreamEvent], *, retry: int = 0) -> str:
    """Return events as text (https://html.spec.whatwg.org/multipage/server-sent-events.html).

    `retry`: milliseconds until the client sends the next request; 0 = leave it out. An event ends with an empty line:
    one that a broken connection cuts off is ignored by the client and sent again.
    """
    said = [f"retry: {retry}\n\n"] if retry else []
    return "".join([*said, *(_block(event) for event in events)])


def _block(event: StreamEvent) -> str:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))  # JSON escapes line ends: one line
    id_ = f"id: {event.id}\n" if event.id else ""
    return f"{id_}event: {event.event}\ndata: {data}\n\n"
