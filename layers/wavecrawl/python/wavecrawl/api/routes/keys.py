"""A tenant's API keys: list, make, rotate, revoke."""

from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from wavecrawl.api.backend import Backend
from wavecrawl.api.routing import PAGE, CursorQuery, LimitQuery, Routes, answer
from wavecrawl.api_models.tenants import (
    ApiKeyList,
    ApiKeyWithSecret,
    NewApiKey,
    Rotation,
    shown_key,
    shown_once,
)
from wavecrawl.application.create_key import create_key
from wavecrawl.application.revoke_key import revoke_key
from wavecrawl.application.rotate_key import rotate_key
from wavecrawl.domain.tenants.role import Role

KeyName = Annotated[str, Path(description="the id of a key")]
_DAY: Final = 86_400.0


def key_routes(backend: Backend) -> Routes:
    """Return the routes of keys."""
    routes = Routes(backend, tag="keys")

    @routes.on("GET", "/v1/keys", summary="List keys", needs=Role.TENANT)
    def list_keys(cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> ApiKeyList:
        """List the tenant's keys by id, those that ended within the last month too."""
        return key_list(routes, routes.caller.tenant, cursor, limit)

    @routes.on("POST", "/v1/keys", summary="Make a key", status=HTTPStatus.CREATED, secret=True)
    def make_key(key: NewApiKey) -> Response[ApiKeyWithSecret]:
        """Make a key of the tenant. It is shown this once. 403: its role is more than that of the key that asks."""
        return made(routes, routes.caller.tenant, key)

    @routes.on(
        "DELETE",
        "/v1/keys/{key}",
        summary="Revoke a key",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND,),
    )
    def revoke_a_key(key: KeyName) -> Response[None]:
        """End a key, at once. It stays in the list for a month."""
        return revoked(routes, routes.caller.tenant, key)

    @routes.on(
        "POST",
        "/v1/keys/{key}/rotate",
        summary="Rotate a key",
        status=HTTPStatus.CREATED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
        secret=True,
    )
    def rotate_a_key(key: KeyName, rotation: Rotation) -> Response[ApiKeyWithSecret]:
        """Make a new key of the same role and name, shown this once; the old one ends after the grace."""
        caller = routes.caller
        new = rotate_key(
            caller.tenant,
            key,
            keys=backend.keys,
            now=backend.clock.now(),
            grace=rotation.grace_seconds,
            by=caller.role,
        )
        return answer(shown_once(new), status=HTTPStatus.CREATED)

    return routes


def key_list(routes: Routes, tenant: str, cursor: str | None, limit: int) -> ApiKeyList:
    """Return a page of a tenant's keys."""
    position = routes.position(cursor)
    rows = [row for row in routes.backend.keys.of_tenant(tenant) if row.id > position]
    following = routes.cursor(rows[limit - 1].id) if len(rows) > limit else None
    return ApiKeyList(keys=[shown_key(row) for row in rows[:limit]], next_cursor=following)


def made(routes: Routes, tenant: str, asked: NewApiKey) -> Response[ApiKeyWithSecret]:
    """Make a key of a tenant."""
    now = routes.backend.clock.now()
    new = create_key(
        tenant,
        role=asked.role,
        name=asked.name,
        keys=routes.backend.keys,
        now=now,
        expires_at=now + asked.expires_in_days * _DAY if asked.expires_in_days else 0.0,
        by=routes.caller.role,
    )
    return answer(shown_once(new), status=HTTPStatus.CREATED)


def revoked(routes: Routes, tenant: str, key: str) -> Response[None]:
    """Revoke a key of a tenant."""
    backend = routes.backend
    revoke_key(tenant, key, keys=backend.keys, now=backend.clock.now(), by=routes.caller.role)
    return answer(None, status=HTTPStatus.NO_CONTENT)
