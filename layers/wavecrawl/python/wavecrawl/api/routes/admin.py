"""Tenants, their settings and their API keys, for the operator. These routes need a key of role `admin`."""

from http import HTTPStatus
from secrets import token_hex
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from wavecrawl.api.backend import Backend
from wavecrawl.api.routes.keys import KeyName, created, list_page, revoked
from wavecrawl.api.routes.settings import CHANGING, settings_of, updated
from wavecrawl.api.routing import PAGE, CursorQuery, LimitQuery, Routes, respond
from wavecrawl.api.serializers.controls import controls_model, updated_controls
from wavecrawl.api.serializers.sites import new_site
from wavecrawl.api.serializers.tenants import created_tenant, signed_up, tenant_model, usage_model
from wavecrawl.api_models.controls import Controls, ControlsUpdate
from wavecrawl.api_models.sites import NewSite
from wavecrawl.api_models.tenants import (
    ApiKeyList,
    ApiKeyWithSecret,
    CreatedTenant,
    NewApiKey,
    NewTenant,
    Tenant,
    TenantDetail,
    TenantList,
    TenantSettings,
    TenantSettingsUpdate,
    TenantUpdate,
)
from wavecrawl.application import tenants
from wavecrawl.application.crawl_settings import require_costs
from wavecrawl.application.operator_controls import change_controls
from wavecrawl.application.sign_up import SignUp, sign_up
from wavecrawl.application.start_crawl import crawl_id_at
from wavecrawl.application.tenants import TenantChange, change_tenant, tenant_of, usage_of
from wavecrawl.errors import InvalidInputError, InvalidUrlError
from wavecrawl.ports.tenants import TenantRow
from wavecrawl.telemetry import about, count

TenantName = Annotated[str, Path(description="ID of a tenant.")]
_MISSING = (HTTPStatus.NOT_FOUND,)
_TAKEN = (HTTPStatus.CONFLICT,)


def admin_routes(backend: Backend) -> Routes:
    """Return the routes of tenants and their keys."""
    routes = Routes(backend, tag="Tenants")
    _on_tenants(routes)
    _on_settings(routes)
    _on_keys(routes)
    _on_controls(routes)
    return routes


