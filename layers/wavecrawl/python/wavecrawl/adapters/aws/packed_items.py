"""Rows of one dataclass in the table."""

from typing import Any, Generic

from wavecrawl.adapters.aws.attributes import Row
from wavecrawl.adapters.aws.names import Key
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NEW, NewRow
from wavecrawl.adapters.packed_rows import PackedRows, Shape

_RESERVED = frozenset(("pk", "sk", "packed", "expires_at"))  # the last is the time to live


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
        """Return the write that stores a row if there is none."""
        return NewRow(key=key, row=self.item(row, **attributes), condition=NEW)

    def add(self, key: Key, row: Shape, **attributes: Any) -> bool:
        """Store a row; return False, with nothing changed, if there is another one."""
        return self._store(self.new(key, row, **attributes))

    def replace(self, key: Key, row: Shape, *, version: int, **attributes: Any) -> bool:
        """Replace the row whose version is one lower; return False if there is none."""
        item = self.item(row, version=version, **attributes)
        return self._store(NewRow(key=key, row=item, condition="#version = :before", values={"before": version - 1}))

    def _store(self, new: NewRow) -> bool:
        """Write. botocore sends a write again if its response was lost: the repeat finds the item of the first."""
        answer = self._table.put(new)
        return answer.made or answer.row.get("packed") == new.row["packed"]
