"""Events of a data folder. The code that delivers them is loaded only if the folder has a webhook."""

from collections.abc import Callable

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.ports.events import CrawlEvent, Events


class QuietEvents:
    """`ports.events.Events`: publishes through the result of `load`, or not at all if the folder has no webhook."""

    def __init__(self, database: Database, load: Callable[[], Events]) -> None:
        self._database = database
        self._load = load
        self._events: Events | None = None

    def publish(self, event: CrawlEvent) -> None:
        """Publish an event, if the folder has a webhook."""
        if self._events is None and self._database.rows("SELECT 1 FROM webhook LIMIT 1"):
            self._events = self._load()
        if self._events is not None:
            self._events.publish(event)
