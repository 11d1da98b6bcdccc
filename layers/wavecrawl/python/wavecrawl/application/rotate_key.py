"""Rotate an API key: a new one beside the old one, which ends once its users had the time to change."""

from wavecrawl.application.create_key import NewKey, create_key, must_cover
from wavecrawl.application.revoke_key import key_of
from wavecrawl.domain.tenants.limits import GRACE, LONGEST_GRACE
from wavecrawl.domain.tenants.role import Role
from wavecrawl.errors import ConflictError, InvalidInputError
from wavecrawl.ports.api_keys import ApiKeys


def rotate_key(
    tenant: str, id_: str, *, keys: ApiKeys, now: float, grace: float = GRACE, by: Role = Role.ADMIN
) -> NewKey:
    """Return a new key of the old one's role and name; the old one ends `grace` seconds from now, if not before.

    Raise NotFoundError where the tenant has no such key, ForbiddenError where it may do more than who asks, a `by`,
    ConflictError where it has ended, InvalidInputError where the grace does not hold.
    """
    if not 0 <= grace <= LONGEST_GRACE:
        raise InvalidInputError(f"grace: must be between 0 and {LONGEST_GRACE:,.0f} seconds: {grace!r}")
    old = key_of(tenant, id_, keys=keys)
    must_cover(by, old.role)
    if old.has_ended(now):
        raise ConflictError(f"key {id_} has ended; create a new one")
    new = create_key(tenant, role=old.role, name=old.name, keys=keys, now=now, by=by)
    keys.expire(tenant, id_, at=now + grace)
    return new
