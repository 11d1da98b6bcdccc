"""The event log in SQLite."""

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.event_log import LoggedEvent


class SqliteEventLog:
    """`ports.event_log.EventLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, crawl: CrawlId, event: LoggedEvent) -> bool:
        """Add an entry; return False, with nothing changed, where its sequence is taken."""
        sql = "INSERT INTO event (crawl, sequence, kind, at, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        data = msgspec.json.encode(event.data)
        return self._database.change(sql, str(crawl), event.sequence, event.kind.value, event.at, data) == 1

    def after(self, crawl: CrawlId, sequence: int, *, limit: int) -> list[LoggedEvent]:
        """Return the entries above `sequence`, in order."""
        sql = "SELECT sequence, kind, at, data FROM event WHERE crawl = ? AND sequence > ? ORDER BY sequence LIMIT ?"
        return [
            LoggedEvent(sequence=number, kind=EventKind(kind), at=at, data=msgspec.json.decode(data))
            for number, kind, at, data in self._database.rows(sql, str(crawl), sequence, limit)
        ]
