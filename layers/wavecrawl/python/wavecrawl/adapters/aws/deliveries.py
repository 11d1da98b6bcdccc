"""Deliveries in DynamoDB."""

from typing import Any

from wavecrawl.adapters.aws.names import delivery_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.webhooks.delivery import KEPT, Delivery, DeliveryId


class DynamoDeliveries:
    """`ports.deliveries.Deliveries`. The table's time to live deletes old rows."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._deliveries = PackedItems(table, Delivery)

    def add(self, delivery: Delivery) -> bool:
        """Store a new delivery; return False, with nothing changed, if its id is taken."""
        return self._deliveries.add(_key(delivery.id), delivery, **_attributes(delivery))

    def read(self, id_: DeliveryId) -> Delivery | None:
        """Return a delivery, or None."""
        return self._deliveries.get(_key(id_))

    def save(self, delivery: Delivery) -> bool:
        """Replace the delivery whose version is one lower; return False if there is none."""
        return self._deliveries.replace(_key(delivery.id), delivery, **_attributes(delivery))

    def of_webhook(self, tenant: str, webhook: str, *, limit: int, before: str = "") -> list[Delivery]:
        """Return a webhook's deliveries from the newest down, only those with ids below `before` if given."""
        partition, prefix = delivery_row(tenant, webhook, "")
        items = self._table.query(partition, prefix, before=before, limit=limit, descending=True)
        return [self._deliveries.unpack(item) for item in items]


def _key(id_: DeliveryId) -> tuple[str, str]:
    return delivery_row(id_.tenant, id_.webhook, id_.delivery)


def _attributes(delivery: Delivery) -> dict[str, Any]:
    return {"version": delivery.version, "expires_at": int(delivery.created_at + KEPT)}
