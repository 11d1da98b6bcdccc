"""The API as a whole: Powertools' resolver with every resource, and the steps around them."""

from typing import Any

from aws_lambda_powertools.event_handler import CORSConfig
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
    OpenAPIRequestValidationMiddleware,
    OpenAPIResponseValidationMiddleware,
)

from wavecrawl.api.backend import Backend
from wavecrawl.api.cross_origin import KEPT, READ, SENT
from wavecrawl.api.middleware.authentication import gate
from wavecrawl.api.middleware.idempotency import repeating
from wavecrawl.api.middleware.responses import answering
from wavecrawl.api.middleware.stack import Operations
from wavecrawl.api.resolver import OwnRequestResolver
from wavecrawl.api.resources import RESOURCES
from wavecrawl.api.routes.description import description_routes
from wavecrawl.api.routing import Operation


class Api:
    """Answers events of an HTTP API, payload format 2.0. One request at a time: threads need one each."""

    def __init__(self, backend: Backend) -> None:
        self.resolver = OwnRequestResolver(cors=_cors(backend.settings.cors_origins))
        operations: Operations = {}
        for make in (*RESOURCES, description_routes(self.resolver, operations)):
            routes = make(backend)
            operations |= {(one.method, one.path): one for one in routes.operations}
            self.resolver.include_router(routes)
        # Validation is a step of our own choosing, and not the resolver's, because nobody is told what is wrong with a
        # request before it is known who asks.
        self.resolver.use(
            [
                answering,
                gate(backend, operations),
                repeating(backend, operations),
                OpenAPIRequestValidationMiddleware(),  # type: ignore[no-untyped-call]
                OpenAPIResponseValidationMiddleware(has_response_validation_error=True),
            ]
        )
        self._operations = operations

    @property
    def operations(self) -> list[Operation]:
        """Every route."""
        return list(self._operations.values())

    def resolve(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answer a request."""
        return self.resolver.resolve(event, context)


def _cors(origins: tuple[str, ...]) -> CORSConfig | None:
    if not origins:
        return None
    return CORSConfig(
        allow_origin=origins[0],
        extra_origins=list(origins[1:]),
        allow_headers=list(SENT),
        expose_headers=list(READ),
        max_age=KEPT,
    )
