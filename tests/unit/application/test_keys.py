"""API keys: roles, creation and expiry."""

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from wavecrawl.adapters.embedded.api_keys import SqliteApiKeys
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.tenants import SqliteTenants
from wavecrawl.application.api_keys import MOST_KEYS, Caller, NewKey, authenticate, create_key, revoke_key, rotate_key
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError
from wavecrawl.ports.tenants import TenantRow

NOW = 1_000_000.0
ACME = TenantRow(tenant="acme", name="Acme", plan=Plan.FREE)
OPERATOR = "fake-operator-key"


class Office:
    """The ports of keys and their use cases."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "db.sqlite")
        self.keys = SqliteApiKeys(self.database)
        self.tenants = SqliteTenants(self.database)
        self.tenants.create(ACME)

    def create(self, tenant: str = "acme", *, role: Role = Role.TENANT, name: str = "n", until: float = 0.0) -> NewKey:
        return create_key(tenant, role=role, name=name, keys=self.keys, now=NOW, expires_at=until)

    def show(self, key: str, *, now: float = NOW) -> Caller | None:
        return authenticate(
            key, keys=self.keys, tenants=self.tenants, operator_keys=("", OPERATOR), operator_tenant="own", now=now
        )


@pytest.fixture(name="office")
def an_office(tmp_path: Path) -> Iterator[Office]:
    office = Office(tmp_path)
    yield office
    office.database.close()


def test_a_new_key_opens_its_own_tenant(office: Office) -> None:
    new = office.create(role=Role.READ)
    assert office.show(new.secret) == Caller(tenant="acme", role=Role.READ, key_id=new.row.id)


def test_keys_say_what_they_are_and_are_not_stored(office: Office) -> None:
    new = office.create(name=" for the shop ")
    assert re.fullmatch(f"wck_{new.row.id}_[A-Za-z0-9_-]{{43}}", new.secret)
    assert new.row.name == "for the shop"
    assert office.keys.of_tenant("acme")[0].digest == sha256(new.secret.encode()).hexdigest()
    office.database.close()
    stored = b"".join(path.read_bytes() for path in office.database.path.parent.iterdir())
    assert new.secret.encode() not in stored
    assert new.secret not in repr(new)


def test_no_two_keys_are_alike(office: Office) -> None:
    first, second = office.create(), office.create()
    assert first.secret != second.secret
    assert first.row.id != second.row.id


@pytest.mark.parametrize("key", ["", "wck_", "wck_000000000000_" + "a" * 43, "x" * 9_000, "ключ"])
def test_what_is_no_key_opens_nothing(office: Office, key: str) -> None:
    office.create()
    assert office.show(key) is None


def test_a_key_is_known_by_all_of_it(office: Office) -> None:
    new = office.create()
    assert office.show(new.secret[:-1] + ("a" if new.secret[-1] != "a" else "b")) is None


def test_the_operators_keys_need_no_row(office: Office) -> None:
    assert office.show(OPERATOR) == Caller(tenant="own", role=Role.ADMIN, key_id="operator")


def test_a_key_opens_nothing_from_its_end_on(office: Office) -> None:
    key = office.create(until=NOW + 10.0).secret
    assert office.show(key, now=NOW + 9.9) is not None
    assert office.show(key, now=NOW + 10.0) is None


def test_a_revoked_key_opens_nothing_at_once(office: Office) -> None:
    new = office.create()
    revoke_key("acme", new.row.id, keys=office.keys, now=NOW)
    assert office.show(new.secret) is None


def test_the_keys_of_a_disabled_tenant_open_nothing(office: Office) -> None:
    key = office.create().secret
    office.tenants.update(replace(ACME, disabled=True, version=2))
    assert office.show(key) is None
    office.tenants.update(replace(ACME, version=3))
    assert office.show(key) is not None


def test_only_the_deployments_own_tenant_may_be_unknown(office: Office) -> None:
    assert office.show(office.create("own").secret) is not None
    assert office.show(office.create("nobody").secret) is None


def test_a_use_is_written_down(office: Office) -> None:
    key = office.create().secret
    office.show(key, now=NOW + 5.0)
    assert office.keys.of_tenant("acme")[0].last_used_at == NOW + 5.0


def test_a_rotated_key_stays_for_its_grace(office: Office) -> None:
    old = office.create(role=Role.READ, name="shop")
    new = rotate_key("acme", old.row.id, keys=office.keys, now=NOW)
    assert (new.row.role, new.row.name, new.row.expires_at) == (Role.READ, "shop", 0.0)
    assert office.show(old.secret, now=NOW + 86_399.0) is not None
    assert office.show(old.secret, now=NOW + 86_400.0) is None
    assert office.show(new.secret, now=NOW + 86_400.0) is not None


def test_rotation_lets_no_key_live_longer(office: Office) -> None:
    old = office.create(until=NOW + 60.0)
    rotate_key("acme", old.row.id, keys=office.keys, now=NOW)
    assert office.show(old.secret, now=NOW + 60.0) is None


def test_a_rotation_without_grace_ends_the_old_key_at_once(office: Office) -> None:
    old = office.create()
    rotate_key("acme", old.row.id, keys=office.keys, now=NOW, grace=0.0)
    assert office.show(old.secret) is None


def test_what_has_ended_is_not_rotated(office: Office) -> None:
    old = office.create()
    revoke_key("acme", old.row.id, keys=office.keys, now=NOW)
    with pytest.raises(ConflictError, match="has ended"):
        rotate_key("acme", old.row.id, keys=office.keys, now=NOW)


@pytest.mark.parametrize("grace", [-1.0, 31 * 86_400.0, float("nan")])
def test_a_grace_has_bounds(office: Office, grace: float) -> None:
    with pytest.raises(InvalidInputError, match="grace"):
        rotate_key("acme", office.create().row.id, keys=office.keys, now=NOW, grace=grace)


def test_keys_of_others_cannot_be_reached(office: Office) -> None:
    id_ = office.create().row.id
    with pytest.raises(NotFoundError, match=f"tenant other has no key {id_}"):
        revoke_key("other", id_, keys=office.keys, now=NOW)
    with pytest.raises(NotFoundError, match=f"tenant other has no key {id_}"):
        rotate_key("other", id_, keys=office.keys, now=NOW)


@pytest.mark.parametrize("name", ["", "  ", "a" * 101, "line\nbreak"])
def test_names_are_for_people(office: Office, name: str) -> None:
    with pytest.raises(InvalidInputError, match="name"):
        office.create(name=name)


def test_an_end_lies_ahead(office: Office) -> None:
    with pytest.raises(InvalidInputError, match="expires_at"):
        office.create(until=NOW)


def test_the_keys_of_a_tenant_are_limited(office: Office) -> None:
    keys = [office.create() for _ in range(MOST_KEYS)]
    with pytest.raises(ConflictError, match="already has 100 keys"):
        office.create()
    revoke_key("acme", keys[0].row.id, keys=office.keys, now=NOW)
    office.create()


def test_a_key_cannot_create_keys_with_more_rights(office: Office) -> None:
    admin = office.create(role=Role.ADMIN)
    with pytest.raises(ForbiddenError, match="a key of role tenant cannot create"):
        create_key("acme", role=Role.ADMIN, name="n", keys=office.keys, now=NOW, by=Role.TENANT)
    with pytest.raises(ForbiddenError, match="keys of role admin"):
        rotate_key("acme", admin.row.id, keys=office.keys, now=NOW, by=Role.TENANT)
    with pytest.raises(ForbiddenError, match="keys of role admin"):
        revoke_key("acme", admin.row.id, keys=office.keys, now=NOW, by=Role.TENANT)
    assert office.keys.of_tenant("acme") == [admin.row]
    create_key("acme", role=Role.READ, name="n", keys=office.keys, now=NOW, by=Role.TENANT)


def test_ended_keys_are_shown_for_a_month(office: Office) -> None:
    ended = office.create(until=NOW + 1.0).row
    later = NOW + 1.0 + 30 * 86_400.0
    create_key("acme", role=Role.READ, name="n", keys=office.keys, now=later - 1.0)
    assert ended.id in [key.id for key in office.keys.of_tenant("acme")]
    create_key("acme", role=Role.READ, name="n", keys=office.keys, now=later)
    assert ended.id not in [key.id for key in office.keys.of_tenant("acme")]


def test_ended_keys_do_not_pile_up(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wavecrawl.application.api_keys.MOST_ROWS", 3)
    for _ in range(3):
        revoke_key("acme", office.create().row.id, keys=office.keys, now=NOW)
    with pytest.raises(ConflictError, match="3 keys within 30 days"):
        office.create()
