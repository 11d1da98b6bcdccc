"""Rows of one dataclass in the table."""

from typing import Any, Final, Generic

from wavecrawl.adapters.aws.attributes import Row
from wavecrawl.adapters.aws.names import Key
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NEW, NewRow
from wavecrawl.adapters.packed_rows import PackedRows, Shape
from wavecrawl.errors import InvalidInputError

_RESERVED = frozenset(("pk", "sk", "packed", "expires_at"))  # the last is the time to live

MAX_BYTES: Final = 350 * 1024
"""Bytes of a body that fit into an item of 400 KB with its key and attributes, such as the error of a crawl.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
"""


class PackedItems(Generic[Shape]):
    """Items made of a packed body, and of attributes for conditions, updates and the time to live.

    An attribute named like a field is newer than the body: updates set attributes without reading the body.
    """

    def __init__(self, table: Table, shape: type[Shape]) -> None:
        self._table = table
        self._rows = PackedRows(shape)

    def item(self, row: Shape, **attributes: Any) -> Row:
        """Return the attributes of a row."""
        return {"packed": self._rows.pack(row), **attributes}

    def unpack(self, item: Row, **fields: Any) -> Shape:
        """Return the row of an item. `fields` are newer than its body and its attributes."""
        newer = {name: value for name, value in item.items() if name not in _RESERVED}
        return self._rows.unpack(item["packed"], newer | fields)

    def get(self, key: Key, *, consistent: bool = True) -> Shape | None:
        """Return a row, or None."""
        item = self._table.get(key, consistent=consistent)
        return self.unpack(item) if item else None

    def new(self, key: Key, row: Shape, **attributes: Any) -> NewRow:
        """Return the write that stores a row if there is none; raise InvalidInputError if the row is too large."""
        return NewRow(key=key, row=_checked(self.item(row, **attributes)), condition=NEW)

    def add(self, key: Key, row: Shape, **attributes: Any) -> bool:
        """Store a row; return False, with nothing changed, if there is another one."""
        return self._store(self.new(key, row, **attributes))

    def replace(self, key: Key, row: Shape, *, version: int, **attributes: Any) -> bool:
        """Replace the row whose version is one lower; return False if there is none. Raise as `new`."""
        item = _checked(self.item(row, version=version, **attributes))
        return self._store(NewRow(key=key, row=item, condition="#version = :before", values={"before": version - 1}))

    def _store(self, new: NewRow) -> bool:
        """Write. botocore sends a write again if its response was lost: the repeat finds the item of the first."""
        answer = self._table.put(new)
        return answer.made or answer.row.get("packed") == new.row["packed"]


def _checked(item: Row) -> Row:
    size = len(item["packed"])
    if size > MAX_BYTES:
        raise InvalidInputError(
            f"the settings take {size:,} bytes after compression, and at most {MAX_BYTES:,} can be stored. Shorten "
            "their lists. To crawl a list of URLs that is too long for a saved site, start a crawl without a site"
        )
    return item
