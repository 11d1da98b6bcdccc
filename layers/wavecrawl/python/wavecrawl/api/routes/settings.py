"""A tenant's own settings, and what it has used of its month."""

from http import HTTPStatus

from wavecrawl.api.backend import Backend
from wavecrawl.api.routing import Routes
from wavecrawl.api_models.tenants import (
    Settings,
    SettingsChange,
    Usage,
    changed_settings,
    shown_settings,
    shown_usage,
)
from wavecrawl.application.create_tenant import TenantChange, change_tenant
from wavecrawl.application.tenant_terms import tenant_of
from wavecrawl.application.tenant_usage import usage_of
from wavecrawl.ports.tenants import TenantRow


def settings_routes(backend: Backend) -> Routes:
    """Return the routes of a tenant's settings."""
    routes = Routes(backend, tag="settings")
    own = backend.settings.tenant

    @routes.on("GET", "/v1/settings", summary="Look at the settings")
    def read_settings() -> Settings:
        """Return what the tenant's sites and crawls start from, unless they say otherwise."""
        return shown_settings(_caller(routes).settings)

    @routes.on("PATCH", "/v1/settings", summary="Change the settings", problems=(HTTPStatus.CONFLICT,))
    def change_settings(change: SettingsChange) -> Settings:
        """Change the settings that are named; null puts a default back. 409: somebody else changed them meanwhile."""
        old = _caller(routes)
        changed = change_tenant(
            old.tenant,
            TenantChange(settings=changed_settings(old.settings, change)),
            tenants=backend.tenants,
            own=own,
            now=backend.clock.now(),
        )
        return shown_settings(changed.settings)

    @routes.on("GET", "/v1/usage", summary="Look at the month's usage")
    def read_usage() -> Usage:
        """Return what the tenant has used of its month, and what its plan allows."""
        tenant, now = routes.caller.tenant, backend.clock.now()
        return shown_usage(usage_of(tenant, tenants=backend.tenants, own=own, now=now))

    return routes


def _caller(routes: Routes) -> TenantRow:
    backend = routes.backend
    return tenant_of(routes.caller.tenant, tenants=backend.tenants, own=backend.settings.tenant)
