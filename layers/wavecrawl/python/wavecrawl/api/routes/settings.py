"""A tenant's own settings, and what it has used of its month."""

from http import HTTPStatus

from wavecrawl.api.routing import Routes
from wavecrawl.api.service import Service
from wavecrawl.api_models.tenants import (
    Settings,
    SettingsChange,
    Usage,
    changed_settings,
    shown_settings,
    shown_usage,
)
from wavecrawl.application.tenants import TenantChange, change_tenant, tenant_of, usage_of
from wavecrawl.ports.tenants import TenantRow


def settings_routes(service: Service) -> Routes:
    """Return the routes of a tenant's settings."""
    routes = Routes(service, tag="settings")
    own = service.settings.tenant

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
            tenants=service.tenants,
            own=own,
            now=service.clock.now(),
        )
        return shown_settings(changed.settings)

    @routes.on("GET", "/v1/usage", summary="Look at the month's usage")
    def read_usage() -> Usage:
        """Return what the tenant has used of its month, and what its plan allows."""
        tenant, now = routes.caller.tenant, service.clock.now()
        return shown_usage(usage_of(tenant, tenants=service.tenants, own=own, now=now))

    return routes


def _caller(routes: Routes) -> TenantRow:
    service = routes.service
    return tenant_of(routes.caller.tenant, tenants=service.tenants, own=service.settings.tenant)
