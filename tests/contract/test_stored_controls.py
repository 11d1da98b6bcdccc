from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from wavecrawl.domain.tenants.operator_controls import OperatorControls
from wavecrawl.ports.all_ports import Ports

FIRST = OperatorControls(stopped=True, denied_hosts=("a.example", "b.example"), budget_usd_a_month=12.5, version=1)


def test_nothing_is_forbidden_at_first(stores: Ports) -> None:
    assert stores.controls.read() == OperatorControls()


def test_controls_come_back_as_they_were_stored(stores: Ports) -> None:
    assert stores.controls.update(FIRST)
    assert stores.controls.read() == FIRST
    second = OperatorControls(version=2)
    assert stores.controls.update(second)
    assert stores.controls.read() == second


def test_a_change_of_an_outdated_version_is_not_made(stores: Ports) -> None:
    assert not stores.controls.update(replace(FIRST, version=2))
    assert stores.controls.update(FIRST)
    assert not stores.controls.update(replace(FIRST, stopped=False))
    assert not stores.controls.update(replace(FIRST, stopped=False, version=3))
    assert stores.controls.read() == FIRST


def test_of_many_changes_at_once_one_counts(another: Callable[[], Ports]) -> None:
    views = [another().controls for _ in range(6)]
    changes = [replace(FIRST, budget_usd_a_month=float(number)) for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda pair: pair[0].update(pair[1]), zip(views, changes, strict=True)))
    assert made.count(True) == 1
    assert views[0].read() == changes[made.index(True)]
