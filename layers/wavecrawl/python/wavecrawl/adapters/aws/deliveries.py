"""Deliveries in DynamoDB."""

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, number
from wavecrawl.adapters.aws.names import Key, delivery_row
from wavecrawl.adapters.aws.table import Answer, NewRow, Table
from wavecrawl.domain.webhooks.delivery import KEPT, Delivery, DeliveryId
from wavecrawl.ports.webhooks import Webhook

_DELIVERY = msgspec.msgpack.Decoder(Delivery)
_encode = msgspec.msgpack.Encoder().encode
_NEW = "attribute_not_exists(#pk)"


class DynamoDeliveries:
    """`ports.deliveries.Deliveries`. Rows expire by the table's time to live."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def add(self, delivery: Delivery) -> bool:
        """Store a new delivery; return False, with nothing changed, where there is one of that name."""
        row = _expiring(delivery)
        return _made(self._table.put(NewRow(key=_key(delivery.id), row=row, condition=_NEW)), delivery)

    def read(self, id_: DeliveryId) -> Delivery | None:
        """Return a delivery, or None."""
        row = self._table.get(_key(id_))
        return _DELIVERY.decode(bytes_of(row, "row")) if row else None

    def save(self, delivery: Delivery) -> bool:
        """Replace the delivery whose version is one lower; return False where that is not so."""
        row = _expiring(delivery)
        return _replaced(self._table, NewRow(key=_key(delivery.id), row=row), delivery)

    def of_webhook(self, tenant: str, webhook: str, *, limit: int, before: str = "") -> list[Delivery]:
        """Return a webhook's deliveries from the newest down; where given, only those of names below `before`."""
        partition, prefix = delivery_row(tenant, webhook, "")
        below = f"{prefix}{before}" if before else ""
        rows = self._table.query(partition, prefix, below=below, newest=limit)
        return [_DELIVERY.decode(bytes_of(row, "row")) for row in rows]


def _key(id_: DeliveryId) -> Key:
    return delivery_row(id_.tenant, id_.webhook, id_.delivery)


def _attributes(value: Webhook | Delivery) -> Row:
    return {"row": binary(_encode(value)), "version": number(value.version)}


def _expiring(delivery: Delivery) -> Row:
    return _attributes(delivery) | {"expires_at": number(int(delivery.created_at + KEPT))}


def _made(answer: Answer, value: Webhook | Delivery) -> bool:
    return answer.made or bytes_of(answer.row, "row") == _encode(value)


def _replaced(table: Table, row: NewRow, value: Webhook | Delivery) -> bool:
    before = {":before": number(value.version - 1)}
    put = NewRow(key=row.key, row=row.row, condition="#version = :before", values=before)
    return _made(table.put(put), value)
