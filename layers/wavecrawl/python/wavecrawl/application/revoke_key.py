"""Revoke an API key: it opens nothing any more, at once."""

from wavecrawl.errors import NotFoundError
from wavecrawl.ports.api_keys import ApiKeys


def revoke_key(tenant: str, id_: str, *, keys: ApiKeys, now: float) -> None:
    """Let a key end now. Raise NotFoundError where the tenant has no such key."""
    if not keys.expire(tenant, id_, at=now):
        raise NotFoundError(f"tenant {tenant} has no key {id_}")
