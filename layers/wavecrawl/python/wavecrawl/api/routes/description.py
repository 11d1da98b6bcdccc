"""Health check, OpenAPI document, documentation."""

import json
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import Any, Final

from aws_lambda_powertools.event_handler import Response

from wavecrawl.api.backend import Backend
from wavecrawl.api.docs_page import page_of
from wavecrawl.api.routing import Routes
from wavecrawl.api_models.types import Health

DOCUMENT: Final = "application/vnd.oai.openapi+json"
HTML: Final = "text/html; charset=utf-8"

_KEPT: Final = "public, max-age=300"
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"


def description_routes(backend: Backend, document_of: Callable[[], dict[str, Any]]) -> Routes:
    """Return these routes. `document_of` makes the OpenAPI document of all routes."""
    routes = Routes(backend, tag="Service")
    document = cache(document_of)
    # Everyone may request these texts, so that a request must be cheap.
    document_text, page = cache(lambda: json.dumps(document())), cache(lambda: page_of(document()))

    @routes.on("GET", "/health", summary="Health check", public=True)
    def get_health() -> Health:
        """Check whether the API responds. No other service is checked."""
        return Health(status="ok")

    @routes.on("GET", "/openapi.json", summary="Get the OpenAPI document", public=True, media=DOCUMENT)
    def get_openapi() -> Response[str]:
        """Get the OpenAPI 3.1 document of this API."""
        return _public(DOCUMENT, document_text())

    @routes.on("GET", "/docs", summary="Get the documentation", public=True, media="text/html")
    def get_docs() -> Response[str]:
        """Get the documentation of this API as one HTML page."""
        return _public(HTML, page(), {"content-security-policy": _POLICY})

    return routes


def _public(media: str, body: str, headers: dict[str, str] | None = None) -> Response[str]:
    return Response(
        status_code=HTTPStatus.OK.value,
        content_type=media,
        body=body,
        headers={"cache-control": _KEPT, **(headers or {})},
    )
