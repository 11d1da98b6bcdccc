"""Webhooks in DynamoDB."""

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, number
from wavecrawl.adapters.aws.names import webhook_row
from wavecrawl.adapters.aws.table import Answer, NewRow, Table
from wavecrawl.domain.webhooks.delivery import Delivery
from wavecrawl.ports.webhooks import Webhook

_WEBHOOK = msgspec.msgpack.Decoder(Webhook)
_encode = msgspec.msgpack.Encoder().encode
_NEW = "attribute_not_exists(#pk)"


class DynamoWebhooks:
    """`ports.webhooks.Webhooks`."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def create(self, webhook: Webhook) -> bool:
        """Store a new webhook; return False, with nothing changed, where the tenant has one of that id."""
        key = webhook_row(webhook.tenant, webhook.webhook)
        return _made(self._table.put(NewRow(key=key, row=_attributes(webhook), condition=_NEW)), webhook)

    def read(self, tenant: str, webhook: str) -> Webhook | None:
        """Return a webhook, or None."""
        row = self._table.get(webhook_row(tenant, webhook))
        return _WEBHOOK.decode(bytes_of(row, "row")) if row else None

    def update(self, webhook: Webhook) -> bool:
        """Replace the webhook whose version is one lower; return False where that is not so."""
        key = webhook_row(webhook.tenant, webhook.webhook)
        return _replaced(self._table, NewRow(key=key, row=_attributes(webhook)), webhook)

    def delete(self, tenant: str, webhook: str) -> bool:
        """Delete a webhook; return whether there was one."""
        return self._table.delete(webhook_row(tenant, webhook))

    def of_tenant(self, tenant: str) -> list[Webhook]:
        """Return a tenant's webhooks by id."""
        rows = self._table.query(*webhook_row(tenant, ""))
        return [_WEBHOOK.decode(bytes_of(row, "row")) for row in rows]


def _attributes(value: Webhook | Delivery) -> Row:
    return {"row": binary(_encode(value)), "version": number(value.version)}


def _made(answer: Answer, value: Webhook | Delivery) -> bool:
    return answer.made or bytes_of(answer.row, "row") == _encode(value)


def _replaced(table: Table, row: NewRow, value: Webhook | Delivery) -> bool:
    before = {":before": number(value.version - 1)}
    put = NewRow(key=row.key, row=row.row, condition="#version = :before", values=before)
    return _made(table.put(put), value)
