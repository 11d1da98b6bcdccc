"""The event log in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.event_log import LoggedEvent


class SqliteEventLog:
    """`ports.event_log.EventLog`."""

    def __init__(self, database: Database) -> None:
        self._events = PackedTable(database, "event", LoggedEvent, key=("crawl", "sequence"))

    def append(self, crawl: CrawlId, event: LoggedEvent) -> bool:
        """Add an entry; return False, with nothing changed, if its sequence is taken."""
        return self._events.add(event, crawl=str(crawl))

    def after(self, crawl: CrawlId, sequence: int, *, limit: int) -> list[LoggedEvent]:
        """Return the entries above `sequence`, in order."""
        where = "crawl = ? AND sequence > ? ORDER BY sequence LIMIT ?"
        return self._events.find(where, str(crawl), sequence, limit)
