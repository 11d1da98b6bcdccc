"""Operations on webhooks. Generated from the OpenAPI document by `make generate`: do not edit."""

from collections.abc import Iterator

from wavecrawl.client.calls import Calls, pages, quoted
from wavecrawl.client.models import (
    DeliveryInFull,
    DeliveryList,
    DeliveryOutline,
    NewWebhook,
    SecretRotation,
    WebhookChange,
    WebhookList,
    WebhookShown,
    WebhookWithSecret,
)


class WebhooksOperations(Calls):
    """Operations on webhooks."""

    def list_webhooks(self) -> WebhookList:
        """List webhooks.

        List all of the tenant's webhooks.
        """
        return self._model(WebhookList, "GET", "/v1/webhooks")

    def add_webhook(self, body: NewWebhook, *, idempotency_key: str | None = None) -> WebhookWithSecret:
        """Create a webhook.

        Have messages sent to a URL. The answer shows the secret that they are signed with, this once.
        """
        return self._model(
            WebhookWithSecret, "POST", "/v1/webhooks", headers={"idempotency-key": idempotency_key}, body=body
        )

    def read_webhook(self, webhook: str) -> WebhookShown:
        """Look at a webhook.

        Return a webhook, without its secret.
        """
        return self._model(WebhookShown, "GET", f"/v1/webhooks/{quoted(webhook)}")

    def update_webhook(self, webhook: str, body: WebhookChange) -> WebhookShown:
        """Change a webhook.

        Change what is named. Messages that wait for another try go to the new URL.
        """
        return self._model(WebhookShown, "PATCH", f"/v1/webhooks/{quoted(webhook)}", body=body)

    def delete_webhook(self, webhook: str) -> None:
        """Delete a webhook.

        Send nothing more, what waits for another try included.
        """
        self._nothing("DELETE", f"/v1/webhooks/{quoted(webhook)}")

    def list_deliveries(self, webhook: str, *, cursor: str | None = None, limit: int | None = None) -> DeliveryList:
        """List deliveries.

        List what was sent to a webhook in the last 30 days, the newest first, with every attempt.
        """
        return self._model(
            DeliveryList, "GET", f"/v1/webhooks/{quoted(webhook)}/deliveries", query={"cursor": cursor, "limit": limit}
        )

    def iter_deliveries(self, webhook: str, *, limit: int | None = None) -> Iterator[DeliveryOutline]:
        """List deliveries: all of them, page after page."""

        def fetch(cursor: str | None) -> tuple[list[DeliveryOutline], str | None]:
            page = self.list_deliveries(webhook, limit=limit, cursor=cursor)
            return page.deliveries, page.next_cursor

        return pages(fetch)

    def read_delivery(self, webhook: str, delivery: str) -> DeliveryInFull:
        """Look at a delivery.

        Return a delivery with its message.
        """
        return self._model(DeliveryInFull, "GET", f"/v1/webhooks/{quoted(webhook)}/deliveries/{quoted(delivery)}")

    def redeliver(self, webhook: str, delivery: str, *, idempotency_key: str | None = None) -> DeliveryInFull:
        """Send a message once more.

        Send a message again at once, with the same id, whatever became of it; where it fails, for another day.
        """
        return self._model(
            DeliveryInFull,
            "POST",
            f"/v1/webhooks/{quoted(webhook)}/deliveries/{quoted(delivery)}/redeliver",
            headers={"idempotency-key": idempotency_key},
        )

    def rotate_webhook_secret(
        self, webhook: str, body: SecretRotation, *, idempotency_key: str | None = None
    ) -> WebhookWithSecret:
        """Replace a webhook's secret.

        Sign with a new secret, and for a while with the old one as well. The answer shows the new one, this once.
        """
        return self._model(
            WebhookWithSecret,
            "POST",
            f"/v1/webhooks/{quoted(webhook)}/secret",
            headers={"idempotency-key": idempotency_key},
            body=body,
        )

    def test_webhook(self, webhook: str, *, idempotency_key: str | None = None) -> DeliveryInFull:
        """Test a webhook.

        Send a message of kind `webhook.test`. The delivery says what became of it.
        """
        return self._model(
            DeliveryInFull, "POST", f"/v1/webhooks/{quoted(webhook)}/test", headers={"idempotency-key": idempotency_key}
        )
