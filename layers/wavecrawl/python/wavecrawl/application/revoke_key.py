"""Revoke an API key: it opens nothing any more, at once."""

from wavecrawl.application.create_key import must_cover
from wavecrawl.domain.tenants.role import Role
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.api_keys import ApiKeyRow, ApiKeys


def revoke_key(tenant: str, id_: str, *, keys: ApiKeys, now: float, by: Role = Role.ADMIN) -> None:
    """Let a key end now.

    Raise NotFoundError where the tenant has no such key, ForbiddenError where it may do more than who asks, a `by`.
    """
    must_cover(by, key_of(tenant, id_, keys=keys).role)
    keys.expire(tenant, id_, at=now)


def key_of(tenant: str, id_: str, *, keys: ApiKeys) -> ApiKeyRow:
    """Return a key of a tenant; raise NotFoundError where it has none of that id."""
    for key in keys.of_tenant(tenant):
        if key.id == id_:
            return key
    raise NotFoundError(f"tenant {tenant} has no key {id_}")
