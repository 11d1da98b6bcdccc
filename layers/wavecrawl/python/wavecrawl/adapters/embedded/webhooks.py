"""Webhooks in SQLite."""

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.ports.webhooks import Webhook

_WEBHOOK = msgspec.msgpack.Decoder(Webhook)
_encode = msgspec.msgpack.Encoder().encode


class SqliteWebhooks:
    """`ports.webhooks.Webhooks`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, webhook: Webhook) -> bool:
        """Store a new webhook; return False, with nothing changed, where the tenant has one of that id."""
        sql = "INSERT INTO webhook (tenant, webhook, version, row) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        values = (webhook.tenant, webhook.webhook, webhook.version, _encode(webhook))
        return self._database.change(sql, *values) == 1

    def read(self, tenant: str, webhook: str) -> Webhook | None:
        """Return a webhook, or None."""
        rows = self._database.rows("SELECT row FROM webhook WHERE tenant = ? AND webhook = ?", tenant, webhook)
        return _WEBHOOK.decode(rows[0][0]) if rows else None

    def update(self, webhook: Webhook) -> bool:
        """Replace the webhook whose version is one lower; return False where that is not so."""
        sql = "UPDATE webhook SET version = ?, row = ? WHERE tenant = ? AND webhook = ? AND version = ?"
        values = (webhook.version, _encode(webhook), webhook.tenant, webhook.webhook, webhook.version - 1)
        return self._database.change(sql, *values) == 1

    def delete(self, tenant: str, webhook: str) -> bool:
        """Delete a webhook; return whether there was one."""
        sql = "DELETE FROM webhook WHERE tenant = ? AND webhook = ?"
        return self._database.change(sql, tenant, webhook) == 1

    def of_tenant(self, tenant: str) -> list[Webhook]:
        """Return a tenant's webhooks by id."""
        rows = self._database.rows("SELECT row FROM webhook WHERE tenant = ? ORDER BY webhook", tenant)
        return [_WEBHOOK.decode(row) for (row,) in rows]
