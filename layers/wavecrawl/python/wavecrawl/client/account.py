"""Operations on settings, usage, API keys and tenants."""

from collections.abc import Iterator
from functools import partial

from wavecrawl.api_models.controls import Controls, ControlsUpdate
from wavecrawl.api_models.tenants import (
    ApiKey,
    ApiKeyList,
    ApiKeyWithSecret,
    CallerDetail,
    CreatedTenant,
    KeyRotation,
    NewApiKey,
    NewTenant,
    Tenant,
    TenantDetail,
    TenantList,
    TenantSettings,
    TenantSettingsUpdate,
    TenantUpdate,
    Usage,
)
from wavecrawl.api_models.types import Health
from wavecrawl.client.operations import Operations, items
from wavecrawl.client.transport import Call


class AccountOperations(Operations):
    """Operations on the caller's own tenant, and the health check."""

    def get_health(self) -> Health:
        """Check whether the API responds."""
        return self._send(Health, Call(method="GET", path="/health"))

    def get_caller(self) -> CallerDetail:
        """Get the tenant and the role of the client's API key."""
        return self._get(CallerDetail, "me")

    def get_settings(self) -> TenantSettings:
        """Get the settings of the tenant."""
        return self._get(TenantSettings, "settings")

    def update_settings(self, update: TenantSettingsUpdate) -> TenantSettings:
        """Update the settings of the tenant."""
        return self._patch(TenantSettings, "settings", body=update)

    def get_usage(self) -> Usage:
        """Get the usage of the current month and the limits of the plan."""
        return self._get(Usage, "usage")

    def create_key(self, key: NewApiKey, *, idempotency_key: str | None = None) -> ApiKeyWithSecret:
        """Create an API key. The response contains its secret, which is shown once."""
        return self._post(ApiKeyWithSecret, "keys", body=key, idempotency_key=idempotency_key)

    def list_keys(self, *, cursor: str | None = None, limit: int | None = None) -> ApiKeyList:
        """List API keys by ID."""
        return self._get(ApiKeyList, "keys", cursor=cursor, limit=limit)

    def iter_keys(self, *, limit: int | None = None) -> Iterator[ApiKey]:
        """Yield all API keys, `limit` per request."""
        return items(partial(self.list_keys, limit=limit), lambda page: page.keys)

    def rotate_key(self, key: str, rotation: KeyRotation, *, idempotency_key: str | None = None) -> ApiKeyWithSecret:
        """Rotate an API key: create its successor, and let the key expire after a grace period."""
        return self._post(ApiKeyWithSecret, "keys", key, "rotate", body=rotation, idempotency_key=idempotency_key)

    def revoke_key(self, key: str) -> None:
        """Revoke an API key. Takes effect immediately."""
        self._delete("keys", key)


class AdminOperations(Operations):
    """Operations on controls, tenants, their settings and API keys. They need an API key of role `admin`."""

    def get_controls(self) -> Controls:
        """Get what the operator forbids for all tenants."""
        return self._get(Controls, "admin", "controls")

    def update_controls(self, update: ControlsUpdate) -> Controls:
        """Stop all crawls, deny requests to hosts, or limit the costs of a month."""
        return self._patch(Controls, "admin", "controls", body=update)

    def create_tenant(self, tenant: NewTenant, *, idempotency_key: str | None = None) -> CreatedTenant:
        """Create a tenant. With a website, also its first site, crawl and API key."""
        return self._post(CreatedTenant, "admin", "tenants", body=tenant, idempotency_key=idempotency_key)

    def list_tenants(self, *, cursor: str | None = None, limit: int | None = None) -> TenantList:
        """List tenants by ID."""
        return self._get(TenantList, "admin", "tenants", cursor=cursor, limit=limit)

    def iter_tenants(self, *, limit: int | None = None) -> Iterator[Tenant]:
        """Yield all tenants, `limit` per request."""
        return items(partial(self.list_tenants, limit=limit), lambda page: page.tenants)

    def get_tenant(self, tenant: str) -> TenantDetail:
        """Get a tenant with its usage."""
        return self._get(TenantDetail, "admin", "tenants", tenant)

    def update_tenant(self, tenant: str, update: TenantUpdate) -> Tenant:
        """Update a tenant."""
        return self._patch(Tenant, "admin", "tenants", tenant, body=update)

    def get_tenant_settings(self, tenant: str) -> TenantSettings:
        """Get the settings of a tenant."""
        return self._get(TenantSettings, "admin", "tenants", tenant, "settings")

    def update_tenant_settings(self, tenant: str, update: TenantSettingsUpdate) -> TenantSettings:
        """Update the settings of a tenant."""
        return self._patch(TenantSettings, "admin", "tenants", tenant, "settings", body=update)

    def create_tenant_key(self, tenant: str, key: NewApiKey, *, idempotency_key: str | None = None) -> ApiKeyWithSecret:
        """Create an API key of a tenant. The response contains its secret, which is shown once."""
        path = ("admin", "tenants", tenant, "keys")
        return self._post(ApiKeyWithSecret, *path, body=key, idempotency_key=idempotency_key)

    def list_tenant_keys(self, tenant: str, *, cursor: str | None = None, limit: int | None = None) -> ApiKeyList:
        """List the API keys of a tenant by ID."""
        return self._get(ApiKeyList, "admin", "tenants", tenant, "keys", cursor=cursor, limit=limit)

    def iter_tenant_keys(self, tenant: str, *, limit: int | None = None) -> Iterator[ApiKey]:
        """Yield all API keys of a tenant, `limit` per request."""
        return items(partial(self.list_tenant_keys, tenant, limit=limit), lambda page: page.keys)

    def revoke_tenant_key(self, tenant: str, key: str) -> None:
        """Revoke an API key of a tenant. Takes effect immediately."""
        self._delete("admin", "tenants", tenant, "keys", key)
