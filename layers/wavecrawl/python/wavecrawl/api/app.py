"""The API: the resolver of Powertools with all routes and middleware."""

from collections.abc import Callable
from typing import Any, Final

from aws_lambda_powertools.event_handler import CORSConfig
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
    OpenAPIRequestValidationMiddleware,
    OpenAPIResponseValidationMiddleware,
)

from wavecrawl.api.backend import Backend
from wavecrawl.api.dashboard import Dashboard
from wavecrawl.api.http_api import PREFLIGHT_SECONDS, REQUEST_HEADERS, RESPONSE_HEADERS
from wavecrawl.api.middleware.authentication import authentication
from wavecrawl.api.middleware.idempotency import idempotency
from wavecrawl.api.middleware.responses import responses
from wavecrawl.api.middleware.stack import Operations
from wavecrawl.api.middleware.wrong_keys import WrongKeys
from wavecrawl.api.resolver import OwnRequestResolver
from wavecrawl.api.routes.admin import admin_routes
from wavecrawl.api.routes.analysis import analysis_routes
from wavecrawl.api.routes.checks import check_routes
from wavecrawl.api.routes.crawl_events import crawl_event_routes
from wavecrawl.api.routes.crawls import crawl_routes
from wavecrawl.api.routes.credentials import credential_routes
from wavecrawl.api.routes.description import description_routes
from wavecrawl.api.routes.keys import key_routes
from wavecrawl.api.routes.knowledge import knowledge_routes
from wavecrawl.api.routes.media import media_routes
from wavecrawl.api.routes.pages import page_routes
from wavecrawl.api.routes.settings import settings_routes
from wavecrawl.api.routes.sites import site_routes
from wavecrawl.api.routes.urls import url_routes
from wavecrawl.api.routes.webhooks import webhook_routes
from wavecrawl.api.routing import Operation, Routes
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.exports import Export

_ANY_CRAWL: Final = CrawlId(tenant="-", site="-", crawl="-")
_ANY_EXPORT: Final = Export(name="-", bytes=0, content_type="")

RESOURCES: tuple[Callable[[Backend], Routes], ...] = (
    crawl_routes,
    page_routes,
    url_routes,
    analysis_routes,
    check_routes,
    media_routes,
    crawl_event_routes,
    site_routes,
    credential_routes,
    knowledge_routes,
    webhook_routes,
    settings_routes,
    key_routes,
    admin_routes,
)
"""The routes of each resource, in the order of the OpenAPI document."""


class Api:
    """Responds to events of an HTTP API (payload format 2.0). Not thread-safe: each thread needs its own.

    `wrong_keys` can be shared between threads, so that they count together.
    """

    def __init__(self, backend: Backend, wrong_keys: WrongKeys | None = None) -> None:
        self.resolver = OwnRequestResolver(cors=_cors(backend.settings.cors_origins))
        operations: Operations = {}
        for make in (*RESOURCES, description_routes(self.resolver, operations)):
            routes = make(backend)
            operations |= {(one.method, one.path): one for one in routes.operations}
            self.resolver.include_router(routes)
        # Validation comes after authentication, so that callers without a key learn nothing. The resolver's own
        # validation would come first.
        self.resolver.use(
            [
                responses,
                authentication(backend, operations, wrong_keys or WrongKeys()),
                idempotency(backend, operations),
                OpenAPIRequestValidationMiddleware(),  # type: ignore[no-untyped-call]
                OpenAPIResponseValidationMiddleware(has_response_validation_error=True),
            ]
        )
        self._operations = operations
        self._dashboard = Dashboard(lambda: backend.exports.signed_url(_ANY_CRAWL, _ANY_EXPORT))

    @property
    def operations(self) -> list[Operation]:
        """All routes."""
        return list(self._operations.values())

    def resolve(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Return the response to a request."""
        return self._dashboard.response(event) or self.resolver.resolve(event, context)


def _cors(origins: tuple[str, ...]) -> CORSConfig | None:
    if not origins:
        return None
    return CORSConfig(
        allow_origin=origins[0],
        extra_origins=list(origins[1:]),
        allow_headers=list(REQUEST_HEADERS),
        expose_headers=list(RESPONSE_HEADERS),
        max_age=PREFLIGHT_SECONDS,
    )
