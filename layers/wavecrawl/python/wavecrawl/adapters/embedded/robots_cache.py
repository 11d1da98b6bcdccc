"""robots.txt files in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.politeness.robots import RobotsFile


class SqliteRobotsCache:
    """`ports.robots_cache.RobotsCache`."""

    def __init__(self, database: Database) -> None:
        self._files = PackedTable(database, "robots", RobotsFile, key=("origin",))

    def read(self, origin: str) -> RobotsFile | None:
        """Return the file last stored for an origin, or None."""
        return self._files.get(origin)

    def write(self, file: RobotsFile) -> None:
        """Store a file under its origin."""
        self._files.put(file)
