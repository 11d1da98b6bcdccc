"""What the API says of itself: health, OpenAPI document, documentation to read."""

import json
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import Any, Final, Literal

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from wavecrawl.api.backend import Backend
from wavecrawl.api.middleware.stack import Operations
from wavecrawl.api.openapi import document_of
from wavecrawl.api.reading import page_of
from wavecrawl.api.routing import Routes
from wavecrawl.api_models.types import Shown

DOCUMENT: Final = "application/vnd.oai.openapi+json"
HTML: Final = "text/html; charset=utf-8"

_KEPT: Final = "public, max-age=300"
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"


class Health(Shown):
    """Whether the API answers."""

    status: Literal["ok"]


def description_routes(app: APIGatewayHttpResolver, operations: Operations) -> Callable[[Backend], Routes]:
    """Return what makes the routes that describe all routes of a resolver."""

    @cache
    def document() -> dict[str, Any]:
        return document_of(app, operations)

    def routes_of(backend: Backend) -> Routes:
        routes = Routes(backend, tag="service")

        @routes.on("GET", "/health", summary="Is it there?", public=True)
        def health() -> Health:
            """Answer, as long as the API does. Looks at nothing else."""
            return Health(status="ok")

        @routes.on("GET", "/openapi.json", summary="This description", public=True, media=DOCUMENT)
        def openapi() -> Response[str]:
            """Describe every route: OpenAPI 3.1."""
            return _public(DOCUMENT, json.dumps(document()))

        @routes.on("GET", "/docs", summary="This description, to read", public=True, media="text/html")
        def docs() -> Response[str]:
            """Describe every route to people, in one page that loads nothing else."""
            return _public(HTML, page_of(document()), {"content-security-policy": _POLICY})

        return routes

    return routes_of


def _public(media: str, body: str, headers: dict[str, str] | None = None) -> Response[str]:
    return Response(
        status_code=HTTPStatus.OK.value,
        content_type=media,
        body=body,
        headers={"cache-control": _KEPT, **(headers or {})},
    )
