"""The event log in DynamoDB: one small row an entry, beside the crawl's waves. One write unit an entry."""

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, float_of, number, text, text_of
from wavecrawl.adapters.aws.names import EVENT, event_row
from wavecrawl.adapters.aws.table import NewRow, Table
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.event_log import LoggedEvent


class DynamoEventLog:
    """`ports.event_log.EventLog`."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def append(self, crawl: CrawlId, event: LoggedEvent) -> bool:
        """Add an entry; return False, with nothing changed, where its sequence is taken."""
        row = {
            "kind": text(event.kind.value),
            "at": number(event.at),
            "data": binary(msgspec.json.encode(event.data)),
        }
        key = event_row(crawl, event.sequence)
        return self._table.put(NewRow(key=key, row=row, condition="attribute_not_exists(#pk)")).made

    def after(self, crawl: CrawlId, sequence: int, *, limit: int) -> list[LoggedEvent]:
        """Return the entries above `sequence`, in order, read consistently."""
        partition, last_seen = event_row(crawl, max(sequence, 0))
        above = last_seen if sequence >= 0 else ""
        return [_event(row) for row in self._table.oldest(partition, EVENT, limit=limit, above=above)]


def _event(row: Row) -> LoggedEvent:
    return LoggedEvent(
        sequence=int(text_of(row, "sk").removeprefix(EVENT)),
        kind=EventKind(text_of(row, "kind")),
        at=float_of(row, "at"),
        data=msgspec.json.decode(bytes_of(row, "data")),
    )
