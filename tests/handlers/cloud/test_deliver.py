"""The function deliver: events from the bus to webhooks, over moto."""

import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.functions import Context, Deployment, event
from tests.support.receiver import SECRET, Receiver, receiving

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.webhooks.delivery import DeliveryState
from wavecrawl.ports.webhooks import Webhook


@pytest.fixture(name="function")
def the_function(stack: Deployment) -> Iterator[ModuleType]:
    loaded = stack.load("deliver")
    yield loaded
    loaded.messages._sender.close()


def hook(server: Receiver | None = None, **changes: Any) -> Webhook:
    url = f"http://127.0.0.1:{server.server_port}/in" if server else "http://127.0.0.1:9999/in"
    return replace(Webhook(tenant="default", webhook="w", url=url, secret=SECRET), **changes)


def fanned_out(function: ModuleType, stack: Deployment, context: Context, webhook: Webhook) -> list[dict[str, Any]]:
    """Create a webhook and publish the sample event. Return the resulting messages."""
    function.cloud.webhooks.create(webhook)
    assert function.handler(event("deliver_event"), context) == {"batchItemFailures": []}
    return stack.messages(stack.deliveries, delete=False)


def test_an_event_of_the_bus_reaches_the_webhook(function: ModuleType, stack: Deployment, context: Context) -> None:
    with receiving() as server:
        records = fanned_out(function, stack, context, hook(server))
        assert function.handler({"Records": records}, context) == {"batchItemFailures": []}
    (message,) = server.received
    assert message["type"] == "crawl.completed"
    assert message["timestamp"] == "2026-11-21T11:00:00.000Z"
    assert message["data"]["crawl"] == "20261121-100000-0a1b2c"
    assert message["data"]["pages"] == 117


def test_a_delivery_that_fails_is_retried_later(
    function: ModuleType, stack: Deployment, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    with receiving(500) as server:
        (record,) = fanned_out(function, stack, context, hook(server))
        real = function.cloud.deliveries_queue.wait

        def wait(receipt: str, *, seconds: float) -> None:
            waits.append(seconds)
            real(receipt, seconds=seconds)

        monkeypatch.setattr(function.cloud.deliveries_queue, "wait", wait)
        failed = {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}
        assert function.handler({"Records": [record]}, context) == failed
        assert function.handler({"Records": [record]}, context) == failed  # too early: nothing is sent
        assert len(server.received) == 1
        later = function.cloud.clock.now() + 6
        monkeypatch.setattr(function.cloud.clock, "now", lambda: later)
        assert function.handler({"Records": [record]}, context) == {"batchItemFailures": []}
    assert server.ids == [json.loads(record["body"])["delivery"]] * 2
    assert all(3 < seconds <= 5.5 for seconds in waits)
    (delivery,) = function.cloud.deliveries.of_webhook("default", "w", limit=9)
    assert delivery.state is DeliveryState.DELIVERED
    assert [attempt.status for attempt in delivery.attempts] == [500, 204]


def test_an_event_without_subscriber_is_not_delivered(
    function: ModuleType, stack: Deployment, context: Context
) -> None:
    assert fanned_out(function, stack, context, hook(kinds=(EventKind.FAILED,))) == []


def test_an_unknown_delivery_is_dropped(function: ModuleType, context: Context) -> None:
    assert function.handler(event("deliver"), context) == {"batchItemFailures": []}


@pytest.mark.parametrize("body", ["no json", "[]", '{"tenant": 1}', '{"detail-type": "crawl.failed"}'])
def test_a_message_that_makes_no_sense_comes_again_and_others_do_not_suffer(
    function: ModuleType, stack: Deployment, context: Context, body: str
) -> None:
    with receiving() as server:
        records = fanned_out(function, stack, context, hook(server))
        broken = records[0] | {"messageId": "broken", "body": body}
        answer = function.handler({"Records": [broken, *records]}, context)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "broken"}]}
    assert len(server.received) == 1


def test_networks_that_are_not_public_are_out_of_reach(stack: Deployment, context: Context) -> None:
    function = stack.load("deliver", WAVECRAWL_ALLOWED_ADDRESSES="")
    with receiving() as server:
        (record,) = fanned_out(function, stack, context, hook(server))
        function.handler({"Records": [record]}, context)
    assert server.received == []
    (delivery,) = function.cloud.deliveries.of_webhook("default", "w", limit=9)
    assert delivery.attempts[0].error.startswith("blocked_address")
    function.messages._sender.close()
