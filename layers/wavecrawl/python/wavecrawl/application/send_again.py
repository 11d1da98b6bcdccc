"""Deliveries that a webhook's owner asks for: a test message, and a message once more."""

from wavecrawl.application.fan_out import message
from wavecrawl.domain.delivery import Delivery, DeliveryId, delivery_name
from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.deliveries import Deliveries, DeliveryQueue
from wavecrawl.ports.events import EventKind
from wavecrawl.ports.webhooks import Webhook


def send_test(webhook: Webhook, *, nonce: str, deliveries: Deliveries, queue: DeliveryQueue, clock: Clock) -> Delivery:
    """Send a test message to a webhook, whatever it wants to be told of; `nonce` tells it from any other.

    Raise ConflictError where the webhook is disabled.
    """
    if webhook.disabled:
        raise ConflictError(f"webhook {webhook.webhook} is disabled: enable it first")
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

    Raise NotFoundError where there is none, ConflictError where it is being tried at this very moment.
    """
    delivery = deliveries.read(id_)
    if delivery is None:
        raise NotFoundError(f"there is no delivery {id_.delivery}")
    again = delivery.again(clock.now())
    if not deliveries.save(again):
        raise ConflictError(f"delivery {id_.delivery} is being tried at this moment: ask again in a minute")
    queue.send(id_)
    return again
