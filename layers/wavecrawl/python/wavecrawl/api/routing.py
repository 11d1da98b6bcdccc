"""Registration of routes, with what authentication and the OpenAPI document need to know of each."""

import inspect
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar, get_args

import msgspec
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from pydantic import BaseModel

from wavecrawl.api.backend import Backend
from wavecrawl.api.cursors import LONGEST_CURSOR, Cursors
from wavecrawl.api.problems import JSON
from wavecrawl.application.api_keys import Caller
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.domain.tenants.role import Role

PAGE: Final = 20
"""Default number of items on a page of a list."""

CursorQuery = Annotated[
    str | None,
    Query(max_length=LONGEST_CURSOR, description="`next_cursor` of the previous response, to continue the list."),
]
LimitQuery = Annotated[int, Query(ge=1, le=100, description="Maximum number of items in the response.")]
LongLimitQuery = Annotated[int, Query(ge=1, le=1_000, description="Maximum number of items in the response.")]
CrawlName = Annotated[str, Path(description="ID of a crawl.")]

_EVENT: Final = {
    "type": "object",
    "description": "An event of the stream.",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
    "required": ["event", "data"],
}
EVENT_STREAM: Final = "text/event-stream"

WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose requests may have a body."""

DECIDE: Final = "decide"
"""Context key of the function that `Routes.decided` calls, set by the idempotency middleware."""

NO_SECRET: Final = "shows_no_secret"  # noqa: S105 - a name
"""Context key that `Routes.shows_no_secret` sets, for the idempotency middleware."""

Model = TypeVar("Model", bound=BaseModel)
Handler = TypeVar("Handler", bound=Callable[..., Any])


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """A route, apart from its parameters and responses."""

    method: str
    path: str  # with {names}
    needs: Role | None  # role; None = no API key needed
    query: frozenset[str]  # the names of its query parameters
    has_body: bool
    body_is_optional: bool  # whether a request without a body stands for `{}`: all fields have defaults
    secret: bool  # whether its response can contain a secret, which is never stored
    problems: tuple[HTTPStatus, ...]  # in addition to those of all routes


class Routes(APIGatewayHttpRouter):
    """The routes of a resource. How to add one: see the docstring of `wavecrawl.api`."""

    def __init__(self, backend: Backend, *, tag: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.backend = backend
        self.operations: list[Operation] = []
        self._tag = tag
        self._cursors = Cursors(backend)

    @property
    def caller(self) -> Caller:
        """The authenticated caller. Public routes have none."""
        caller = self.context["caller"]
        if not isinstance(caller, Caller):
            raise TypeError("a public route has no caller")
        return caller

    @property
    def trigger(self) -> Trigger:
        """What starts a crawl by this request.

        A browser sends `Sec-Fetch-Site: same-origin` with requests of pages of the API's own origin, which are those of
        the dashboard; scripts cannot set it (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header).
        """
        site = self.current_event.headers.get("sec-fetch-site")
        return Trigger.DASHBOARD if site == "same-origin" else Trigger.API

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

        `needs`: role of the API key; by default `read` for GET, `tenant` for other methods, `admin` for `/v1/admin`.
        `public`: no API key is needed. `problems`: status codes in addition to those of all routes. `secret`: the
        response contains a secret and is not stored for repeated requests, unless the handler calls
        `shows_no_secret`. `status` and `media`: success status code and media type. `also`: additional success status
        codes. Only 206 has a body.
        """

        def register(handler: Handler) -> Handler:
            model = _model_of(handler) if method in WITH_BODY else None
            self.operations.append(
                Operation(
                    method=method,
                    path=path,
                    needs=None if public else needs or _needed(method, path),
                    query=frozenset(_query_names(handler)),
                    has_body=model is not None,
                    body_is_optional=model is not None
                    and not any(one.is_required() for one in model.model_fields.values()),
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
                responses=_successes(handler, status, media, also),
            )(handler)

        return register

    def decided(self, candidate: str) -> str:
        """Return the ID of the resource to create: `candidate`, or that of the first attempt at the same request."""
        decide: Callable[[str], str] | None = self.context.get(DECIDE)
        return candidate if decide is None else decide(candidate)

    def shows_no_secret(self) -> None:
        """Let the response be stored for repeated requests: this one contains no secret."""
        self.context[NO_SECRET] = True

    def cursor(self, position: str, **filters: object) -> str:
        """Return the cursor for the items after `position` in the requested list."""
        return self._cursors.sign(position, tenant=self.caller.tenant, query=self._query(filters))

    def position(self, cursor: str | None, **filters: object) -> str:
        """Return the position of a cursor, "" for None. Raise Problem if it belongs to another list."""
        if not cursor:
            return ""
        return self._cursors.opened(cursor, tenant=self.caller.tenant, query=self._query(filters))

    def _query(self, filters: dict[str, object]) -> str:
        return repr((self.current_event.path, sorted(filters.items())))


def respond(
    model: Model | None, *, status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None
) -> Response[Model]:
    """Return a response with a status code and headers."""
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
        for marker in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(marker, Query):
                yield marker.alias or name


def _model_of(handler: Callable[..., Any]) -> type[BaseModel] | None:
    """Return the model of the bodies that a handler takes, None if it takes none."""
    for parameter in inspect.signature(handler).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def _successes(
    handler: Callable[..., Any], status: HTTPStatus, media: str, also: tuple[HTTPStatus, ...]
) -> dict[int, Any]:
    found: dict[int, Any] = {one.value: {"description": one.phrase, "content": {}} for one in also}
    success: dict[str, Any] = {"description": status.phrase}
    if status is HTTPStatus.NO_CONTENT:
        success["content"] = {}
    elif media != JSON:
        success["content"] = {media: {"schema": _EVENT if media == EVENT_STREAM else {"type": "string"}}}
    if HTTPStatus.PARTIAL_CONTENT in also:  # has the same content
        found[HTTPStatus.PARTIAL_CONTENT.value]["content"] = success["content"]
    if HTTPStatus.ACCEPTED in also:  # has the same content
        [model] = get_args(inspect.signature(handler).return_annotation)  # Response[Model]
        found[HTTPStatus.ACCEPTED.value]["content"] = {JSON: {"model": model}}
    return found | {status.value: success}
