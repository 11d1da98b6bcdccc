"""Types and functions for all middleware of the resolver (Powertools)."""

import json
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from wavecrawl.api.routing import Operation

Next = Callable[[APIGatewayHttpResolver], Response[Any]]
Step = Callable[[APIGatewayHttpResolver, Next], Response[Any]]
Operations = dict[tuple[str, str], Operation]
"""Routes by method and path."""


def operation_of(app: APIGatewayHttpResolver, operations: Operations) -> Operation | None:
    """Return the route of the current request, None if there is none."""
    return operations.get((app.request.method, app.request.route))


def event_of(app: APIGatewayHttpResolver) -> APIGatewayProxyEventV2:
    """Return the event of the current request."""
    event = app.current_event
    if not isinstance(event, APIGatewayProxyEventV2):
        raise TypeError(f"the API needs events of payload format 2.0, not {type(event).__name__}")
    return event


def header(app: APIGatewayHttpResolver, name: str) -> str:
    """Return a header of the current request, "" if it is not sent."""
    return event_of(app).headers.get(name) or ""


def written(response: Response[Any]) -> Response[Any]:
    """Serialize a JSON body."""
    if response.body is None:
        response.body = ""
    elif response.is_json() and not isinstance(response.body, str | bytes):
        response.body = json.dumps(response.body, separators=(",", ":"), ensure_ascii=False)
    return response
