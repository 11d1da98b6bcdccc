"""Middleware for Idempotency-Key: a repeated POST is executed once and gets the first response again.

https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07
"""

import json
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from wavecrawl.api.backend import Backend
from wavecrawl.api.middleware.stack import Next, Operations, Step, event_of, operation_of, written
from wavecrawl.api.problems import PROBLEM_JSON, RETRY_AFTER, Problem
from wavecrawl.api.routing import DECIDE, NO_SECRET
from wavecrawl.ports.repeats import KEPT, KeptAnswer, Seen

KEY: Final = "idempotency-key"
LONGEST_KEY: Final = 255
"""Characters."""

_WORKING: Final = 30.0  # seconds: the limit of API Gateway for a request


def idempotency(backend: Backend, operations: Operations) -> Step:
    """Return the middleware that returns the stored response of a repeated POST."""

    def once(app: APIGatewayHttpResolver, next_middleware: Next) -> Response[Any]:
        operation, key = operation_of(app, operations), event_of(app).headers.get(KEY)
        if operation is None or operation.method != "POST" or operation.needs is None or key is None:
            return next_middleware(app)
        _check(key)
        tenant, fingerprint = app.context["caller"].tenant, _fingerprint(app)
        now = backend.clock.now()
        begun = backend.repeats.begin(tenant, key, fingerprint=fingerprint, now=now, seconds=_WORKING)
        if isinstance(begun, Seen):
            return _again(begun, fingerprint)
        app.context[DECIDE] = partial(_decided, backend, tenant, f"{key}\0{fingerprint}")
        try:
            response = written(next_middleware(app))
        except Exception:
            backend.repeats.forget(begun)
            raise
        kept = _shown_once() if operation.secret and NO_SECRET not in app.context else _kept(response)
        backend.repeats.keep(begun, kept, now=backend.clock.now())
        return response

    return once


def _decided(backend: Backend, tenant: str, request: str, candidate: str) -> str:
    """Return the ID that the first attempt at a request chose, as that attempt may have been interrupted.

    Keys of clients contain no zero byte, so `request` is not the key of another request.
    """
    begun = backend.repeats.begin(tenant, request, fingerprint=candidate, now=backend.clock.now(), seconds=KEPT)
    return begun.fingerprint if isinstance(begun, Seen) else candidate


def _check(key: str) -> None:
    if not 1 <= len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        detail = f"{KEY}: must be 1 to {LONGEST_KEY} printable ASCII characters, such as a UUID"
        raise Problem(HTTPStatus.BAD_REQUEST, detail)


def _fingerprint(app: APIGatewayHttpResolver) -> str:
    event = event_of(app)
    # The body is not decoded: routes without a body may receive any bytes.
    sent = (event.path, event.raw_query_string or "", event.body or "")
    return sha256(json.dumps(sent).encode()).hexdigest()


def _again(seen: Seen, fingerprint: str) -> Response[Any]:
    if seen.fingerprint != fingerprint:
        detail = f"{KEY}: was used for a different request; send a new key"
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail)
    if seen.answer is None:
        detail = f"{KEY}: the first request with this key is still being processed"
        raise Problem(HTTPStatus.CONFLICT, detail, headers={"retry-after": RETRY_AFTER})
    headers: Mapping[str, str] = {**seen.answer.headers, "idempotency-replayed": "true"}
    return Response(status_code=seen.answer.status, content_type=None, body=seen.answer.body, headers=dict(headers))


def _kept(response: Response[Any]) -> KeptAnswer:
    body = response.body if isinstance(response.body, str) else ""
    headers = {name: value for name, value in response.headers.items() if isinstance(value, str)}
    return KeptAnswer(status=response.status_code, body=body, headers=headers)


def _shown_once() -> KeptAnswer:
    detail = "the request was executed before; its response contained a secret, which is shown once"
    problem = Problem(HTTPStatus.CONFLICT, detail)
    return KeptAnswer(
        status=problem.status.value, body=json.dumps(problem.document()), headers={"Content-Type": PROBLEM_JSON}
    )
