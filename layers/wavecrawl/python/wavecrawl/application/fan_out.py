"""Fan an event out: one delivery for each webhook of its tenant that wants it (spec [36])."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from wavecrawl.domain.webhooks.delivery import Delivery, DeliveryId, delivery_name
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.deliveries import Deliveries, DeliveryQueue
from wavecrawl.ports.events import CrawlEvent
from wavecrawl.ports.webhooks import Webhooks


@dataclass(frozen=True, slots=True, kw_only=True)
class FanOutPorts:
    """What fanning out needs of the world."""

    webhooks: Webhooks
    deliveries: Deliveries
    queue: DeliveryQueue
    clock: Clock


def fan_out(event: CrawlEvent, ports: FanOutPorts) -> int:
    """Return how many webhooks will be told. Doing so again adds nothing, as a delivery is named after its event."""
    told = 0
    body = message_of(event)
    now = ports.clock.now()
    for webhook in ports.webhooks.of_tenant(event.crawl.tenant):
        if webhook.wants(event.kind):
            name = delivery_name(event.at, str(event.crawl), str(event.sequence), webhook.webhook)
            id_ = DeliveryId(tenant=webhook.tenant, webhook=webhook.webhook, delivery=name)
            ports.deliveries.add(Delivery(id=id_, kind=event.kind.value, body=body, created_at=now, due_at=now))
            ports.queue.send(id_)  # also where it was there: whoever added it may not have come so far
            told += 1
    return told


def message_of(event: CrawlEvent) -> str:
    """Return the payload that the Standard Webhooks specification proposes: type, timestamp, data."""
    data: dict[str, Any] = {
        "crawl": event.crawl.crawl,
        "site": event.crawl.site,
        "status": event.status,
        "root_url": event.root_url,
        "pages": event.pages,
    }
    if event.error:
        data["error"] = event.error
    return message(event.kind.value, event.at, data | dict(event.data))


def message(kind: str, at: float, data: dict[str, Any]) -> str:
    """Return a payload."""
    timestamp = datetime.fromtimestamp(at, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return msgspec.json.encode({"type": kind, "timestamp": timestamp, "data": data}).decode()


class DirectEvents:
    """`ports.events.Events` where no bus stands between: an event becomes deliveries at once."""

    def __init__(self, ports: FanOutPorts) -> None:
        self._ports = ports

    def publish(self, event: CrawlEvent) -> None:
        """Tell the tenant's webhooks."""
        fan_out(event, self._ports)
