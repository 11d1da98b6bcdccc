"""The parts that every operation of the client consists of: URL, request, response model, list."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeVar
from urllib.parse import quote

from pydantic import BaseModel

from wavecrawl.client.transport import Call, Transport

Model = TypeVar("Model", bound=BaseModel)
Item = TypeVar("Item")


class Operations:
    """Sends requests and reads their responses."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _get(self, model: type[Model], *segments: str, **query: object) -> Model:
        """Get the resource at a path, such as `/v1/crawls/c1` for the segments `crawls`, `c1`."""
        return self._send(model, Call(method="GET", path=v1(*segments), query=query))

    def _post(
        self, model: type[Model], *segments: str, idempotency_key: str | None, body: BaseModel | None = None
    ) -> Model:
        headers = {"idempotency-key": idempotency_key}
        return self._send(model, Call(method="POST", path=v1(*segments), headers=headers, body=_json(body)))

    def _patch(
        self, model: type[Model], *segments: str, body: BaseModel, headers: Mapping[str, str | None] | None = None
    ) -> Model:
        return self._send(model, Call(method="PATCH", path=v1(*segments), headers=headers or {}, body=_json(body)))

    def _put(self, model: type[Model], *segments: str, body: BaseModel) -> Model:
        return self._send(model, Call(method="PUT", path=v1(*segments), body=_json(body)))

    def _delete(self, *segments: str) -> None:
        self._transport.send(Call(method="DELETE", path=v1(*segments)))

    def _send(self, model: type[Model], call: Call) -> Model:
        """Return the response as a model. Fields that a newer server adds are ignored."""
        return model.model_validate_json(self._transport.send(call).content, extra="ignore")


def v1(*segments: str) -> str:
    """Return the path of these segments, each quoted."""
    return "/".join(("/v1", *(quote(segment, safe="") for segment in segments)))


def _json(body: BaseModel | None) -> str | None:
    """Return a body with the fields that were set."""
    return None if body is None else body.model_dump_json(exclude_unset=True)


class ListPage(Protocol):
    """One page of a list."""

    @property
    def next_cursor(self) -> str | None:
        """Cursor of the next page. None on the last one."""
        ...


Page = TypeVar("Page", bound=ListPage)


def items(list_page: Callable[..., Page], items_of: Callable[[Page], list[Item]]) -> Iterator[Item]:
    """Yield the items of all pages of a list; `list_page(cursor=...)` gets one page."""
    cursor: str | None = None
    while True:
        page = list_page(cursor=cursor)
        yield from items_of(page)
        cursor = page.next_cursor
        if cursor is None:
            return