def _on_tenants(routes: Routes) -> None:
    backend = routes.backend
    own = backend.settings.tenant

    @routes.on("GET", "/v1/admin/tenants", summary="List tenants")
    def list_tenants(cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> TenantList:
        """List tenants, ordered by ID.

        The operator's own tenant always exists. It is listed only after its first update.
        """
        rows = backend.tenants.listed(limit=limit + 1, after=routes.position(cursor))
        following = routes.cursor(rows[limit - 1].tenant) if len(rows) > limit else None
        return TenantList(tenants=[tenant_model(row) for row in rows[:limit]], next_cursor=following)

    @routes.on(
        "POST", "/v1/admin/tenants", summary="Create a tenant", status=HTTPStatus.CREATED, problems=_TAKEN, secret=True
    )
    def create_tenant(tenant: NewTenant) -> Response[CreatedTenant]:
        """Create a tenant. To use the API, it needs an API key: see `create_tenant_key`.

        With `website`, also create its first site, start a crawl of it, and create an API key:
        `{"tenant": "acme", "website": "https://example.com/"}`. The response contains
        the secret of the key, which is shown once. If the request is invalid, nothing is created.

        Returns 409 if the ID is taken. If a request with `website` was interrupted, a repeat with the same
        `idempotency-key` continues it.
        """
        if tenant.website is not None:
            return _created(signed_up(_signed_up(routes, tenant, tenant.website)))
        routes.shows_no_secret()
        now = backend.clock.now()
        row = tenants.create_tenant(
            tenant.tenant, name=tenant.name or "", plan=tenant.plan, tenants=backend.tenants, now=now
        )
        return _created(created_tenant(row))

    @routes.on("GET", "/v1/admin/tenants/{tenant}", summary="Get a tenant", problems=_MISSING)
    def get_tenant(tenant: TenantName) -> TenantDetail:
        """Get a tenant with its usage of the current month."""
        row = _tenant(routes, tenant)
        used = usage_of(tenant, tenants=backend.tenants, spending=backend.spending, own=own, now=backend.clock.now())
        return TenantDetail(**dict(tenant_model(row)), usage=usage_model(used))

    @routes.on(
        "PATCH",
        "/v1/admin/tenants/{tenant}",
        summary="Update a tenant",
        problems=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )
    def update_tenant(tenant: TenantName, update: TenantUpdate) -> Tenant:
        """Update the name or plan of a tenant, disable it or enable it.

        Returns 409 if another request updated the tenant at the same time. Send the request again.
        """
        if update.budget_usd_a_month:
            require_costs(backend.settings)
        changes = TenantChange(
            name=update.name,
            plan=update.plan,
            disabled=update.disabled,
            max_running_crawls=update.max_running_crawls,
            maximums=update.maximums,
            may_ignore_robots=update.may_ignore_robots,
            may_name_crawlers=update.may_name_crawlers,
            budget_usd_a_month=update.budget_usd_a_month,
        )
        return tenant_model(change_tenant(tenant, changes, tenants=backend.tenants, own=own, now=backend.clock.now()))


def _on_controls(routes: Routes) -> None:
    backend = routes.backend

    @routes.on("GET", "/v1/admin/controls", summary="Get the operator's controls")
    def get_controls() -> Controls:
        """Get what the operator forbids for all tenants, and what all crawls have cost this month."""
        return controls_model(backend.controls.read(), backend)

    @routes.on("PATCH", "/v1/admin/controls", summary="Update the operator's controls", problems=(HTTPStatus.CONFLICT,))
    def update_controls(update: ControlsUpdate) -> Controls:
        """Stop all crawls, deny requests to hosts, or limit the costs of a month.

        Takes effect for new crawls immediately, and for crawls that are running within a minute: requests to denied
        hosts end, and crawls that must end do so at their next wave.

        Returns 409 if another request updated the controls at the same time. Send the request again.
        """
        if update.budget_usd_a_month:
            require_costs(backend.settings)
        changed = change_controls(lambda old: updated_controls(old, update), backend.controls)
        return controls_model(changed, backend)


def _on_settings(routes: Routes) -> None:
    backend = routes.backend
    path = "/v1/admin/tenants/{tenant}/settings"

    @routes.on("GET", path, summary="Get the settings of a tenant", problems=_MISSING)
    def get_tenant_settings(tenant: TenantName) -> TenantSettings:
        """Get the defaults of a tenant's sites and crawls."""
        return settings_of(backend, tenant)

    @routes.on("PATCH", path, summary="Update the settings of a tenant", problems=(*_MISSING, *CHANGING))
    def update_tenant_settings(tenant: TenantName, update: TenantSettingsUpdate) -> TenantSettings:
        """Update the defaults of a tenant's sites and crawls, as `update_settings` does for the caller's own tenant."""
        return updated(backend, tenant, update)


def _on_keys(routes: Routes) -> None:
    @routes.on("GET", "/v1/admin/tenants/{tenant}/keys", summary="List the API keys of a tenant", problems=_MISSING)
    def list_tenant_keys(tenant: TenantName, cursor: CursorQuery = None, limit: LimitQuery = PAGE) -> ApiKeyList:
        """List the API keys of a tenant, ordered by ID. Expired and revoked keys are listed for at least 30 days."""
        return list_page(routes, _tenant(routes, tenant).tenant, cursor, limit)

    @routes.on(
        "POST",
        "/v1/admin/tenants/{tenant}/keys",
        summary="Create an API key of a tenant",
        status=HTTPStatus.CREATED,
        problems=_MISSING,
        secret=True,
    )
    def create_tenant_key(tenant: TenantName, key: NewApiKey) -> Response[ApiKeyWithSecret]:
        """Create an API key of a tenant. The response contains its secret, which is shown once."""
        return created(routes, _tenant(routes, tenant).tenant, key)

    @routes.on(
        "DELETE",
        "/v1/admin/tenants/{tenant}/keys/{key}",
        summary="Revoke an API key of a tenant",
        status=HTTPStatus.NO_CONTENT,
        problems=_MISSING,
    )
    def revoke_tenant_key(tenant: TenantName, key: KeyName) -> Response[None]:
        """Revoke an API key of a tenant. Takes effect immediately."""
        return revoked(routes, _tenant(routes, tenant).tenant, key)


def _signed_up(routes: Routes, tenant: NewTenant, website: str) -> SignUp:
    backend = routes.backend
    try:
        site = new_site(NewSite(url=website), tenant=tenant.tenant)
        crawl = routes.decided(crawl_id_at(backend.clock.now(), token_hex(8)))
        new = sign_up(
            site, name=tenant.name or "", plan=tenant.plan, crawl=crawl, ports=backend, operator=backend.settings
        )
    except InvalidUrlError as error:
        raise InvalidInputError(f"website: {error}") from error
    about(new.crawl.id)
    count("CrawlsStarted")
    return new


def _created(tenant: CreatedTenant) -> Response[CreatedTenant]:
    return respond(tenant, status=HTTPStatus.CREATED, headers={"location": f"/v1/admin/tenants/{tenant.tenant}"})


def _tenant(routes: Routes, tenant: str) -> TenantRow:
    backend = routes.backend
    return tenant_of(tenant, tenants=backend.tenants, own=backend.settings.tenant)
