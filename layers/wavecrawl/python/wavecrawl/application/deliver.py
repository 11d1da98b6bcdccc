"""Send one webhook message: attempt it once, store the result, return when to attempt it again."""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from wavecrawl.domain.webhooks.delivery import Attempt, Delivery, DeliveryId, DeliveryState
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.deliveries import WebhookSender
from wavecrawl.ports.webhooks import Webhook


class DeliveryResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `deliver`."""

    attempt: Attempt | None = None  # None = nothing was sent
    due_at: float | None = None  # Unix seconds of the next attempt; None = there is none


NOT_SENT = DeliveryResult()


def deliver(id_: DeliveryId, ports: Ports, sender: WebhookSender, *, chance: Callable[[], float]) -> DeliveryResult:
    """Attempt a delivery if it is due; return when the next attempt is due. `chance` returns numbers from 0 to 1."""
    delivery = ports.deliveries.read(id_)
    if delivery is None or delivery.state is not DeliveryState.PENDING:
        return NOT_SENT
    now = ports.clock.now()
    if now < delivery.due_at:
        return DeliveryResult(due_at=delivery.due_at)
    webhook = ports.webhooks.read(id_.tenant, id_.webhook)
    if webhook is None or webhook.disabled:
        ports.deliveries.save(delivery.dropped())
        return NOT_SENT
    attempt = sender.send(webhook, delivery, now=now)
    after = delivery.attempted(attempt, chance=chance())
    if not ports.deliveries.save(after):
        return _result_after_conflict(id_, attempt, ports)
    if attempt.unwanted:
        _disable(webhook, ports, now)
    return DeliveryResult(attempt=attempt, due_at=_next(after))


def _next(delivery: Delivery | None) -> float | None:
    return delivery.due_at if delivery is not None and delivery.state is DeliveryState.PENDING else None


def _result_after_conflict(id_: DeliveryId, attempt: Attempt, ports: Ports) -> DeliveryResult:
    """Return the result if another worker stored an attempt at the same time: its next attempt counts."""
    return DeliveryResult(attempt=attempt, due_at=_next(ports.deliveries.read(id_)))


def _disable(webhook: Webhook, ports: Ports, now: float) -> None:
    """Disable the webhook of a receiver that is gone, unless its owner has just changed it."""
    ports.webhooks.update(replace(webhook, disabled=True, changed_at=now, version=webhook.version + 1))
