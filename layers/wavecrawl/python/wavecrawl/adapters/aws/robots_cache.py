"""robots.txt files in DynamoDB."""

import zlib

import msgspec

from wavecrawl.adapters.aws.attributes import binary, bytes_of
from wavecrawl.adapters.aws.names import (
    robots_row,
)
from wavecrawl.adapters.aws.table import NewRow, Table
from wavecrawl.domain.politeness.robots import RobotsFile

_ROBOTS = msgspec.msgpack.Decoder(RobotsFile)
_encode = msgspec.msgpack.Encoder().encode
_MAX_ROBOTS = 350 * 1024  # bytes, well below the 400 KB of an item


class DynamoRobotsCache:
    """`ports.robots_cache.RobotsCache`. A file that no item can hold is not kept: it is asked for again."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def read(self, origin: str) -> RobotsFile | None:
        """Return the file last stored for an origin, or None."""
        row = self._table.get(robots_row(origin), consistent=False)
        return _ROBOTS.decode(zlib.decompress(bytes_of(row, "file"))) if row else None

    def write(self, file: RobotsFile) -> None:
        """Store a file under its origin."""
        data = zlib.compress(_encode(file), 6)
        if len(data) > _MAX_ROBOTS:
            self._table.delete(robots_row(file.origin))
            return
        self._table.put(NewRow(key=robots_row(file.origin), row={"file": binary(data)}))
