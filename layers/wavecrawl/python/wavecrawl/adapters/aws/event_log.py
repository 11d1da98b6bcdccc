"""The event log in DynamoDB: one small row an entry, beside the crawl's waves. One write unit an entry."""

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, float_of, number, text, text_of
from wavecrawl.adapters.aws.names import EVENT, event_row
from wavecrawl.adapters.aws.table import NewRow, Table
from wavecrawl.domain.job import CrawlId
from wavecrawl.ports.event_log import LoggedEvent
from wavecrawl.ports.events import EventKind

_LAST = 9_999_999  # the highest sequence that its sort key has digits for


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
        partition, first = event_row(crawl, sequence + 1)
        last = event_row(crawl, _LAST)[1]
        return [_event(row) for row in self._table.between(partition, first, last, limit=limit)]


def _event(row: Row) -> LoggedEvent:
    return LoggedEvent(
        sequence=int(text_of(row, "sk").removeprefix(EVENT)),
        kind=EventKind(text_of(row, "kind")),
        at=float_of(row, "at"),
        data=msgspec.json.decode(bytes_of(row, "data")),
    )
