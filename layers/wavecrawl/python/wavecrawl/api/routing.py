"""Routes of one resource, each with what the gate and the description need to know of it."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from pydantic import BaseModel

from wavecrawl.api.backend import Backend
from wavecrawl.api.cursors import LONGEST_CURSOR, Cursors
from wavecrawl.api.event_stream import EVENT_STREAM
from wavecrawl.api.problems import JSON
from wavecrawl.application.authenticate import Caller
from wavecrawl.domain.tenants.role import Role

PAGE: Final = 20
"""Entries of a list, where nobody says otherwise."""

CursorQuery = Annotated[
    str | None, Query(max_length=LONGEST_CURSOR, description="`next_cursor` of the page before; none = the first page")
]
LimitQuery = Annotated[int, Query(ge=1, le=100, description="how many entries to return at most")]
CrawlName = Annotated[str, Path(description="the id of a crawl")]

_EVENT: Final = {
    "type": "object",
    "description": "each event of the stream",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
    "required": ["event", "data"],
}
WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose requests may have a body."""

DECIDE: Final = "decide"
"""Where the step that knows repeated requests leaves what `Routes.decided` asks."""

Model = TypeVar("Model", bound=BaseModel)
Handler = TypeVar("Handler", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What is known of a route beside its parameters and answers."""

    method: str
    path: str  # with {names}
    needs: Role | None  # None = open to everybody
    query: frozenset[str]  # the names of its query parameters
    has_body: bool
    secret: bool  # its answer is shown once, and kept nowhere
    problems: tuple[HTTPStatus, ...]  # of its own


class Routes(APIGatewayHttpRouter):
    """The routes of a resource, as `web.api` explains."""

    def __init__(self, backend: Backend, *, tag: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.backend = backend
        self.operations: list[Operation] = []
        self._tag = tag
        self._cursors = Cursors(backend)

    @property
    def caller(self) -> Caller:
        """Who asks. On routes that are open to everybody there is none."""
        caller = self.context["caller"]
        if not isinstance(caller, Caller):
            raise TypeError("a route that is open to everybody has no caller")
        return caller

    def on(
        self,
        method: str,
        path: str,
        *,
        summary: str,
        status: HTTPStatus = HTTPStatus.OK,
        needs: Role | None = None,
        public: bool = False,
        problems: tuple[HTTPStatus, ...] = (),
        secret: bool = False,
        media: str = JSON,
        also: tuple[HTTPStatus, ...] = (),
    ) -> Callable[[Handler], Handler]:
        """Register a route.

        It needs the role that method and path suggest, or `needs`; a `public` one needs no key. `status` is that of its
        success and `media` that answer's type; `also` are other successes, without a body but for 206.
        """

        def register(handler: Handler) -> Handler:
            self.operations.append(
                Operation(
                    method=method,
                    path=path,
                    needs=None if public else needs or _needed(method, path),
                    query=frozenset(_query_names(handler)),
                    has_body=method in WITH_BODY and _takes_a_model(handler),
                    secret=secret,
                    problems=problems,
                )
            )
            return self.route(
                path.replace("{", "<").replace("}", ">"),
                method,
                summary=summary,
                description=inspect.getdoc(handler),
                operation_id=handler.__name__,
                tags=[self._tag],
                status_code=status.value,
                responses=_successes(status, media, also),
            )(handler)

        return register

    def decided(self, candidate: str) -> str:
        """Return the id of what the current request creates: the same, however often the request is sent again."""
        decide: Callable[[str], str] | None = self.context.get(DECIDE)
        return candidate if decide is None else decide(candidate)

    def cursor(self, position: str, **filters: object) -> str:
        """Return the cursor of what comes after `position` in the list that the current request asks for."""
        return self._cursors.sign(position, tenant=self.caller.tenant, query=self._query(filters))

    def position(self, cursor: str | None, **filters: object) -> str:
        """Return the position that a cursor names, "" without one; raise Problem where it is none of this list."""
        if not cursor:
            return ""
        return self._cursors.opened(cursor, tenant=self.caller.tenant, query=self._query(filters))

    def _query(self, filters: dict[str, object]) -> str:
        return repr((self.current_event.path, sorted(filters.items())))


def answer(
    model: Model | None, *, status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None
) -> Response[Model]:
    """Return a model with a status and headers of its own."""
    return Response(
        status_code=status.value,
        content_type=JSON if model is not None else None,
        body=model,
        headers=dict(headers or {}),
    )


def _needed(method: str, path: str) -> Role:
    if path.startswith("/v1/admin"):
        return Role.ADMIN
    return Role.READ if method == "GET" else Role.TENANT


def _query_names(handler: Callable[..., Any]) -> Iterator[str]:
    for name, parameter in inspect.signature(handler).parameters.items():
        for told in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(told, Query):
                yield told.alias or name


def _takes_a_model(handler: Callable[..., Any]) -> bool:
    kinds = [parameter.annotation for parameter in inspect.signature(handler).parameters.values()]
    return any(isinstance(kind, type) and issubclass(kind, BaseModel) for kind in kinds)


def _successes(status: HTTPStatus, media: str, also: tuple[HTTPStatus, ...]) -> dict[int, Any]:
    found: dict[int, Any] = {one.value: {"description": one.description or one.phrase, "content": {}} for one in also}
    success: dict[str, Any] = {"description": status.description or status.phrase}
    if status is HTTPStatus.NO_CONTENT:
        success["content"] = {}
    elif media != JSON:
        success["content"] = {media: {"schema": _EVENT if media == EVENT_STREAM else {"type": "string"}}}
    if HTTPStatus.PARTIAL_CONTENT in also:  # the one of these that brings something: a part of the same
        found[HTTPStatus.PARTIAL_CONTENT.value]["content"] = success["content"]
    return found | {status.value: success}
