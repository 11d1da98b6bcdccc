"""Webhooks and their deliveries as models of the API."""

from wavecrawl.api.serializers import same_fields
from wavecrawl.api_models.types import timestamp, timestamp_or_none
from wavecrawl.api_models.webhooks import (
    Delivery,
    DeliveryAttempt,
    DeliveryDetail,
    Webhook,
    WebhookEvent,
    WebhookWithSecret,
)
from wavecrawl.domain.webhooks import delivery as domain
from wavecrawl.ports import webhooks as ports


def webhook_model(webhook: ports.Webhook, now: float) -> Webhook:
    """Return a webhook, without its secret."""
    signs_twice = len(webhook.secrets(now)) > 1
    old_secret_until = timestamp_or_none(webhook.old_secret_until if signs_twice else 0.0)
    return Webhook(
        **same_fields(Webhook, webhook) | {"old_secret_until": old_secret_until},
        events=[WebhookEvent(kind.value) for kind in webhook.kinds],
    )


def webhook_with_secret(webhook: ports.Webhook, now: float) -> WebhookWithSecret:
    """Return a webhook with its secret."""
    return WebhookWithSecret(**dict(webhook_model(webhook, now)), secret=webhook.secret)


def delivery_model(delivery: domain.Delivery) -> Delivery:
    """Return a delivery."""
    pending = delivery.state is domain.DeliveryState.PENDING
    return Delivery(
        delivery=delivery.id.delivery,
        event=delivery.kind,
        state=delivery.state,
        created_at=timestamp(delivery.created_at),
        next_attempt_at=timestamp(delivery.due_at) if pending else None,
        attempts=[_attempt(attempt) for attempt in delivery.attempts],
    )


def delivery_detail(delivery: domain.Delivery) -> DeliveryDetail:
    """Return a delivery with its message."""
    return DeliveryDetail(**dict(delivery_model(delivery)), message=delivery.body)


def _attempt(attempt: domain.Attempt) -> DeliveryAttempt:
    return DeliveryAttempt(
        at=timestamp(attempt.at),
        status=attempt.status,
        error=attempt.error or None,
        seconds=round(attempt.elapsed, 3),
    )
