"""Operations on webhooks and their deliveries."""

from collections.abc import Iterator
from functools import partial

from wavecrawl.api_models.webhooks import (
    Delivery,
    DeliveryDetail,
    DeliveryList,
    NewWebhook,
    SecretRotation,
    Webhook,
    WebhookList,
    WebhookUpdate,
    WebhookWithSecret,
)
from wavecrawl.client.operations import Operations, items


class WebhookOperations(Operations):
    """Operations on webhooks."""

    def create_webhook(self, webhook: NewWebhook, *, idempotency_key: str | None = None) -> WebhookWithSecret:
        """Create a webhook. The response contains its secret, which is shown once."""
        return self._post(WebhookWithSecret, "webhooks", body=webhook, idempotency_key=idempotency_key)

    def list_webhooks(self) -> WebhookList:
        """List all webhooks."""
        return self._get(WebhookList, "webhooks")

    def get_webhook(self, webhook: str) -> Webhook:
        """Get a webhook, without its secret."""
        return self._get(Webhook, "webhooks", webhook)

    def update_webhook(self, webhook: str, update: WebhookUpdate) -> Webhook:
        """Update a webhook."""
        return self._patch(Webhook, "webhooks", webhook, body=update)

    def delete_webhook(self, webhook: str) -> None:
        """Delete a webhook. Messages that wait for a retry are not sent."""
        self._delete("webhooks", webhook)

    def rotate_webhook_secret(
        self, webhook: str, rotation: SecretRotation, *, idempotency_key: str | None = None
    ) -> WebhookWithSecret:
        """Rotate the secret of a webhook. The response contains the new one, which is shown once."""
        key = idempotency_key
        return self._post(WebhookWithSecret, "webhooks", webhook, "secret", body=rotation, idempotency_key=key)

    def test_webhook(self, webhook: str, *, idempotency_key: str | None = None) -> DeliveryDetail:
        """Send a test message to a webhook."""
        return self._post(DeliveryDetail, "webhooks", webhook, "test", idempotency_key=idempotency_key)

    def list_deliveries(self, webhook: str, *, cursor: str | None = None, limit: int | None = None) -> DeliveryList:
        """List the deliveries to a webhook, newest first."""
        return self._get(DeliveryList, "webhooks", webhook, "deliveries", cursor=cursor, limit=limit)

    def iter_deliveries(self, webhook: str, *, limit: int | None = None) -> Iterator[Delivery]:
        """Yield all deliveries to a webhook, newest first, `limit` per request."""
        return items(partial(self.list_deliveries, webhook, limit=limit), lambda page: page.deliveries)

    def get_delivery(self, webhook: str, delivery: str) -> DeliveryDetail:
        """Get a delivery with its message."""
        return self._get(DeliveryDetail, "webhooks", webhook, "deliveries", delivery)

    def redeliver(self, webhook: str, delivery: str, *, idempotency_key: str | None = None) -> DeliveryDetail:
        """Send the message of a delivery again."""
        path = ("webhooks", webhook, "deliveries", delivery, "redeliver")
        return self._post(DeliveryDetail, *path, idempotency_key=idempotency_key)
