"""robots.txt files in SQLite."""

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.politeness.robots import RobotsFile

_ROBOTS = msgspec.msgpack.Decoder(RobotsFile)
_encode = msgspec.msgpack.Encoder().encode


class SqliteRobotsCache:
    """`ports.robots_cache.RobotsCache`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, origin: str) -> RobotsFile | None:
        """Return the file last stored for an origin, or None."""
        rows = self._database.rows("SELECT file FROM robots WHERE origin = ?", origin)
        return _ROBOTS.decode(rows[0][0]) if rows else None

    def write(self, file: RobotsFile) -> None:
        """Store a file under its origin."""
        self._database.change("INSERT OR REPLACE INTO robots (origin, file) VALUES (?, ?)", file.origin, _encode(file))
