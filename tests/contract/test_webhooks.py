from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.webhooks import Webhook

HOOK = Webhook(
    tenant="t", webhook="w1", url="https://hooks.example/in?a=ä", secret="whsec_bmV3",
    kinds=(EventKind.COMPLETED, EventKind.CHANGED), description="to the shop", disabled=True,
    old_secret="whsec_b2xk", old_secret_until=9.5, created_at=1.25, changed_at=2.5,
)  # fmt: skip


def test_a_webhook_comes_back_as_it_was(stores: Ports) -> None:
    assert stores.webhooks.create(HOOK)
    assert stores.webhooks.read("t", "w1") == HOOK
    assert stores.webhooks.read("t", "w2") is None
    assert stores.webhooks.read("u", "w1") is None


def test_an_id_that_is_taken_stays_as_it_is(stores: Ports) -> None:
    stores.webhooks.create(HOOK)
    assert not stores.webhooks.create(replace(HOOK, url="https://other.example/"))
    assert stores.webhooks.read("t", "w1") == HOOK


def test_an_update_fails_if_another_writer_was_first(stores: Ports) -> None:
    stores.webhooks.create(HOOK)
    changed = replace(HOOK, disabled=False, version=2)
    assert stores.webhooks.update(changed)
    assert not stores.webhooks.update(replace(HOOK, description="late", version=2))
    assert not stores.webhooks.update(replace(HOOK, webhook="w2", version=2))
    assert stores.webhooks.read("t", "w1") == changed
    assert stores.webhooks.read("t", "w2") is None


def test_a_webhook_is_deleted_once(stores: Ports) -> None:
    stores.webhooks.create(HOOK)
    assert stores.webhooks.delete("t", "w1")
    assert not stores.webhooks.delete("t", "w1")
    assert stores.webhooks.read("t", "w1") is None
    assert not stores.webhooks.update(replace(HOOK, version=2))


def test_a_tenant_has_its_own_webhooks_by_id(stores: Ports) -> None:
    for webhook in (replace(HOOK, webhook="w2"), HOOK, replace(HOOK, tenant="u"), replace(HOOK, tenant="tt")):
        stores.webhooks.create(webhook)
    assert stores.webhooks.of_tenant("t") == [HOOK, replace(HOOK, webhook="w2")]
    assert stores.webhooks.of_tenant("nobody") == []


def test_of_many_changes_at_once_one_counts(another: Callable[[], Ports]) -> None:
    views = [another().webhooks for _ in range(6)]
    views[0].create(HOOK)
    changes = [replace(HOOK, description=f"by {number}", version=2) for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda pair: pair[0].update(pair[1]), zip(views, changes, strict=True)))
    assert made.count(True) == 1
    assert views[0].read("t", "w1") == changes[made.index(True)]
