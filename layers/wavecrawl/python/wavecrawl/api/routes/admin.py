"""What the operator does: tenants, and their keys. All of it takes a key of role `admin`."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from wavecrawl.api.backend import Backend
from wavecrawl.api.routes.keys import KeyName, key_list, made, revoked
from wavecrawl.api.routing import PAGE, CursorQuery, LimitQuery, Routes, answer
from wavecrawl.api_models.tenants import (
    ApiKeyList,
    ApiKeyWithSecret,
    NewApiKey,
    NewTenant,
    Tenant,
    TenantChangeModel,
    TenantInFull,
    TenantList,
    shown_tenant,
    shown_usage,
)
from wavecrawl.application.create_tenant import TenantChange, change_tenant, create_tenant
from wavecrawl.application.tenant_terms import tenant_of
from wavecrawl.application.tenant_usage import usage_of
from wavecrawl.ports.tenants import TenantRow

TenantName = Annotated[str, Path(description="the id of a tenant")]
_MISSING = (HTTPStatus.NOT_FOUND,)


def admin_routes(backend: Backend) -> Routes:
    """Return the operator's routes."""
    routes = Routes(backend, tag="admin")
    _on_tenants(routes)
    _on_keys(routes)
    return routes


def _on_tenants(routes: Routes) -> None:
    backend = routes.backend
    own = backend.settings.tenant

    @routes.on("GET", "/v1/admin/tenants", summary="List tenants")
    def list_tenants(cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> TenantList:
        """List the tenants that were made, by id."""
        rows = backend.tenants.listed(limit=limit + 1, after=routes.position(cursor))
        following = routes.cursor(rows[limit - 1].tenant) if len(rows) > limit else None
        return TenantList(tenants=[shown_tenant(row) for row in rows[:limit]], next_cursor=following)

    @routes.on("POST", "/v1/admin/tenants", summary="Make a tenant", status=HTTPStatus.CREATED)
    def make_tenant(tenant: NewTenant) -> Response[Tenant]:
        """Make a tenant. It needs a key before it can do anything. 409: the id is taken."""
        now = backend.clock.now()
        row = create_tenant(tenant.tenant, name=tenant.name or "", plan=tenant.plan, tenants=backend.tenants, now=now)
        headers = {"location": f"/v1/admin/tenants/{row.tenant}"}
        return answer(shown_tenant(row), status=HTTPStatus.CREATED, headers=headers)

    @routes.on("GET", "/v1/admin/tenants/{tenant}", summary="Look at a tenant", problems=_MISSING)
    def read_tenant(tenant: TenantName) -> TenantInFull:
        """Return a tenant, and what it has used of its month."""
        row = _tenant(routes, tenant)
        used = usage_of(tenant, tenants=backend.tenants, own=own, now=backend.clock.now())
        return TenantInFull(**dict(shown_tenant(row)), usage=shown_usage(used))

    @routes.on(
        "PATCH",
        "/v1/admin/tenants/{tenant}",
        summary="Change a tenant",
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def change_a_tenant(tenant: TenantName, change: TenantChangeModel) -> Tenant:
        """Change a tenant's name, plan, or whether it is disabled. 409: somebody else changed it meanwhile."""
        wanted = TenantChange(name=change.name, plan=change.plan, disabled=change.disabled)
        return shown_tenant(change_tenant(tenant, wanted, tenants=backend.tenants, own=own, now=backend.clock.now()))


def _on_keys(routes: Routes) -> None:
    @routes.on("GET", "/v1/admin/tenants/{tenant}/keys", summary="List a tenant's keys", problems=_MISSING)
    def list_keys_of_tenant(tenant: TenantName, cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> ApiKeyList:
        """List a tenant's keys by id, those that ended within the last month too."""
        return key_list(routes, _tenant(routes, tenant).tenant, cursor, limit)

    @routes.on(
        "POST",
        "/v1/admin/tenants/{tenant}/keys",
        summary="Make a key of a tenant",
        status=HTTPStatus.CREATED,
        problems=_MISSING,
        secret=True,
    )
    def make_key_of_tenant(tenant: TenantName, key: NewApiKey) -> Response[ApiKeyWithSecret]:
        """Make a key of a tenant. It is shown this once."""
        return made(routes, _tenant(routes, tenant).tenant, key)

    @routes.on(
        "DELETE",
        "/v1/admin/tenants/{tenant}/keys/{key}",
        summary="Revoke a key of a tenant",
        status=HTTPStatus.NO_CONTENT,
        problems=_MISSING,
    )
    def revoke_key_of_tenant(tenant: TenantName, key: KeyName) -> Response[None]:
        """End a key of a tenant, at once."""
        return revoked(routes, _tenant(routes, tenant).tenant, key)


def _tenant(routes: Routes, tenant: str) -> TenantRow:
    backend = routes.backend
    return tenant_of(tenant, tenants=backend.tenants, own=backend.settings.tenant)
