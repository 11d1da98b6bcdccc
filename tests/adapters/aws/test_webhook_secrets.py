"""The secrets of webhooks in the table: never clear, also those that an earlier version stored."""

import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from moto import mock_aws
from msgspec.structs import replace
from tests.support.emulator import CREDENTIALS, new_table
from tests.support.still_clock import StillClock

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.names import webhook_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.webhook_key import WebhookKey
from wavecrawl.adapters.aws.webhooks import DynamoWebhooks
from wavecrawl.adapters.aws.writes import Answer, NewRow
from wavecrawl.adapters.sealed_text import Sealer
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.webhooks import Webhook

NEW, OLD = "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0", "whsec_b2xkLXNlY3JldC1vbGQtc2VjcmV0"
HOOK = Webhook(tenant="t", webhook="w", url="https://hooks.example/", secret=NEW, old_secret=OLD, old_secret_until=9.5)


class Place:
    """A table and a key in a mocked account."""

    def __init__(self) -> None:
        self.clients = AwsClients()
        self.table = Table(self.clients.dynamodb, new_table(self.clients))

    def webhooks(self) -> DynamoWebhooks:
        """Return the webhooks as another process has them."""
        return DynamoWebhooks(self.table, self.key())

    def key(self) -> WebhookKey:
        """Return the key as another process has it."""
        return WebhookKey(lambda: self.clients.secrets, "s", StillClock())

    def body(self) -> bytes:
        """Return the stored body of the webhook, decompressed."""
        row: Any = self.table.get(webhook_row("t", "w"))
        packed: bytes = row["packed"]
        return zlib.decompress(packed) if packed[:1] == b"\x78" else packed


@pytest.fixture(name="place")
def a_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        place = Place()
        yield place
        place.clients.close()


def clear(body: bytes) -> list[str]:
    return [secret for secret in (NEW, OLD) if secret.encode() in body]


def test_a_stored_secret_is_not_clear_and_any_process_reads_it(place: Place) -> None:
    assert place.webhooks().create(HOOK)
    assert clear(place.body()) == []
    assert place.webhooks().read("t", "w") == HOOK
    assert place.webhooks().of_tenant("t") == [HOOK]


def test_a_changed_webhook_has_no_clear_secret_either(place: Place) -> None:
    webhooks = place.webhooks()
    webhooks.create(replace(HOOK, old_secret=""))
    assert webhooks.update(replace(HOOK, version=2))
    assert clear(place.body()) == []
    assert webhooks.read("t", "w") == replace(HOOK, version=2)


@pytest.mark.parametrize("reads", ["read", "of_tenant"])
def test_a_clear_secret_of_an_earlier_version_is_read_and_rewritten(place: Place, reads: str) -> None:
    PackedItems(place.table, Webhook).add(webhook_row("t", "w"), HOOK, version=1)
    assert clear(place.body()) == [NEW, OLD]
    webhooks = place.webhooks()
    found = webhooks.read("t", "w") if reads == "read" else webhooks.of_tenant("t")[0]
    assert found == HOOK
    assert clear(place.body()) == []
    assert place.webhooks().read("t", "w") == HOOK
    assert webhooks.update(replace(HOOK, description="changed", version=2))


def test_one_unreadable_secret_leaves_the_other_webhooks_of_its_tenant_usable(place: Place) -> None:
    place.webhooks().create(HOOK)
    sound = replace(HOOK, webhook="w2")
    place.webhooks().create(sound)
    other_key = Sealer(b"k" * 32)
    broken = replace(HOOK, webhook="w1", secret=other_key.seal(NEW, "webhook t/w1"), old_secret="")
    PackedItems(place.table, Webhook).add(webhook_row("t", "w1"), broken, version=1)
    webhooks = place.webhooks()
    assert webhooks.of_tenant("t") == [HOOK, replace(broken, secret=""), sound]
    with pytest.raises(CorruptDataError, match="webhook t/w1 cannot be decrypted"):
        webhooks.read("t", "w1")
    assert webhooks.delete("t", "w1")
    assert webhooks.of_tenant("t") == [HOOK, sound]


def test_a_row_that_another_process_changed_meanwhile_stays_as_it_is(place: Place) -> None:
    rows = PackedItems(place.table, Webhook)
    rows.add(webhook_row("t", "w"), HOOK, version=1)
    webhooks = place.webhooks()
    sealed = replace(HOOK, description="newer", version=2)
    real = place.table.put

    def put_late(row: NewRow) -> Answer:
        place.table.put = real  # type: ignore[method-assign]
        assert place.webhooks().update(sealed)
        return real(row)

    place.table.put = put_late  # type: ignore[method-assign]
    assert webhooks.read("t", "w") == HOOK
    assert place.webhooks().read("t", "w") == sealed


def test_two_processes_that_start_at_once_have_one_key(place: Place) -> None:
    first, second = place.key(), place.key()
    sealed = first.seal(NEW, "c")
    assert second.open(sealed, "c") == NEW
    assert [one["Name"] for one in place.clients.secrets.list_secrets()["SecretList"]] == ["s/webhook-key"]


def test_a_deployment_without_webhooks_has_no_key(place: Place) -> None:
    assert place.webhooks().of_tenant("t") == []
    assert place.webhooks().read("t", "w") is None
    assert place.clients.secrets.list_secrets()["SecretList"] == []
