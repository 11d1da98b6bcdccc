"""Deliveries of messages to webhooks."""

from typing import Protocol

from wavecrawl.domain.webhooks.delivery import Attempt, Delivery, DeliveryId
from wavecrawl.ports.webhooks import Webhook


class Deliveries(Protocol):
    """Delivery rows, kept for 30 days. Contract: tests/contract/test_deliveries.py."""

    def add(self, delivery: Delivery) -> bool:
        """Store a new delivery; return False without a change if its name exists."""
        ...

    def read(self, id_: DeliveryId) -> Delivery | None:
        """Return a delivery, or None."""
        ...

    def save(self, delivery: Delivery) -> bool:
        """Replace the delivery if the stored version is one lower; return whether it was."""
        ...

    def of_webhook(self, tenant: str, webhook: str, *, limit: int, before: str = "") -> list[Delivery]:
        """Return a webhook's deliveries, newest first; if given, only names below `before`."""
        ...


class DeliveryQueue(Protocol):
    """A queue of deliveries with at-least-once semantics. Contract: tests/contract/test_delivery_queue.py."""

    def send(self, id_: DeliveryId) -> None:
        """Enqueue a delivery that is due."""
        ...


class WebhookSender(Protocol):
    """Sends signed messages. Contract: tests/adapters/http/test_webhook_sender.py.

    A message is one POST, signed as in Standard Webhooks with all current secrets of the webhook. Its address is
    checked like that of a crawled page. Redirects are not followed.
    """

    def send(self, webhook: Webhook, delivery: Delivery, *, now: float) -> Attempt:
        """Send the delivery's message; return the result. Never raise for a failed request."""
        ...
