"""An events port without listeners."""

from wavecrawl.ports.events import CrawlEvent


class NoEvents:
    """`ports.events.Events` that drops every event."""

    def publish(self, event: CrawlEvent) -> None:
        """Drop an event."""
