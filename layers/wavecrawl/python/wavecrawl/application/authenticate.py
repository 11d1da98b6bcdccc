"""Who shows a key: the tenant it acts for, and what it may do."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest

from wavecrawl.application.create_key import digest_of, looks_like_a_key
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.api_keys import ApiKeys
from wavecrawl.ports.tenants import Tenants

OPERATOR_KEY = "operator"
"""The id of every key that stands in the deployment's secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """On whose behalf a request is made."""

    tenant: str
    role: Role
    key_id: str


def authenticate(
    given: str, *, keys: ApiKeys, tenants: Tenants, operator_keys: Sequence[str], operator_tenant: str, now: float
) -> Caller | None:
    """Return whose key was shown; None where it opens nothing: unknown, expired, or of a disabled tenant."""
    if _is_one_of(given, operator_keys):
        return Caller(tenant=operator_tenant, role=Role.ADMIN, key_id=OPERATOR_KEY)
    if not looks_like_a_key(given):
        return None
    key = keys.by_digest(digest_of(given))
    if key is None or key.has_ended(now):
        return None
    tenant = tenants.read(key.tenant)
    if tenant.disabled if tenant else key.tenant != operator_tenant:
        return None
    keys.used(key, now=now)
    return Caller(tenant=key.tenant, role=key.role, key_id=key.id)


def _is_one_of(given: str, keys: Sequence[str]) -> bool:
    """Compare in a time that says nothing of the keys; look at all of them."""
    digest = sha256(given.encode()).digest()
    known = [compare_digest(digest, sha256(key.encode()).digest()) for key in keys if key]
    return any(known)
