"""Webhooks in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.ports.webhooks import Webhook


class SqliteWebhooks:
    """`ports.webhooks.Webhooks`."""

    def __init__(self, database: Database) -> None:
        self._webhooks = PackedTable(database, "webhook", Webhook, key=("tenant", "webhook"), columns=("version",))

    def create(self, webhook: Webhook) -> bool:
        """Store a new webhook; return False, with nothing changed, if its id is taken."""
        return self._webhooks.add(webhook)

    def read(self, tenant: str, webhook: str) -> Webhook | None:
        """Return a webhook, or None."""
        return self._webhooks.get(tenant, webhook)

    def update(self, webhook: Webhook) -> bool:
        """Replace the webhook whose version is one lower; return False if there is none."""
        return self._webhooks.replace(webhook, version=webhook.version)

    def delete(self, tenant: str, webhook: str) -> bool:
        """Delete a webhook; return whether it existed."""
        return self._webhooks.delete(tenant, webhook)

    def of_tenant(self, tenant: str) -> list[Webhook]:
        """Return a tenant's webhooks by id."""
        return self._webhooks.find("tenant = ? ORDER BY webhook", tenant)
