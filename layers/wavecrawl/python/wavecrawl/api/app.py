"""The API: the resolver of Powertools with all routes and middleware."""
# ruff: noqa: PLW0108 - each function of RESOURCES imports the module of its routes when it is called

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools.event_handler import CORSConfig
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
    OpenAPIRequestValidationMiddleware,
    OpenAPIResponseValidationMiddleware,
)
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from wavecrawl.api.backend import Backend
from wavecrawl.api.dashboard import Dashboard
from wavecrawl.api.http_api import PREFLIGHT_SECONDS, REQUEST_HEADERS, RESPONSE_HEADERS, modules_of
from wavecrawl.api.middleware.authentication import authentication
from wavecrawl.api.middleware.idempotency import idempotency
from wavecrawl.api.middleware.responses import responses
from wavecrawl.api.middleware.stack import Operations
from wavecrawl.api.middleware.wrong_keys import WrongKeys
from wavecrawl.api.resolver import OwnRequestResolver
from wavecrawl.api.routing import Operation, Routes
from wavecrawl.bootstrap.lazy import LazyPackage
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.exports import Export

if TYPE_CHECKING:
    from wavecrawl.api import routes
    from wavecrawl.api.routes import (  # noqa: F401 - modules of `routes`
        admin,
        analysis,
        checks,
        crawl_events,
        crawls,
        credentials,
        description,
        keys,
        knowledge,
        media,
        pages,
        settings,
        sites,
        url_lists,
        urls,
        webhooks,
    )
else:
    routes = LazyPackage("wavecrawl.api.routes")

_ANY_CRAWL: Final = CrawlId(tenant="-", site="-", crawl="-")
_ANY_EXPORT: Final = Export(name="-", bytes=0, content_type="")

RESOURCES: Final[Mapping[str, Callable[[Backend], Routes]]] = MappingProxyType(
    {
        "crawls": lambda backend: routes.crawls.crawl_routes(backend),
        "pages": lambda backend: routes.pages.page_routes(backend),
        "urls": lambda backend: routes.urls.url_routes(backend),
        "analysis": lambda backend: routes.analysis.analysis_routes(backend),
        "checks": lambda backend: routes.checks.check_routes(backend),
        "media": lambda backend: routes.media.media_routes(backend),
        "crawl_events": lambda backend: routes.crawl_events.crawl_event_routes(backend),
        "sites": lambda backend: routes.sites.site_routes(backend),
        "url_lists": lambda backend: routes.url_lists.url_list_routes(backend),
        "credentials": lambda backend: routes.credentials.credential_routes(backend),
        "knowledge": lambda backend: routes.knowledge.knowledge_routes(backend),
        "webhooks": lambda backend: routes.webhooks.webhook_routes(backend),
        "settings": lambda backend: routes.settings.settings_routes(backend),
        "keys": lambda backend: routes.keys.key_routes(backend),
        "admin": lambda backend: routes.admin.admin_routes(backend),
        "description": lambda backend: routes.description.description_routes(backend, Api(backend).document),
    }
)
"""The routes of each module of `api.routes`, in the order of the OpenAPI document.

The document is that of another instance, as the order here depends on the requests before.
"""


class Api:
    """Responds to events of an HTTP API (payload format 2.0). Not thread-safe: each thread needs its own.

    The routes of a resource, and what they import, are loaded with the first request to one of them: a function that
    starts for a request imports nothing for other requests. `wrong_keys` can be shared between threads, so that they
    count together.
    """

    def __init__(self, backend: Backend, wrong_keys: WrongKeys | None = None) -> None:
        self.resolver = OwnRequestResolver(cors=_cors(backend.settings.cors_origins))
        self._backend = backend
        self._operations: Operations = {}
        self._missing = dict(RESOURCES)
        # Validation comes after authentication, so that callers without a key learn nothing. The resolver's own
        # validation would come first.
        self.resolver.use(
            [
                responses,
                authentication(backend, self._operations, wrong_keys or WrongKeys()),
                idempotency(backend, self._operations),
                OpenAPIRequestValidationMiddleware(),  # type: ignore[no-untyped-call]
                OpenAPIResponseValidationMiddleware(has_response_validation_error=True),
            ]
        )
        self._dashboard = Dashboard(lambda: backend.exports.signed_url(_ANY_CRAWL, _ANY_EXPORT))

    @property
    def operations(self) -> list[Operation]:
        """All routes."""
        self._load(set(self._missing))
        return list(self._operations.values())

    def document(self) -> dict[str, Any]:
        """Return the OpenAPI document of all routes."""
        from wavecrawl.api.openapi import document_of  # noqa: PLC0415 - loads Powertools' models of OpenAPI

        self._load(set(self._missing))
        return document_of(self.resolver, self._operations)

    def resolve(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Return the response to a request."""
        return self._dashboard.response(event) or self._routed(event, context)

    def _routed(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        if self._missing:
            self._load(modules_of(APIGatewayProxyEventV2(event).path))
        return self.resolver.resolve(event, context)

    def _load(self, names: set[str]) -> None:
        for name in [name for name in self._missing if name in names]:
            made = self._missing.pop(name)(self._backend)
            self._operations |= {(one.method, one.path): one for one in made.operations}
            self.resolver.include_router(made)


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
