"""robots.txt files in DynamoDB."""

from wavecrawl.adapters.aws.names import robots_row
from wavecrawl.adapters.aws.packed_items import MAX_BYTES, PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NewRow
from wavecrawl.domain.politeness.robots import RobotsFile


class DynamoRobotsCache:
    """`ports.robots_cache.RobotsCache`. A file that is too large for an item is not stored.

    Files expire when they may not be used any more.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._files = PackedItems(table, RobotsFile)

    def read(self, origin: str) -> RobotsFile | None:
        """Return the file last stored for an origin, or None."""
        return self._files.get(robots_row(origin), consistent=False)

    def write(self, file: RobotsFile) -> None:
        """Store a file under its origin."""
        item = self._files.item(file, expires_at=int(file.kept_until))
        if len(item["packed"]) > MAX_BYTES:
            self._table.delete(robots_row(file.origin))
            return
        self._table.put(NewRow(key=robots_row(file.origin), row=item))
