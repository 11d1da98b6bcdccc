"""Webhooks in DynamoDB."""

from wavecrawl.adapters.aws.names import webhook_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.ports.webhooks import Webhook


class DynamoWebhooks:
    """`ports.webhooks.Webhooks`."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._webhooks = PackedItems(table, Webhook)

    def create(self, webhook: Webhook) -> bool:
        """Store a new webhook; return False, with nothing changed, if its id is taken."""
        return self._webhooks.add(webhook_row(webhook.tenant, webhook.webhook), webhook, version=webhook.version)

    def read(self, tenant: str, webhook: str) -> Webhook | None:
        """Return a webhook, or None."""
        return self._webhooks.get(webhook_row(tenant, webhook))

    def update(self, webhook: Webhook) -> bool:
        """Replace the webhook whose version is one lower; return False if there is none."""
        return self._webhooks.replace(webhook_row(webhook.tenant, webhook.webhook), webhook, version=webhook.version)

    def delete(self, tenant: str, webhook: str) -> bool:
        """Delete a webhook; return whether it existed."""
        return self._table.delete(webhook_row(tenant, webhook))

    def of_tenant(self, tenant: str) -> list[Webhook]:
        """Return a tenant's webhooks by id."""
        return [self._webhooks.unpack(item) for item in self._table.query(*webhook_row(tenant, ""))]
