"""Deliveries in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.webhooks.delivery import KEPT, Delivery, DeliveryId, DeliveryState

TURNS = 5
"""The most deliveries of one tenant that `due` returns at once."""

_DUE = """
SELECT tenant, webhook, delivery FROM (
    SELECT *, row_number() OVER (PARTITION BY tenant ORDER BY due_at) AS turn FROM delivery
    WHERE state = ? AND due_at <= ?)
WHERE turn <= ? ORDER BY turn, due_at LIMIT ?
"""


class SqliteDeliveries:
    """`ports.deliveries.Deliveries`, and the delivery queue of one machine."""

    def __init__(self, database: Database) -> None:
        self._database = database
        key, columns = ("id.tenant", "id.webhook", "id.delivery"), ("version", "state", "due_at", "created_at")
        self._deliveries = PackedTable(database, "delivery", Delivery, key=key, columns=columns)

    def add(self, delivery: Delivery) -> bool:
        """Store a new delivery; return False, with nothing changed, if its id is taken."""
        return self._deliveries.add(delivery)

    def read(self, id_: DeliveryId) -> Delivery | None:
        """Return a delivery, or None."""
        return self._deliveries.get(id_.tenant, id_.webhook, id_.delivery)

    def save(self, delivery: Delivery) -> bool:
        """Replace the delivery whose version is one lower; return False if there is none."""
        return self._deliveries.replace(delivery, version=delivery.version)

    def of_webhook(self, tenant: str, webhook: str, *, limit: int, before: str = "") -> list[Delivery]:
        """Return a webhook's deliveries from the newest down, only those with ids below `before` if given."""
        where = "tenant = ?1 AND webhook = ?2 AND (?3 = '' OR delivery < ?3) ORDER BY delivery DESC LIMIT ?4"
        return self._deliveries.find(where, tenant, webhook, before, limit)

    def send(self, id_: DeliveryId) -> None:
        """`ports.deliveries.DeliveryQueue`: do nothing, as `due` finds the row."""

    def due(self, now: float, *, limit: int) -> list[DeliveryId]:
        """Return deliveries that are due, the longest waiting first, and at most `TURNS` per tenant.

        Each tenant's first delivery comes before any tenant's second, so slow receivers delay their own tenant only.
        """
        rows = self._database.rows(_DUE, DeliveryState.PENDING, now, TURNS, limit)
        return [DeliveryId(tenant=tenant, webhook=webhook, delivery=delivery) for tenant, webhook, delivery in rows]

    def expire(self, now: float) -> int:
        """Delete deliveries older than `KEPT`; return their number."""
        return self._database.change("DELETE FROM delivery WHERE created_at < ?", now - KEPT)
