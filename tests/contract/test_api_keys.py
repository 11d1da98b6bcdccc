import pytest
from msgspec.structs import replace

from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.api_keys import ApiKeyRow

KEY = ApiKeyRow(id="k1", digest="d1", tenant="t", role=Role.READ, name="for the report", created_at=100.5)


def test_a_key_is_found_by_its_digest(stores: Ports) -> None:
    stores.keys.create(KEY)
    assert stores.keys.by_digest("d1") == KEY
    assert stores.keys.by_digest("d2") is None
    assert stores.keys.by_digest("k1") is None


def test_a_tenants_keys_are_listed_by_id(stores: Ports) -> None:
    second = replace(KEY, id="k0", digest="d2", role=Role.ADMIN, expires_at=7.0)
    for key in (KEY, second, replace(KEY, tenant="u", digest="d3")):
        stores.keys.create(key)
    assert stores.keys.of_tenant("t") == [second, KEY]
    assert stores.keys.of_tenant("nobody") == []


def test_an_end_only_comes_nearer(stores: Ports) -> None:
    stores.keys.create(KEY)
    ends = []
    for at in (500.0, 900.0, 300.0):
        assert stores.keys.expire("t", "k1", at=at)
        found = stores.keys.by_digest("d1")
        assert found is not None
        ends.append(found.expires_at)
    assert ends == [500.0, 500.0, 300.0]


def test_a_tenant_cannot_end_another_tenants_keys(stores: Ports) -> None:
    stores.keys.create(KEY)
    assert not stores.keys.expire("u", "k1", at=1.0)
    assert not stores.keys.expire("t", "k2", at=1.0)
    assert stores.keys.by_digest("d1") == KEY


def test_a_keys_use_is_noted_once_an_hour(stores: Ports) -> None:
    stores.keys.create(KEY)
    noted = []
    for now in (10_000.0, 11_000.0, 13_599.0, 13_600.0):
        found = stores.keys.by_digest("d1")
        assert found is not None
        stores.keys.used(found, now=now)
        noted.append((stores.keys.by_digest("d1") or KEY).last_used_at)
    assert noted == [10_000.0, 10_000.0, 10_000.0, 13_600.0]


def test_a_late_note_does_not_turn_the_clock_back(stores: Ports) -> None:
    stores.keys.create(KEY)
    stores.keys.used(KEY, now=20_000.0)
    stores.keys.used(KEY, now=10_000.0)
    found = stores.keys.by_digest("d1")
    assert found == replace(KEY, last_used_at=20_000.0)


def test_a_deleted_key_is_gone(stores: Ports) -> None:
    stores.keys.create(KEY)
    stores.keys.create(replace(KEY, id="k2", digest="d2"))
    stores.keys.delete(KEY)
    stores.keys.delete(KEY)
    assert stores.keys.by_digest("d1") is None
    assert [key.id for key in stores.keys.of_tenant("t")] == ["k2"]
    assert not stores.keys.expire("t", "k1", at=1.0)
    stores.keys.used(KEY, now=9_999.0)
    assert stores.keys.by_digest("d1") is None


@pytest.mark.parametrize(
    ("role", "covered"),
    [
        (Role.ADMIN, {Role.ADMIN, Role.TENANT, Role.READ}),
        (Role.TENANT, {Role.TENANT, Role.READ}),
        (Role.READ, {Role.READ}),
    ],
)
def test_a_role_includes_the_roles_with_fewer_rights(role: Role, covered: set[Role]) -> None:
    assert {other for other in Role if role.covers(other)} == covered
