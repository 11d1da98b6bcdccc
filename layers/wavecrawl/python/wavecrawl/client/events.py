"""The events of a crawl, as they happen."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import requests
from urllib3.exceptions import HTTPError

from wavecrawl.client.event_stream import EventStream
from wavecrawl.client.transport import Call, Transport

_CHUNK: Final = 65_536  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlEvent:
    """An event of a crawl. To resume later, pass its `id` as `last_event_id`."""

    id: str
    kind: str
    data: Mapping[str, Any]


def crawl_events(transport: Transport, path: str, *, last_event_id: str = "") -> Iterator[CrawlEvent]:
    """Yield the events of the stream at `path` from the one after `last_event_id`, until the crawl has ended.

    A stream that ends or breaks is opened again after the delay that the server sets, until it responds with 204.
    """
    stream = EventStream(last_event_id)
    while True:
        headers = {"accept": "text/event-stream", "last-event-id": stream.last_event_id or None}
        with transport.send(Call(method="GET", path=path, headers=headers), stream=True) as response:
            if response.status_code == HTTPStatus.NO_CONTENT:
                return
            for event in stream.read(_chunks(response)):
                yield CrawlEvent(id=event.id, kind=event.event, data=json.loads(event.data))
        transport.retries.sleep(stream.retry)


def _chunks(response: requests.Response) -> Iterator[bytes]:
    """Yield bytes as they arrive. A broken connection ends the stream."""
    with suppress(HTTPError, OSError):
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            yield chunk
