"""API keys: authenticate, create, rotate, revoke. A key is shown once, when it is created; its digest is stored."""

import re
from collections.abc import Sequence
from hashlib import sha256
from hmac import compare_digest
from secrets import token_hex, token_urlsafe
from typing import Any

import msgspec

from wavecrawl.domain.tenants.limits import GRACE, LONGEST_GRACE, LONGEST_KEY_NAME
from wavecrawl.domain.tenants.role import Role
from wavecrawl.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError
from wavecrawl.ports.api_keys import ApiKeyRow, ApiKeys
from wavecrawl.ports.tenants import Tenants

OPERATOR_KEY = "operator"
"""The id of every key in the deployment's secret."""

MOST_KEYS = 100
"""Active keys per tenant. Parallel requests may exceed it by their number."""

MOST_ROWS = 1_000
"""Keys per tenant, including ended ones that are still listed."""

SHOWN_ENDED = 30 * 86_400.0
"""Seconds that an ended key is still listed."""

_ID_BYTES, _SECRET_BYTES = 6, 32
_KEY = re.compile(r"wck_[0-9a-f]{12}_[A-Za-z0-9_-]{43}")


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """The tenant and role of a request."""

    tenant: str
    role: Role
    key_id: str


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key and its row."""

    secret: str  # the whole key
    row: ApiKeyRow

    def __repr__(self) -> str:
        """Return the row alone: the secret must not reach a log."""
        return f"NewKey(row={self.row!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Return the same for the representation that rich makes, which would have all fields of a struct."""
        return [("row", self.row)]


def authenticate(
    key: str, *, keys: ApiKeys, tenants: Tenants, operator_keys: Sequence[str], operator_tenant: str, now: float
) -> Caller | None:
    """Return the caller that a key belongs to, None if the key is unknown, ended, or of a disabled tenant."""
    if _is_one_of(key, operator_keys):
        return Caller(tenant=operator_tenant, role=Role.ADMIN, key_id=OPERATOR_KEY)
    if not looks_like_a_key(key):
        return None
    row = keys.by_digest(digest_of(key))
    if row is None or row.has_ended(now):
        return None
    tenant = tenants.read(row.tenant)
    if tenant.disabled if tenant else row.tenant != operator_tenant:
        return None
    keys.used(row, now=now)
    return Caller(tenant=row.tenant, role=row.role, key_id=row.id)


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
    """Create an API key. It is active immediately; `by` is the caller's role.

    Raise InvalidInputError if the name or the expiry is invalid, ForbiddenError if `role` exceeds the caller's role,
    ConflictError if the tenant has too many keys.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_KEY_NAME or not name.isprintable():
        raise InvalidInputError(f"name: must be 1 to {LONGEST_KEY_NAME} printable characters: {name!r}")
    if expires_at and expires_at <= now:
        raise InvalidInputError("expires_at: must be in the future")
    _must_cover(by, role)
    _make_room(tenant, keys, now)
    id_ = token_hex(_ID_BYTES)
    secret = f"wck_{id_}_{token_urlsafe(_SECRET_BYTES)}"
    row = ApiKeyRow(
        id=id_, digest=digest_of(secret), tenant=tenant, role=role, name=name, created_at=now, expires_at=expires_at
    )
    keys.create(row)
    return NewKey(secret=secret, row=row)


def rotate_key(
    tenant: str, id_: str, *, keys: ApiKeys, now: float, grace: float = GRACE, by: Role = Role.ADMIN
) -> NewKey:
    """Create a key with the role and name of an old one, which ends `grace` seconds from now, or earlier if it had to.

    Raise NotFoundError if the tenant has no such key, ForbiddenError if the key's role exceeds the caller's role
    (`by`), ConflictError if the key has ended, InvalidInputError if `grace` is out of range.
    """
    if not 0 <= grace <= LONGEST_GRACE:
        raise InvalidInputError(f"grace: must be between 0 and {LONGEST_GRACE:,.0f} seconds: {grace!r}")
    old = _key_of(tenant, id_, keys=keys)
    _must_cover(by, old.role)
    if old.has_ended(now):
        raise ConflictError(f"key {id_} has ended; create a new one")
    new = create_key(tenant, role=old.role, name=old.name, keys=keys, now=now, by=by)
    keys.expire(tenant, id_, at=now + grace)
    return new


def revoke_key(tenant: str, id_: str, *, keys: ApiKeys, now: float, by: Role = Role.ADMIN) -> None:
    """Revoke an API key. Takes effect immediately.

    Raise NotFoundError if the tenant has no such key, ForbiddenError if the key's role exceeds the caller's role
    (`by`).
    """
    _must_cover(by, _key_of(tenant, id_, keys=keys).role)
    keys.expire(tenant, id_, at=now)


def digest_of(key: str) -> str:
    """Return the digest that is stored of a key. One round of SHA-256 is enough: a key has 256 random bits."""
    return sha256(key.encode()).hexdigest()


def looks_like_a_key(text: str) -> bool:
    """Return whether a text has the form of an API key."""
    return _KEY.fullmatch(text) is not None


def _is_one_of(key: str, keys: Sequence[str]) -> bool:
    """Compare with every key, in constant time."""
    digest = sha256(key.encode()).digest()
    known = [compare_digest(digest, sha256(other.encode()).digest()) for other in keys if other]
    return any(known)


def _must_cover(by: Role, role: Role) -> None:
    if not by.covers(role):
        raise ForbiddenError(f"a key of role {by.value} cannot create, rotate or revoke keys of role {role.value}")


def _make_room(tenant: str, keys: ApiKeys, now: float) -> None:
    """Delete keys that ended long ago; raise ConflictError if too many are left."""
    rows = keys.of_tenant(tenant)
    old = [row for row in rows if row.has_ended(now - SHOWN_ENDED)]
    for row in old:
        keys.delete(row)
    if sum(not row.has_ended(now) for row in rows) >= MOST_KEYS:
        raise ConflictError(f"tenant {tenant} already has {MOST_KEYS} keys; revoke one that is not needed")
    if len(rows) - len(old) >= MOST_ROWS:
        raise ConflictError(f"tenant {tenant} created {MOST_ROWS:,} keys within 30 days; wait until older ones expire")


def _key_of(tenant: str, id_: str, *, keys: ApiKeys) -> ApiKeyRow:
    for key in keys.of_tenant(tenant):
        if key.id == id_:
            return key
    raise NotFoundError(f"tenant {tenant} has no key {id_}")
