from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.tenants import TenantRow

ACME = TenantRow(
    tenant="acme",
    name="Acme [West]",
    plan=Plan.STARTER,
    settings=TenantSettings(max_pages=120, schedule=Schedule(frequency=Frequency.WEEKLY, timezone="Europe/Berlin")),
    created_at=1_700_000_000.25,
)


def test_a_tenant_comes_back_as_it_was_stored(stores: Ports) -> None:
    assert stores.tenants.create(ACME)
    assert stores.tenants.read("acme") == ACME
    assert stores.tenants.read("acm") is None


def test_an_id_is_taken_once(stores: Ports) -> None:
    stores.tenants.create(ACME)
    assert not stores.tenants.create(replace(ACME, name="another"))
    assert stores.tenants.read("acme") == ACME


def test_a_change_replaces_what_can_change(stores: Ports) -> None:
    stores.tenants.create(ACME)
    changed = replace(ACME, name="B", plan=Plan.PRO, settings=TenantSettings(), disabled=True, version=2)
    assert stores.tenants.update(changed)
    assert stores.tenants.read("acme") == changed


def test_a_change_of_an_outdated_version_is_not_made(stores: Ports) -> None:
    stores.tenants.create(ACME)
    stores.tenants.update(replace(ACME, name="first", version=2))
    assert not stores.tenants.update(replace(ACME, name="second", version=2))
    assert stores.tenants.read("acme") == replace(ACME, name="first", version=2)


def test_a_tenant_that_is_not_there_cannot_be_changed(stores: Ports) -> None:
    assert not stores.tenants.update(replace(ACME, version=2))
    assert stores.tenants.read("acme") is None


def test_tenants_are_listed_by_id(stores: Ports) -> None:
    rows = {name: replace(ACME, tenant=name) for name in ("b", "a-2", "c", "a")}
    for row in rows.values():
        stores.tenants.create(row)
    assert stores.tenants.listed(limit=9) == [rows["a"], rows["a-2"], rows["b"], rows["c"]]
    assert stores.tenants.listed(limit=2) == [rows["a"], rows["a-2"]]
    assert stores.tenants.listed(limit=2, after="a") == [rows["a-2"], rows["b"]]
    assert stores.tenants.listed(limit=9, after="b-nobody") == [rows["c"]]
    assert stores.tenants.listed(limit=9, after="c") == []


def test_of_many_changes_at_once_one_is_made(another: Callable[[], Ports]) -> None:
    workers = [another() for _ in range(4)]
    workers[0].tenants.create(ACME)
    changes = [replace(ACME, name=f"n{n}", version=2) for n in range(16)]
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(lambda n: workers[n % 4].tenants.update(changes[n]), range(16)))
    assert made.count(True) == 1
    assert workers[0].tenants.read("acme") == changes[made.index(True)]
