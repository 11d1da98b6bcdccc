"""The settings and the usage of a tenant."""

from http import HTTPStatus
from typing import Final

from wavecrawl.api.backend import Backend
from wavecrawl.api.routing import Routes
from wavecrawl.api.serializers.tenants import settings_model, updated_settings, usage_model
from wavecrawl.api_models.tenants import TenantSettings, TenantSettingsUpdate, Usage
from wavecrawl.application.sites import renew_schedules
from wavecrawl.application.tenants import change_settings, tenant_of, usage_of

CHANGING: Final = (HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.CONFLICT)
"""Status codes of a change of settings that fails, in addition to those of all routes."""


def settings_routes(backend: Backend) -> Routes:
    """Return the routes of settings and usage."""
    routes = Routes(backend, tag="Settings")
    own = backend.settings.tenant

    @routes.on("GET", "/v1/settings", summary="Get the settings")
    def get_settings() -> TenantSettings:
        """Get the defaults of the tenant's sites and crawls."""
        return settings_of(backend, routes.caller.tenant)

    @routes.on("PATCH", "/v1/settings", summary="Update the settings", problems=CHANGING)
    def update_settings(update: TenantSettingsUpdate) -> TenantSettings:
        """Update the defaults of the tenant's sites and crawls.

        They apply to the next crawls of existing sites too, unless a site has a value of its own. A new schedule takes
        effect immediately, for all sites without a schedule of their own.

        Returns 402 if a limit of the plan is exceeded. Returns 409 if another request updated the tenant at the same
        time. Returns 503 if too many sites have the schedule to renew it in one request. Send the request again until
        it succeeds.
        """
        return updated(backend, routes.caller.tenant, update)

    @routes.on("GET", "/v1/usage", summary="Get the usage")
    def get_usage() -> Usage:
        """Get the tenant's usage of the current month and the limits of its plan."""
        tenant, now = routes.caller.tenant, backend.clock.now()
        return usage_model(usage_of(tenant, tenants=backend.tenants, spending=backend.spending, own=own, now=now))

    return routes


def settings_of(backend: Backend, tenant: str) -> TenantSettings:
    """Return the settings of a tenant; raise NotFoundError if there is no such tenant."""
    return settings_model(tenant_of(tenant, tenants=backend.tenants, own=backend.settings.tenant).settings)


def updated(backend: Backend, tenant: str, update: TenantSettingsUpdate) -> TenantSettings:
    """Update the settings of a tenant; return them. Raise as `change_settings` and `renew_schedules`."""
    old = tenant_of(tenant, tenants=backend.tenants, own=backend.settings.tenant)
    new, now = updated_settings(old.settings, update), backend.clock.now()
    changed = change_settings(old, new, tenants=backend.tenants, operator=backend.settings, now=now)
    renew_schedules(changed, backend)
    return settings_model(changed.settings)
