"""Deliveries of webhook messages: create them for an event, send a test, send one again."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.webhooks.delivery import Delivery, DeliveryId, DeliveryState, delivery_name
from wavecrawl.errors import ConflictError, NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.deliveries import Deliveries, DeliveryQueue
from wavecrawl.ports.events import CrawlEvent
from wavecrawl.ports.webhooks import Webhook

MOST_TESTS = 5
"""A test is refused if this many of a webhook's newest deliveries wait for their first attempt."""

FIRST_ATTEMPT_WAIT = 60.0
"""Seconds that a requested delivery may wait for its first attempt. After that its queue message may be lost."""


class DirectEvents:
    """`ports.events.Events` without an event bus: publishing an event creates its deliveries."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    def publish(self, event: CrawlEvent) -> None:
        """Create the deliveries of an event."""
        create_deliveries(event, self._ports)


def create_deliveries(event: CrawlEvent, ports: Ports) -> int:
    """Create one delivery for each webhook of the tenant that wants the event; return their number.

    Idempotent: a delivery's id follows from its event.
    """
    created = 0
    body = payload_of(event)
    now = ports.clock.now()
    for webhook in ports.webhooks.of_tenant(event.crawl.tenant):
        if webhook.wants(event.kind):
            name = delivery_name(event.at, str(event.crawl), webhook.webhook, sequence=event.sequence)
            id_ = DeliveryId(tenant=webhook.tenant, webhook=webhook.webhook, delivery=name)
            ports.deliveries.add(Delivery(id=id_, kind=event.kind.value, body=body, created_at=now, due_at=now))
            ports.deliveries_queue.send(id_)  # even if the row existed: its creator may have failed before this line
            created += 1
    return created


def payload_of(event: CrawlEvent) -> str:
    """Return the payload of an event, in the form of the Standard Webhooks specification: type, timestamp, data."""
    data: dict[str, Any] = {
        "crawl": event.crawl.crawl,
        "site": event.crawl.site,
        "status": event.status,
        "root_url": event.root_url,
        "pages": event.pages,
    }
    if event.error:
        data["error"] = event.error
    return _payload(event.kind.value, event.at, data | dict(event.data))


def send_test(webhook: Webhook, *, nonce: str, deliveries: Deliveries, queue: DeliveryQueue, clock: Clock) -> Delivery:
    """Send a test message to a webhook, regardless of the events that it wants. `nonce` makes its id unique.

    Raise ConflictError if the webhook is disabled, or if too many of its messages wait for their first attempt: all
    tenants share the senders, and a receiver that does not respond occupies one of them.
    """
    if webhook.disabled:
        raise ConflictError(f"webhook {webhook.webhook} is disabled; enable it first")
    newest = deliveries.of_webhook(webhook.tenant, webhook.webhook, limit=MOST_TESTS)
    if sum(map(_is_untried, newest)) == MOST_TESTS:
        raise ConflictError(
            f"{MOST_TESTS} messages to webhook {webhook.webhook} wait for their first attempt; try again after those"
        )
    now = clock.now()
    kind = EventKind.TEST.value
    id_ = DeliveryId(
        tenant=webhook.tenant, webhook=webhook.webhook, delivery=delivery_name(now, webhook.webhook, nonce)
    )
    body = _payload(kind, now, {"webhook": webhook.webhook, "description": webhook.description})
    delivery = Delivery(id=id_, kind=kind, body=body, created_at=now, due_at=now)
    deliveries.add(delivery)
    queue.send(id_)
    return delivery


def send_again(id_: DeliveryId, *, deliveries: Deliveries, queue: DeliveryQueue, clock: Clock) -> Delivery:
    """Send a message again, with the same id, whatever the result of earlier attempts; return its delivery.

    A delivery that waits for its first attempt is returned unchanged. Raise NotFoundError if there is no such delivery,
    ConflictError if another worker is sending it now.
    """
    delivery = deliveries.read(id_)
    if delivery is None:
        raise NotFoundError(f"there is no delivery {id_.delivery}")
    now = clock.now()
    if _is_untried(delivery) and now - delivery.due_at < FIRST_ATTEMPT_WAIT:
        return delivery
    again = delivery.again(now)
    if not deliveries.save(again):
        raise ConflictError(f"delivery {id_.delivery} is being sent now; try again in a minute")
    queue.send(id_)
    return again


def _payload(kind: str, at: float, data: dict[str, Any]) -> str:
    timestamp = datetime.fromtimestamp(at, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return msgspec.json.encode({"type": kind, "timestamp": timestamp, "data": data}).decode()


def _is_untried(delivery: Delivery) -> bool:
    """Return whether a delivery waits for its first attempt since it was created or requested again."""
    return delivery.state is DeliveryState.PENDING and not delivery.tries
