"""Events that are also lines of the service's log."""

import msgspec

from wavecrawl.adapters.embedded.service_log import write_service_log
from wavecrawl.ports.events import CrawlEvent, Events


class LoggedEvents(msgspec.Struct, frozen=True):
    """`ports.events.Events`: writes a line for each event, then publishes it."""

    events: Events

    def publish(self, event: CrawlEvent) -> None:
        """Log and publish an event."""
        fields = {
            "event": event.kind.value,
            "crawl": str(event.crawl),
            "sequence": event.sequence,
            "status": event.status,
            "pages": event.pages,
            "data": event.data,
        }
        write_service_log("crawl event", fields | ({"error": event.error} if event.error else {}))
        self.events.publish(event)
