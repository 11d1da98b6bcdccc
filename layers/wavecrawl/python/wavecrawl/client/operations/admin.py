"""Operations on admin. Generated from the OpenAPI document by `make generate`: do not edit."""

from collections.abc import Iterator

from wavecrawl.client.calls import Calls, pages, quoted
from wavecrawl.client.models import (
    ApiKey,
    ApiKeyList,
    ApiKeyWithSecret,
    NewApiKey,
    NewTenant,
    Tenant,
    TenantChangeModel,
    TenantInFull,
    TenantList,
)


class AdminOperations(Calls):
    """Operations on admin."""

    def list_tenants(self, *, cursor: str | None = None, limit: int | None = None) -> TenantList:
        """List tenants.

        List the tenants that were made, by id.
        """
        return self._model(TenantList, "GET", "/v1/admin/tenants", query={"cursor": cursor, "limit": limit})

    def iter_tenants(self, *, limit: int | None = None) -> Iterator[Tenant]:
        """List tenants: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[Tenant], str | None]:
            page = self.list_tenants(limit=limit, cursor=cursor)
            return page.tenants, page.next_cursor

        return pages(fetch)

    def make_tenant(self, body: NewTenant, *, idempotency_key: str | None = None) -> Tenant:
        """Make a tenant.

        Make a tenant. It needs a key before it can do anything. 409: the id is taken.
        """
        return self._model(Tenant, "POST", "/v1/admin/tenants", headers={"idempotency-key": idempotency_key}, body=body)

    def read_tenant(self, tenant: str) -> TenantInFull:
        """Look at a tenant.

        Return a tenant, and what it has used of its month.
        """
        return self._model(TenantInFull, "GET", f"/v1/admin/tenants/{quoted(tenant)}")

    def change_a_tenant(self, tenant: str, body: TenantChangeModel) -> Tenant:
        """Change a tenant.

        Change a tenant's name, plan, or whether it is disabled. 409: somebody else changed it meanwhile.
        """
        return self._model(Tenant, "PATCH", f"/v1/admin/tenants/{quoted(tenant)}", body=body)

    def list_keys_of_tenant(self, tenant: str, *, cursor: str | None = None, limit: int | None = None) -> ApiKeyList:
        """List a tenant's keys.

        List a tenant's keys by id, those that ended within the last month too.
        """
        return self._model(
            ApiKeyList, "GET", f"/v1/admin/tenants/{quoted(tenant)}/keys", query={"cursor": cursor, "limit": limit}
        )

    def iter_keys_of_tenant(self, tenant: str, *, limit: int | None = None) -> Iterator[ApiKey]:
        """List a tenant's keys: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[ApiKey], str | None]:
            page = self.list_keys_of_tenant(tenant, limit=limit, cursor=cursor)
            return page.keys, page.next_cursor

        return pages(fetch)

    def make_key_of_tenant(
        self, tenant: str, body: NewApiKey, *, idempotency_key: str | None = None
    ) -> ApiKeyWithSecret:
        """Make a key of a tenant.

        Make a key of a tenant. It is shown this once.
        """
        return self._model(
            ApiKeyWithSecret,
            "POST",
            f"/v1/admin/tenants/{quoted(tenant)}/keys",
            headers={"idempotency-key": idempotency_key},
            body=body,
        )

    def revoke_key_of_tenant(self, tenant: str, key: str) -> None:
        """Revoke a key of a tenant.

        End a key of a tenant, at once.
        """
        self._nothing("DELETE", f"/v1/admin/tenants/{quoted(tenant)}/keys/{quoted(key)}")
