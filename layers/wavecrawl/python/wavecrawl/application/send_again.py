"""Deliveries that a webhook's owner asks for: a test message, and a message once more."""

from wavecrawl.application.fan_out import message
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.webhooks.delivery import Delivery, DeliveryId, DeliveryState, delivery_name
from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.deliveries import Deliveries, DeliveryQueue
from wavecrawl.ports.webhooks import Webhook

MOST_TESTS = 5
"""The newest deliveries of a webhook that may all wait for their first try when a test is asked for."""

PATIENCE = 60.0
"""Seconds a delivery is left to wait for a try that was asked for; then whatever was to bring it may have been lost."""


def send_test(webhook: Webhook, *, nonce: str, deliveries: Deliveries, queue: DeliveryQueue, clock: Clock) -> Delivery:
    """Send a test message to a webhook, whatever it wants to be told of; `nonce` tells it from any other.

    Raise ConflictError where the webhook is disabled, or where so much waits for its receiver already that others would
    wait with it: all tenants share the senders, and a receiver that does not answer takes one for a while.
    """
    if webhook.disabled:
        raise ConflictError(f"webhook {webhook.webhook} is disabled: enable it first")
    newest = deliveries.of_webhook(webhook.tenant, webhook.webhook, limit=MOST_TESTS)
    if sum(map(_untried, newest)) == MOST_TESTS:
        raise ConflictError(f"{MOST_TESTS} messages to webhook {webhook.webhook} wait for their first try: await those")
    now = clock.now()
    kind = EventKind.TEST.value
    id_ = DeliveryId(
        tenant=webhook.tenant, webhook=webhook.webhook, delivery=delivery_name(now, webhook.webhook, nonce)
    )
    body = message(kind, now, {"webhook": webhook.webhook, "description": webhook.description})
    delivery = Delivery(id=id_, kind=kind, body=body, created_at=now, due_at=now)
    deliveries.add(delivery)
    queue.send(id_)
    return delivery


def send_again(id_: DeliveryId, *, deliveries: Deliveries, queue: DeliveryQueue, clock: Clock) -> Delivery:
    """Deliver a message once more, with the same id, whatever became of it before; return its delivery.

    One that waits for its first try is sent no second time: it comes anyway. Raise NotFoundError where there is none,
    ConflictError where it is being tried at this very moment.
    """
    delivery = deliveries.read(id_)
    if delivery is None:
        raise NotFoundError(f"there is no delivery {id_.delivery}")
    now = clock.now()
    if _untried(delivery) and now - delivery.due_at < PATIENCE:
        return delivery
    again = delivery.again(now)
    if not deliveries.save(again):
        raise ConflictError(f"delivery {id_.delivery} is being tried at this moment: ask again in a minute")
    queue.send(id_)
    return again


def _untried(delivery: Delivery) -> bool:
    """Tell whether a delivery waits for its first try since it was asked for."""
    return delivery.state is DeliveryState.PENDING and not delivery.tries
