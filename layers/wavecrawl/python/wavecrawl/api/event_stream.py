"""Server-sent events as text: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
    """One event of a stream. Without an id it does not move what the client says it has seen."""

    event: str
    data: Mapping[str, Any]
    id: str = ""


def event_stream(events: Iterable[StreamEvent], *, retry: int) -> str:
    """Return the stream; `retry` is how many milliseconds a client is to wait before it asks again.

    An event counts only once its empty line has come, so whatever a broken connection cut off comes again.
    """
    return "".join([f"retry: {retry}\n\n", *(_block(event) for event in events)])


def _block(event: StreamEvent) -> str:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))  # JSON escapes line ends: one line
    id_ = f"id: {event.id}\n" if event.id else ""
    return f"{id_}event: {event.event}\ndata: {data}\n\n"
