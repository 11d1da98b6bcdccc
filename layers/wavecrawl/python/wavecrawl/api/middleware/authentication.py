"""Middleware for authentication: API key, rate limit, role, known parameters, body size."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from math import ceil
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from wavecrawl.api.backend import Backend
from wavecrawl.api.http_request import http_request
from wavecrawl.api.middleware.stack import Next, Operations, Step, event_of, header, operation_of
from wavecrawl.api.middleware.wrong_keys import WrongKeys
from wavecrawl.api.problems import JSON, Problem
from wavecrawl.api.routing import WITH_BODY, Operation
from wavecrawl.application.api_keys import Caller, authenticate
from wavecrawl.domain.counts import counted
from wavecrawl.domain.tenants.role import Role

WINDOW = 60.0
"""Period of the rate limit in seconds."""

TENANT_FACTOR = 3
"""Rate limit of all keys of a tenant together, as a multiple of the limit of one key."""

_RANK = {Role.READ: 0, Role.TENANT: 1, Role.ADMIN: 2}


def authentication(backend: Backend, operations: Operations, wrong_keys: WrongKeys) -> Step:
    """Return the middleware that admits authenticated callers whose role permits the operation."""

    def admit(app: APIGatewayHttpResolver, next_middleware: Next) -> Response[Any]:
        operation = operation_of(app, operations)
        if operation is None and app.request.method == "OPTIONS" and backend.settings.cors_origins:
            return next_middleware(app)
        if operation is None or operation.needs is not None:
            caller = limited_caller(backend, event_of(app).raw_event, wrong_keys)
            app.context["caller"] = caller
            _count_request(app, backend, caller)
            if operation is None:
                raise _no_route(app.request.method, event_of(app).path, operations)
            _check_role(caller, operation)
        if operation.needs is not None:
            _check_parameters(app, operation)
        body = http_request(event_of(app).raw_event, max_body=backend.settings.max_body_bytes).body
        if operation.body_is_optional and not body.strip():
            event_of(app).raw_event.update(body="{}", isBase64Encoded=False)
        elif operation.has_body:
            _check_body(body, header(app, "content-type"))
        elif operation.method in WITH_BODY and body.strip() not in (b"", b"{}"):
            raise Problem(HTTPStatus.BAD_REQUEST, "the operation takes no body; send the request without one")
        return next_middleware(app)

    return admit


def limited_caller(backend: Backend, event: Mapping[str, Any], wrong_keys: WrongKeys) -> Caller:
    """Return who sends a request; raise Problem 401 without a valid API key, 429 after too many such requests."""
    now, limit = backend.clock.now(), backend.settings.wrong_keys_a_minute
    address = _address(event)
    if (wait := ceil(wrong_keys.wait(address, limit=limit, now=now))) > 0:
        sent, later = counted(limit, "request"), counted(wait, "second")
        detail = f"{sent} from your address had no valid API key within a minute; retry in {later}"
        raise Problem(HTTPStatus.TOO_MANY_REQUESTS, detail, headers={"retry-after": str(wait)})
    try:
        return caller_of(backend, event["headers"].get("authorization", ""))
    except Problem:
        wrong_keys.count(address, window=WINDOW, now=now)
        raise


def has_valid_key(backend: Backend, event: Mapping[str, Any], wrong_keys: WrongKeys) -> bool:
    """Return whether `limited_caller` would return a caller. A wrong key is not counted."""
    limit, now = backend.settings.wrong_keys_a_minute, backend.clock.now()
    if wrong_keys.wait(_address(event), limit=limit, now=now) > 0:
        return False
    try:
        caller_of(backend, event["headers"].get("authorization", ""))
    except Problem:
        return False
    return True


def caller_of(backend: Backend, authorization: str) -> Caller:
    """Return who sends a request with this header; raise Problem 401 without a valid API key."""
    scheme, _, key = authorization.partition(" ")
    caller = None
    if scheme.lower() == "bearer" and key.strip():
        caller = authenticate(
            key.strip(),
            keys=backend.keys,
            tenants=backend.tenants,
            operator_keys=backend.operator_keys,
            operator_tenant=backend.settings.tenant,
            now=backend.clock.now(),
        )
    if caller is None:
        raise Problem(
            HTTPStatus.UNAUTHORIZED,
            "an API key is required: Authorization: Bearer <key>",
            headers={"www-authenticate": "Bearer"},
        )
    return caller


def _address(event: Mapping[str, Any]) -> str:
    address: str = event["requestContext"]["http"].get("sourceIp", "")
    return address


def _count_request(app: APIGatewayHttpResolver, backend: Backend, caller: Caller) -> None:
    """Count the request against the limits of its key and tenant. Headers: draft-ietf-httpapi-ratelimit-headers-10."""
    limit, now = backend.settings.requests_a_minute, backend.clock.now()
    of_all = TENANT_FACTOR * limit
    turn = backend.rate_limits.take(caller.tenant, caller.key_id, limit=limit, of_all=of_all, window=WINDOW, now=now)
    wait = max(1, round(turn.resets_at - now))
    headers = {
        "ratelimit-policy": f'"key";q={limit};w={WINDOW:.0f}, "tenant";q={of_all};w={WINDOW:.0f}',
        "ratelimit": f'"key";r={turn.remaining};t={wait}, "tenant";r={turn.of_all};t={wait}',
    }
    app.context["turn"] = headers
    if not turn.allowed:
        who, most = ("all keys of the tenant together", of_all) if turn.remaining else ("the API key", limit)
        detail = f"{who} can send {counted(most, 'request')} per minute; retry in {counted(wait, 'second')}"
        raise Problem(HTTPStatus.TOO_MANY_REQUESTS, detail, headers={"retry-after": str(wait)})


def _check_role(caller: Caller, operation: Operation) -> None:
    if operation.needs is not None and _RANK[caller.role] < _RANK[operation.needs]:
        detail = f"the operation needs role {operation.needs.value}; the API key has role {caller.role.value}"
        raise Problem(HTTPStatus.FORBIDDEN, detail)


def _check_parameters(app: APIGatewayHttpResolver, operation: Operation) -> None:
    """Reject unknown parameters: a misspelled filter would otherwise return everything."""
    unknown = sorted(event_of(app).query_string_parameters.keys() - operation.query)
    if unknown:
        errors = [f"{name}: unknown parameter" for name in unknown]
        raise Problem(HTTPStatus.BAD_REQUEST, "; ".join(errors), errors=errors)


def _no_route(method: str, path: str, operations: Operations) -> Problem:
    allowed = sorted(one.method for one in operations.values() if _matches(one.path, path))
    if not allowed or method in allowed:  # an ID with characters that no route matches
        return Problem(HTTPStatus.NOT_FOUND, f"{path} does not exist")
    detail = f"{path} supports {', '.join(allowed)}, not {method}"
    return Problem(HTTPStatus.METHOD_NOT_ALLOWED, detail, headers={"allow": ", ".join(allowed)})


def _matches(pattern: str, path: str) -> bool:
    parts, given = pattern.split("/"), path.split("/")
    return len(parts) == len(given) and all(
        part.startswith("{") or part == one for part, one in zip(parts, given, strict=True)
    )


def _check_body(body: bytes, content_type: str) -> None:
    kind = content_type.partition(";")[0].strip().lower()
    if kind != JSON:
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send {JSON}, not {kind or 'a body without content-type'}")
    try:
        document = json.loads(body.decode(), parse_constant=_no_number)
        json.dumps(document, ensure_ascii=False).encode()  # fails for lone surrogates
    except (ValueError, RecursionError) as error:
        raise Problem(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise Problem(HTTPStatus.BAD_REQUEST, "the body must be a JSON object")


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a JSON number (RFC 8259 section 6)")
