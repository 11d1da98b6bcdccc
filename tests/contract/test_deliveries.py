from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec.structs import replace

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.deliveries import TURNS, SqliteDeliveries
from wavecrawl.domain.webhooks.delivery import KEPT, Attempt, Delivery, DeliveryId, DeliveryState
from wavecrawl.ports.all_ports import Ports

ID = DeliveryId(tenant="t", webhook="w", delivery="msg_20261121T100000_00")
NEW = Delivery(id=ID, kind="crawl.completed", body='{"ä": 1}', created_at=1_795_255_200.5, due_at=1_795_255_201.25)


def named(delivery: str, *, webhook: str = "w", tenant: str = "t") -> Delivery:
    return replace(NEW, id=DeliveryId(tenant=tenant, webhook=webhook, delivery=delivery))


def test_a_delivery_comes_back_as_it_was(stores: Ports) -> None:
    tried = replace(NEW, tries=2, attempts=(Attempt(at=1.5, status=500), Attempt(at=2.5, error="dns: no", elapsed=0.2)))
    assert stores.deliveries.add(tried)
    assert stores.deliveries.read(ID) == tried
    assert stores.deliveries.read(replace(ID, delivery="msg_2")) is None
    assert stores.deliveries.read(replace(ID, tenant="u")) is None


def test_a_name_that_is_taken_stays_as_it_is(stores: Ports) -> None:
    stores.deliveries.add(NEW)
    assert not stores.deliveries.add(replace(NEW, body="{}"))
    assert stores.deliveries.read(ID) == NEW


def test_an_update_fails_if_another_writer_was_first(stores: Ports) -> None:
    stores.deliveries.add(NEW)
    tried = NEW.attempted(Attempt(at=NEW.due_at, status=500), chance=0.0)
    assert stores.deliveries.save(tried)
    assert not stores.deliveries.save(NEW.dropped())
    assert stores.deliveries.read(ID) == tried
    assert not stores.deliveries.save(named("msg_2").dropped())


def test_a_webhooks_deliveries_are_listed_from_the_newest_down(stores: Ports) -> None:
    for delivery in (
        named("msg_2"),
        named("msg_1"),
        named("msg_3"),
        named("msg_4", webhook="v"),
        named("m", tenant="u"),
    ):
        stores.deliveries.add(delivery)
    assert stores.deliveries.of_webhook("t", "w", limit=9) == [named("msg_3"), named("msg_2"), named("msg_1")]
    assert stores.deliveries.of_webhook("t", "w", limit=2) == [named("msg_3"), named("msg_2")]
    assert stores.deliveries.of_webhook("t", "w", limit=2, before="msg_2") == [named("msg_1")]


def test_of_many_attempts_at_once_one_counts(another: Callable[[], Ports]) -> None:
    views = [another().deliveries for _ in range(6)]
    views[0].add(NEW)
    tried = [NEW.attempted(Attempt(at=float(number), status=500), chance=0.0) for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        saved = list(pool.map(lambda pair: pair[0].save(pair[1]), zip(views, tried, strict=True)))
    assert saved.count(True) == 1


def test_on_one_machine_what_is_due_can_be_asked_for(tmp_path: Path) -> None:
    database = Database(tmp_path / "db.sqlite")
    deliveries = SqliteDeliveries(database)
    late, later = replace(named("msg_1"), due_at=20.0), replace(named("msg_2"), due_at=10.0)
    over = replace(named("msg_3"), due_at=1.0, state=DeliveryState.DELIVERED)
    for delivery in (late, later, over):
        deliveries.add(delivery)
    assert deliveries.due(9.0, limit=9) == []
    assert deliveries.due(20.0, limit=9) == [later.id, late.id]
    assert deliveries.due(20.0, limit=1) == [later.id]
    deliveries.save(late.dropped())
    assert deliveries.due(20.0, limit=9) == [later.id]
    database.close()


def test_on_one_machine_many_deliveries_of_a_tenant_do_not_hold_up_anothers(tmp_path: Path) -> None:
    database = Database(tmp_path / "db.sqlite")
    deliveries = SqliteDeliveries(database)
    many = [replace(named(f"msg_{number:02d}"), due_at=float(number)) for number in range(40)]
    few = replace(named("msg_99", tenant="u"), due_at=90.0)
    for delivery in (*many, few):
        deliveries.add(delivery)
    assert deliveries.due(99.0, limit=20) == [many[0].id, few.id, *(one.id for one in many[1:TURNS])]
    database.close()


def test_on_one_machine_what_is_old_is_forgotten(tmp_path: Path) -> None:
    database = Database(tmp_path / "db.sqlite")
    deliveries = SqliteDeliveries(database)
    deliveries.add(NEW)
    assert deliveries.expire(NEW.created_at + KEPT) == 0
    assert deliveries.expire(NEW.created_at + KEPT + 1) == 1
    assert deliveries.read(ID) is None
    database.close()
