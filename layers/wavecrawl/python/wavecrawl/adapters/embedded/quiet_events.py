"""Events of a data folder, which few webhooks listen to: what tells them is loaded once there is one."""

from collections.abc import Callable

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.ports.events import CrawlEvent, Events


class QuietEvents:
    """`ports.events.Events`: events go to what `load` returns, and nowhere as long as the folder has no webhook."""

    def __init__(self, database: Database, load: Callable[[], Events]) -> None:
        self._database = database
        self._load = load
        self._events: Events | None = None

    def publish(self, event: CrawlEvent) -> None:
        """Tell whoever listens, if anybody does."""
        if self._events is None and self._database.rows("SELECT 1 FROM webhook LIMIT 1"):
            self._events = self._load()
        if self._events is not None:
            self._events.publish(event)
