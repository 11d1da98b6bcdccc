"""Create an API key. The key itself is shown once, to whoever asked; what is stored is its digest."""

import re
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_hex, token_urlsafe

from wavecrawl.domain.tenants.limits import LONGEST_KEY_NAME
from wavecrawl.domain.tenants.role import Role
from wavecrawl.errors import ConflictError, ForbiddenError, InvalidInputError
from wavecrawl.ports.api_keys import ApiKeyRow, ApiKeys

MOST_KEYS = 100
"""Keys of one tenant that may be in force at once (parallel requests may go beyond that by their number)."""

MOST_ROWS = 1_000
"""The same, with those that have ended and are still shown."""

SHOWN_ENDED = 30 * 86_400.0
"""Seconds for which a key that has ended is still shown."""

_ID_BYTES, _SECRET_BYTES = 6, 32
_KEY = re.compile(r"wck_[0-9a-f]{12}_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key and its row."""

    secret: str  # the whole key, as it is shown
    row: ApiKeyRow

    def __repr__(self) -> str:
        """Leave the secret out: what is logged stays."""
        return f"NewKey(row={self.row!r})"


def create_key(
    tenant: str,
    *,
    role: Role,
    name: str,
    keys: ApiKeys,
    now: float,
    expires_at: float = 0.0,
    by: Role = Role.ADMIN,
) -> NewKey:
    """Return a new key of a tenant, which is in force at once, made by somebody of role `by`.

    Raise InvalidInputError where the name or the end does not hold, ForbiddenError where the role is more than that of
    who asks, ConflictError where the tenant has too many keys.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_KEY_NAME or not name.isprintable():
        raise InvalidInputError(f"name: must be 1 to {LONGEST_KEY_NAME} printable characters: {name!r}")
    if expires_at and expires_at <= now:
        raise InvalidInputError("expires_at: must lie ahead")
    must_cover(by, role)
    _make_room(tenant, keys, now)
    id_ = token_hex(_ID_BYTES)
    secret = f"wck_{id_}_{token_urlsafe(_SECRET_BYTES)}"
    row = ApiKeyRow(
        id=id_, digest=digest_of(secret), tenant=tenant, role=role, name=name, created_at=now, expires_at=expires_at
    )
    keys.create(row)
    return NewKey(secret=secret, row=row)


def must_cover(by: Role, role: Role) -> None:
    """Raise ForbiddenError where somebody of role `by` must not handle keys of a role."""
    if not by.covers(role):
        raise ForbiddenError(f"a key of role {by.value} does not make, rotate or revoke keys of role {role.value}")


def _make_room(tenant: str, keys: ApiKeys, now: float) -> None:
    """Delete keys that ended long ago; raise ConflictError where too many are left."""
    rows = keys.of_tenant(tenant)
    old = [row for row in rows if row.has_ended(now - SHOWN_ENDED)]
    for row in old:
        keys.delete(row)
    if sum(not row.has_ended(now) for row in rows) >= MOST_KEYS:
        raise ConflictError(f"tenant {tenant} has {MOST_KEYS} keys already; revoke one that is not needed")
    if len(rows) - len(old) >= MOST_ROWS:
        raise ConflictError(f"tenant {tenant} made {MOST_ROWS:,} keys within a month; wait until older ones are gone")


def digest_of(key: str) -> str:
    """Return what of a key is stored. It has 256 random bits, so that one round of SHA-256 cannot be turned back."""
    return sha256(key.encode()).hexdigest()


def looks_like_a_key(text: str) -> bool:
    """Tell whether a text has the form of our keys: anything else need not be looked up."""
    return _KEY.fullmatch(text) is not None
