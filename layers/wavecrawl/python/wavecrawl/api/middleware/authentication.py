"""The gate: who may come in. It looks at nothing but the request itself before it knows who asks."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from wavecrawl.api.http_request import http_request
from wavecrawl.api.middleware.stack import Next, Operations, Step, event_of, header, operation_of
from wavecrawl.api.problems import JSON, Problem
from wavecrawl.api.routing import Operation
from wavecrawl.api.service import Service
from wavecrawl.application.api_keys import Caller, authenticate
from wavecrawl.domain.tenants.role import Role

WINDOW = 60.0
"""Seconds in which a key has its requests."""

KEYS_WORTH = 3
"""As many keys' requests a tenant has with all its keys together."""

_RANK = {Role.READ: 0, Role.TENANT: 1, Role.ADMIN: 2}


def gate(service: Service, operations: Operations) -> Step:
    """Return the step that lets those in who may do what they ask for."""

    def admitted(app: APIGatewayHttpResolver, next_middleware: Next) -> Response[Any]:
        operation = operation_of(app, operations)
        if operation is None and app.request.method == "OPTIONS" and service.settings.cors_origins:
            return next_middleware(app)
        if operation is None or operation.needs is not None:
            caller = _caller(service, header(app, "authorization"))
            app.context["caller"] = caller
            _take_a_turn(app, service, caller)
            if operation is None:
                raise _nothing_there(app.request.method, event_of(app).path, operations)
            _check_role(caller, operation)
        if operation.needs is not None:
            _know_every_parameter(app, operation)
        body = http_request(event_of(app).raw_event, max_body=service.settings.max_body_bytes).body
        if operation.has_body:
            _must_be_an_object(body, header(app, "content-type"))
        return next_middleware(app)

    return admitted


def _caller(service: Service, authorization: str) -> Caller:
    scheme, _, key = authorization.partition(" ")
    caller = None
    if scheme.lower() == "bearer" and key.strip():
        caller = authenticate(
            key.strip(),
            keys=service.keys,
            tenants=service.tenants,
            operator_keys=service.operator_keys,
            operator_tenant=service.settings.tenant,
            now=service.clock.now(),
        )
    if caller is None:
        raise Problem(
            HTTPStatus.UNAUTHORIZED,
            "show an API key: Authorization: Bearer <key>",
            headers={"www-authenticate": "Bearer"},
        )
    return caller


def _take_a_turn(app: APIGatewayHttpResolver, service: Service, caller: Caller) -> None:
    """Count the request against its key and tenant. Header fields: draft-ietf-httpapi-ratelimit-headers-10."""
    limit, now = service.settings.requests_a_minute, service.clock.now()
    of_all = KEYS_WORTH * limit
    turn = service.rate_limits.take(caller.tenant, caller.key_id, limit=limit, of_all=of_all, window=WINDOW, now=now)
    wait = max(1, round(turn.resets_at - now))
    headers = {
        "ratelimit-policy": f'"key";q={limit};w={WINDOW:.0f}, "tenant";q={of_all};w={WINDOW:.0f}',
        "ratelimit": f'"key";r={turn.remaining};t={wait}, "tenant";r={turn.of_all};t={wait}',
    }
    app.context["turn"] = headers
    if not turn.allowed:
        who, most = ("all keys of this tenant together", of_all) if turn.remaining else ("this key", limit)
        detail = f"{who} may send {most:,} requests a minute; try again in {wait} seconds"
        raise Problem(HTTPStatus.TOO_MANY_REQUESTS, detail, headers={"retry-after": str(wait)})


def _check_role(caller: Caller, operation: Operation) -> None:
    if operation.needs is not None and _RANK[caller.role] < _RANK[operation.needs]:
        detail = f"this takes a key of role {operation.needs.value}; yours has role {caller.role.value}"
        raise Problem(HTTPStatus.FORBIDDEN, detail)


def _know_every_parameter(app: APIGatewayHttpResolver, operation: Operation) -> None:
    """Refuse a parameter that would change nothing: a filter with a slip in its name would let everything through."""
    unknown = sorted(event_of(app).query_string_parameters.keys() - operation.query)
    if unknown:
        errors = [f"{name}: unknown parameter" for name in unknown]
        raise Problem(HTTPStatus.BAD_REQUEST, "; ".join(errors), errors=errors)


def _nothing_there(method: str, path: str, operations: Operations) -> Problem:
    allowed = sorted(one.method for one in operations.values() if _matches(one.path, path))
    if not allowed or method in allowed:  # an id of characters that the resolver takes for none
        return Problem(HTTPStatus.NOT_FOUND, f"there is no {path}")
    detail = f"{path} answers to {', '.join(allowed)}, not to {method}"
    return Problem(HTTPStatus.METHOD_NOT_ALLOWED, detail, headers={"allow": ", ".join(allowed)})


def _matches(pattern: str, path: str) -> bool:
    parts, given = pattern.split("/"), path.split("/")
    return len(parts) == len(given) and all(
        part.startswith("{") or part == one for part, one in zip(parts, given, strict=True)
    )


def _must_be_an_object(body: bytes, content_type: str) -> None:
    kind = content_type.partition(";")[0].strip().lower()
    if kind != JSON:
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send {JSON}, not {kind or 'a body of no type'}")
    try:
        document = json.loads(body.decode(), parse_constant=_no_number)
        json.dumps(document, ensure_ascii=False).encode()  # fails where a text holds half a character
    except (ValueError, RecursionError) as error:
        raise Problem(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise Problem(HTTPStatus.BAD_REQUEST, "the body must be an object")


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number in JSON (RFC 8259 section 6)")
