"""Webhooks in DynamoDB, their secrets encrypted."""

from msgspec.structs import replace

from wavecrawl.adapters.aws.names import webhook_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.webhook_key import WebhookKey
from wavecrawl.adapters.aws.writes import NewRow
from wavecrawl.adapters.sealed_text import is_sealed
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.webhooks import Webhook


class DynamoWebhooks:
    """`ports.webhooks.Webhooks`. Rows of earlier versions, with clear secrets, are rewritten when they are read."""

    def __init__(self, table: Table, key: WebhookKey) -> None:
        self._table = table
        self._key = key
        self._webhooks = PackedItems(table, Webhook)

    def create(self, webhook: Webhook) -> bool:
        """Store a new webhook; return False, with nothing changed, if its id is taken."""
        return self._webhooks.add(
            webhook_row(webhook.tenant, webhook.webhook), self._sealed(webhook), version=webhook.version
        )

    def read(self, tenant: str, webhook: str) -> Webhook | None:
        """Return a webhook, or None."""
        found = self._webhooks.get(webhook_row(tenant, webhook))
        return None if found is None else self._opened(found)

    def update(self, webhook: Webhook) -> bool:
        """Replace the webhook whose version is one lower; return False if there is none."""
        key = webhook_row(webhook.tenant, webhook.webhook)
        return self._webhooks.replace(key, self._sealed(webhook), version=webhook.version)

    def delete(self, tenant: str, webhook: str) -> bool:
        """Delete a webhook; return whether it existed."""
        return self._table.delete(webhook_row(tenant, webhook))

    def of_tenant(self, tenant: str) -> list[Webhook]:
        """Return a tenant's webhooks by id, those whose secrets cannot be read without them."""
        found = map(self._webhooks.unpack, self._table.query(*webhook_row(tenant, "")))
        return [self._opened_if_readable(webhook) for webhook in found]

    def stale(self, tenant: str) -> list[str]:
        """Return the ids of a tenant's webhooks with secrets that are not sealed with the current key."""
        found = map(self._webhooks.unpack, self._table.query(*webhook_row(tenant, "")))
        return [
            row.webhook
            for row in found
            if not all(map(self._key.is_current, filter(None, (row.secret, row.old_secret))))
        ]

    def reseal(self, tenant: str, webhook: str) -> None:
        """Seal the secrets of a webhook with the current key, unless another process changes the webhook meanwhile.

        Raise CorruptDataError if a secret cannot be read.
        """
        found = self.read(tenant, webhook)
        if found is not None:
            self._rewrite(found)

    def _sealed(self, webhook: Webhook) -> Webhook:
        about, old = _context(webhook), webhook.old_secret
        return replace(
            webhook,
            secret=self._key.seal(webhook.secret, about),
            old_secret=self._key.seal(old, about) if old else "",
        )

    def _opened(self, webhook: Webhook) -> Webhook:
        if not is_sealed(webhook.secret):
            self._rewrite(webhook)
            return webhook
        about, old = _context(webhook), webhook.old_secret
        return replace(
            webhook,
            secret=self._key.open(webhook.secret, about),
            old_secret=self._key.open(old, about) if old else "",
        )

    def _opened_if_readable(self, webhook: Webhook) -> Webhook:
        try:
            return self._opened(webhook)
        except CorruptDataError:  # the tenant's other webhooks still work; `read` raises it for this one
            return replace(webhook, secret="", old_secret="")

    def _rewrite(self, webhook: Webhook) -> None:
        """Encrypt the secrets of a row, unless another process has changed it since."""
        item = self._webhooks.item(self._sealed(webhook), version=webhook.version)
        key = webhook_row(webhook.tenant, webhook.webhook)
        self._table.put(NewRow(key=key, row=item, condition="#version = :before", values={"before": webhook.version}))


def _context(webhook: Webhook) -> str:
    return f"webhook {webhook.tenant}/{webhook.webhook}"
