"""The API keys of a tenant."""

from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from wavecrawl.api.backend import Backend
from wavecrawl.api.routing import PAGE, CursorQuery, LimitQuery, Routes, respond
from wavecrawl.api.serializers.tenants import caller_detail, key_model, key_with_secret
from wavecrawl.api_models.tenants import ApiKeyList, ApiKeyWithSecret, CallerDetail, KeyRotation, NewApiKey
from wavecrawl.application import api_keys
from wavecrawl.domain.tenants.role import Role

KeyName = Annotated[str, Path(description="ID of an API key.")]
_DAY: Final = 86_400.0


def key_routes(backend: Backend) -> Routes:
    """Return the routes of API keys."""
    routes = Routes(backend, tag="API keys")

    @routes.on("GET", "/v1/me", summary="Get the caller")
    def get_caller() -> CallerDetail:
        """Get the tenant and the role of the request's API key, and what the deployment offers."""
        return caller_detail(routes.caller, tenants=backend.tenants, operator=backend.settings)

    @routes.on("GET", "/v1/keys", summary="List API keys", needs=Role.TENANT)
    def list_keys(cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> ApiKeyList:
        """List the tenant's API keys, ordered by ID.

        Expired and revoked keys are listed for at least 30 days after they expired or were revoked.
        """
        return list_page(routes, routes.caller.tenant, cursor, limit)

    @routes.on("POST", "/v1/keys", summary="Create an API key", status=HTTPStatus.CREATED, secret=True)
    def create_key(key: NewApiKey) -> Response[ApiKeyWithSecret]:
        """Create an API key. The response contains its secret, which is shown once.

        Returns 403 if the role exceeds the role of the caller's key. Returns 409 if the tenant has 100 active keys.
        """
        return created(routes, routes.caller.tenant, key)

    @routes.on(
        "DELETE",
        "/v1/keys/{key}",
        summary="Revoke an API key",
        status=HTTPStatus.NO_CONTENT,
        problems=(HTTPStatus.NOT_FOUND,),
    )
    def revoke_key(key: KeyName) -> Response[None]:
        """Revoke an API key. Takes effect immediately. The key is listed for at least 30 days after that."""
        return revoked(routes, routes.caller.tenant, key)

    @routes.on(
        "POST",
        "/v1/keys/{key}/rotate",
        summary="Rotate an API key",
        status=HTTPStatus.CREATED,
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
        secret=True,
    )
    def rotate_key(key: KeyName, rotation: KeyRotation) -> Response[ApiKeyWithSecret]:
        """Create a new API key of the same role and name. The previous key expires after the grace period.

        The response contains the secret of the new key, which is shown once. Returns 409 if the previous key
        has expired or was revoked.
        """
        caller = routes.caller
        new = api_keys.rotate_key(
            caller.tenant,
            key,
            keys=backend.keys,
            now=backend.clock.now(),
            grace=rotation.grace_seconds,
            by=caller.role,
        )
        return respond(key_with_secret(new), status=HTTPStatus.CREATED)

    return routes


def list_page(routes: Routes, tenant: str, cursor: str | None, limit: int) -> ApiKeyList:
    """Return a page of the list of a tenant's API keys."""
    position = routes.position(cursor)
    rows = [row for row in routes.backend.keys.of_tenant(tenant) if row.id > position]
    following = routes.cursor(rows[limit - 1].id) if len(rows) > limit else None
    return ApiKeyList(keys=[key_model(row) for row in rows[:limit]], next_cursor=following)


def created(routes: Routes, tenant: str, key: NewApiKey) -> Response[ApiKeyWithSecret]:
    """Create an API key of a tenant and return the response."""
    now = routes.backend.clock.now()
    new = api_keys.create_key(
        tenant,
        role=key.role,
        name=key.name,
        keys=routes.backend.keys,
        now=now,
        expires_at=now + key.expires_in_days * _DAY if key.expires_in_days else 0.0,
        by=routes.caller.role,
    )
    return respond(key_with_secret(new), status=HTTPStatus.CREATED)


def revoked(routes: Routes, tenant: str, key: str) -> Response[None]:
    """Revoke an API key of a tenant and return the response."""
    backend = routes.backend
    api_keys.revoke_key(tenant, key, keys=backend.keys, now=backend.clock.now(), by=routes.caller.role)
    return respond(None, status=HTTPStatus.NO_CONTENT)
