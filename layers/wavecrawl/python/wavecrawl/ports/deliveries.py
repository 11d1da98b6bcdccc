"""Deliveries: which message goes to which webhook, and what became of it (spec [36])."""

from typing import Protocol

from wavecrawl.domain.webhooks.delivery import Attempt, Delivery, DeliveryId
from wavecrawl.ports.webhooks import Webhook


class Deliveries(Protocol):
    """Delivery rows, kept for 30 days. Contract: tests/contract/test_deliveries.py."""

    def add(self, delivery: Delivery) -> bool:
        """Store a new delivery; return False, with nothing changed, where there is one of that name."""
        ...

    def read(self, id_: DeliveryId) -> Delivery | None:
        """Return a delivery, or None."""
        ...

    def save(self, delivery: Delivery) -> bool:
        """Replace the delivery whose version is one lower; return False where that is not so."""
        ...

    def of_webhook(self, tenant: str, webhook: str, *, limit: int, before: str = "") -> list[Delivery]:
        """Return a webhook's deliveries from the newest down; where given, only those of names below `before`."""
        ...


class DeliveryQueue(Protocol):
    """What hands deliveries to those who make them, at least once. Contract: tests/contract/test_delivery_queue.py."""

    def send(self, id_: DeliveryId) -> None:
        """Hand over a delivery that is due."""
        ...


class WebhookSender(Protocol):
    """Sends signed messages. Contract: tests/adapters/http/test_webhook_sender.py.

    One POST, signed after Standard Webhooks with every secret the webhook has now, to an address that is checked like
    any that is crawled; no redirect is followed; whatever happens is an ending, never an exception.
    """

    def send(self, webhook: Webhook, delivery: Delivery, *, now: float) -> Attempt:
        """Send the delivery's message; return how that ended."""
        ...
