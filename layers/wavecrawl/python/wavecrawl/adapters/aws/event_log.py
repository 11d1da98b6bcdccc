"""The event log in DynamoDB: one small row per entry, beside the crawl's waves."""

from wavecrawl.adapters.aws.names import EVENT, event_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.event_log import LoggedEvent


class DynamoEventLog:
    """`ports.event_log.EventLog`. An entry costs one write unit."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._events = PackedItems(table, LoggedEvent)

    def append(self, crawl: CrawlId, event: LoggedEvent) -> bool:
        """Add an entry; return False, with nothing changed, if its sequence is taken."""
        return self._table.put(self._events.new(event_row(crawl, event.sequence), event)).made

    def after(self, crawl: CrawlId, sequence: int, *, limit: int) -> list[LoggedEvent]:
        """Return the entries above `sequence`, in order, read consistently."""
        partition, last_seen = event_row(crawl, max(sequence, 0))
        above = last_seen.removeprefix(EVENT) if sequence >= 0 else ""
        return [self._events.unpack(item) for item in self._table.query(partition, EVENT, after=above, limit=limit)]
