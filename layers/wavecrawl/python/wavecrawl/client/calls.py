"""What the generated methods are made of."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import quote

import requests
from pydantic import BaseModel

from wavecrawl.client.models import Received
from wavecrawl.client.transport import Call, Content, Transport

Model = TypeVar("Model", bound=Received)
Entry = TypeVar("Entry")


class Calls:
    """Sends requests, and reads the answers."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _model(
        self,
        kind: type[Model],
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: BaseModel | None = None,
    ) -> Model:
        """Return the model that answers."""
        response = self._send(method, path, query=query, headers=headers, body=body)
        model = kind.model_validate_json(response.content)
        model.remember_etag(response.headers.get("etag"))
        return model

    def _content(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: BaseModel | None = None,
    ) -> Content | None:
        """Return what answers, as it came; None where there is nothing in it."""
        response = self._send(method, path, query=query, headers=headers, body=body)
        if response.status_code == HTTPStatus.NO_CONTENT:
            return None
        kind = response.headers.get("content-type", "")
        return Content(body=response.content, content_type=kind, headers=response.headers)

    def _nothing(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: BaseModel | None = None,
    ) -> None:
        """Send a request whose success says everything."""
        self._send(method, path, query=query, headers=headers, body=body)

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None,
        headers: Mapping[str, str | None] | None,
        body: BaseModel | None,
    ) -> requests.Response:
        written = None if body is None else body.model_dump_json(by_alias=True, exclude_unset=True)
        call = Call(method=method, path=path, query=query or {}, headers=headers or {}, body=written)
        return self._transport.send(call)


def pages(fetch: Callable[[str | None], tuple[list[Entry], str | None]]) -> Iterator[Entry]:
    """Yield the entries of a list, page after page, as `fetch` returns them with the cursor of the next."""
    cursor: str | None = None
    while True:
        entries, cursor = fetch(cursor)
        yield from entries
        if cursor is None:
            return


def quoted(value: object) -> str:
    """Return a value as one segment of a path."""
    text = value.isoformat() if isinstance(value, datetime) else str(value)
    return quote(text, safe="")
