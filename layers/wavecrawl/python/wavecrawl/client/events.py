"""What happens in a crawl, as it happens."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import requests
from urllib3.exceptions import HTTPError

from wavecrawl.client.calls import quoted
from wavecrawl.client.event_stream import EventStream
from wavecrawl.client.transport import Call, Transport

_CHUNK: Final = 65_536  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlEvent:
    """Something that happened. `id` is what following goes on after: keep it to be resumed later."""

    id: str
    kind: str
    data: Mapping[str, Any]


def followed(transport: Transport, crawl: str, *, last_event_id: str = "") -> Iterator[CrawlEvent]:
    """Yield a crawl's events from the one after `last_event_id`, until the crawl has ended and all were told.

    A stream that ends or breaks is opened again after as long as the server says, until it answers 204.
    """
    stream = EventStream(last_event_id)
    while True:
        headers = {"accept": "text/event-stream", "last-event-id": stream.last_event_id or None}
        call = Call(method="GET", path=f"/v1/crawls/{quoted(crawl)}/events", headers=headers)
        with transport.send(call, stream=True) as response:
            if response.status_code == HTTPStatus.NO_CONTENT:
                return
            for event in stream.read(_until_it_breaks(response)):
                yield CrawlEvent(id=event.id, kind=event.event, data=json.loads(event.data))
        transport.retrying.sleep(stream.retry)


def _until_it_breaks(response: requests.Response) -> Iterator[bytes]:
    """Yield what arrives as it arrives; a connection that breaks is an end like any other."""
    with suppress(HTTPError, OSError):
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            yield chunk
