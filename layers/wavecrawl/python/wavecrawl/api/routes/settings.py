"""The settings and the usage of a tenant."""

from http import HTTPStatus

from wavecrawl.api.backend import Backend
from wavecrawl.api.routing import Routes
from wavecrawl.api.serializers.tenants import settings_model, updated_settings, usage_model
from wavecrawl.api_models.tenants import TenantSettings, TenantSettingsUpdate, Usage
from wavecrawl.application.tenants import TenantChange, change_tenant, tenant_of, usage_of
from wavecrawl.ports.tenants import TenantRow


def settings_routes(backend: Backend) -> Routes:
    """Return the routes of settings and usage."""
    routes = Routes(backend, tag="Settings")
    own = backend.settings.tenant

    @routes.on("GET", "/v1/settings", summary="Get the settings")
    def get_settings() -> TenantSettings:
        """Get the defaults of the tenant's sites and crawls."""
        return settings_model(_caller(routes).settings)

    @routes.on("PATCH", "/v1/settings", summary="Update the settings", problems=(HTTPStatus.CONFLICT,))
    def update_settings(update: TenantSettingsUpdate) -> TenantSettings:
        """Update the defaults of the tenant's sites and crawls. Existing sites keep their schedules.

        Returns 409 if another request updated the tenant at the same time. Send the request again.
        """
        old = _caller(routes)
        changed = change_tenant(
            old.tenant,
            TenantChange(settings=updated_settings(old.settings, update)),
            tenants=backend.tenants,
            own=own,
            now=backend.clock.now(),
        )
        return settings_model(changed.settings)

    @routes.on("GET", "/v1/usage", summary="Get the usage")
    def get_usage() -> Usage:
        """Get the tenant's usage of the current month and the limits of its plan."""
        tenant, now = routes.caller.tenant, backend.clock.now()
        return usage_model(usage_of(tenant, tenants=backend.tenants, own=own, now=now))

    return routes


def _caller(routes: Routes) -> TenantRow:
    backend = routes.backend
    return tenant_of(routes.caller.tenant, tenants=backend.tenants, own=backend.settings.tenant)
