"""Deliveries in SQLite."""

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.webhooks.delivery import KEPT, Delivery, DeliveryId, DeliveryState

_DELIVERY = msgspec.msgpack.Decoder(Delivery)
_encode = msgspec.msgpack.Encoder().encode
TURNS = 5
"""Deliveries of one tenant that are handed out at once."""


class SqliteDeliveries:
    """`ports.deliveries.Deliveries`, and its own queue: what is due can be asked for."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, delivery: Delivery) -> bool:
        """Store a new delivery; return False, with nothing changed, where there is one of that name."""
        sql = (
            "INSERT INTO delivery (tenant, webhook, delivery, version, pending, due_at, created_at, row) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        )
        id_ = delivery.id
        values = (id_.tenant, id_.webhook, id_.delivery, delivery.version, _pending(delivery), delivery.due_at)
        return self._database.change(sql, *values, delivery.created_at, _encode(delivery)) == 1

    def read(self, id_: DeliveryId) -> Delivery | None:
        """Return a delivery, or None."""
        found = self._rows("tenant = ? AND webhook = ? AND delivery = ?", id_.tenant, id_.webhook, id_.delivery)
        return found[0] if found else None

    def save(self, delivery: Delivery) -> bool:
        """Replace the delivery whose version is one lower; return False where that is not so."""
        sql = (
            "UPDATE delivery SET version = ?, pending = ?, due_at = ?, row = ? "
            "WHERE tenant = ? AND webhook = ? AND delivery = ? AND version = ?"
        )
        id_ = delivery.id
        values = (delivery.version, _pending(delivery), delivery.due_at, _encode(delivery))
        return self._database.change(sql, *values, id_.tenant, id_.webhook, id_.delivery, delivery.version - 1) == 1

    def of_webhook(self, tenant: str, webhook: str, *, limit: int, before: str = "") -> list[Delivery]:
        """Return a webhook's deliveries from the newest down; where given, only those of names below `before`."""
        where = "tenant = ?1 AND webhook = ?2 AND (?3 = '' OR delivery < ?3) ORDER BY delivery DESC LIMIT ?4"
        return self._rows(where, tenant, webhook, before, limit)

    def send(self, id_: DeliveryId) -> None:
        """`ports.deliveries.DeliveryQueue`: the row itself says that it is due."""

    def due(self, now: float, *, limit: int) -> list[DeliveryId]:
        """Return deliveries that are due, those that wait longest first, but few of each tenant.

        Every tenant has its turn before any has its second: receivers that are slow hold up their own tenant.
        """
        sql = (
            "SELECT tenant, webhook, delivery FROM ("
            "SELECT *, row_number() OVER (PARTITION BY tenant ORDER BY due_at) AS turn FROM delivery "
            "WHERE pending = 1 AND due_at <= ?) WHERE turn <= ? ORDER BY turn, due_at LIMIT ?"
        )
        return [
            DeliveryId(tenant=tenant, webhook=webhook, delivery=delivery)
            for tenant, webhook, delivery in self._database.rows(sql, now, TURNS, limit)
        ]

    def expire(self, now: float) -> int:
        """Delete what is older than deliveries are kept; return how many."""
        return self._database.change("DELETE FROM delivery WHERE created_at < ?", now - KEPT)

    def _rows(self, where: str, *values: object) -> list[Delivery]:
        sql = f"SELECT row FROM delivery WHERE {where}"  # noqa: S608 - constants of this class
        return [_DELIVERY.decode(row) for (row,) in self._database.rows(sql, *values)]


def _pending(delivery: Delivery) -> int:
    return int(delivery.state is DeliveryState.PENDING)
