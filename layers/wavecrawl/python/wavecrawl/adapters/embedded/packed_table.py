"""Rows of one dataclass in an SQLite table."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Generic

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.packed_rows import PackedRows, Shape


class PackedTable(Generic[Shape]):
    """A table with a packed body, and columns for the fields that its key and queries need.

    `key` and `columns` name fields; the column of a nested field ("id.crawl") has the last name ("crawl"). Values of
    columns that are no fields are passed to each write as `beside`. The body is always complete and up to date.
    """

    # ruff: noqa: S608 - names of tables and columns are constants of the program

    def __init__(
        self, database: Database, table: str, shape: type[Shape], *, key: Sequence[str], columns: Sequence[str] = ()
    ) -> None:
        self._database = database
        self._table = table
        self._rows = PackedRows(shape)
        self._fields = {path.rpartition(".")[2]: attrgetter(path) for path in (*key, *columns)}
        self._key = list(self._fields)[: len(key)]
        self._is_key = " AND ".join(f"{name} = ?" for name in self._key)

    def get(self, *key: object) -> Shape | None:
        """Return a row, or None."""
        found = self.find(self._is_key, *key)
        return found[0] if found else None

    def find(self, where: str, *values: object) -> list[Shape]:
        """Return the rows that meet a condition; it may end in ORDER BY and LIMIT."""
        rows = self._database.rows(f"SELECT packed FROM {self._table} WHERE {where}", *values)
        return [self._rows.unpack(packed) for (packed,) in rows]

    def add(self, row: Shape, **beside: object) -> bool:
        """Store a row; return False, with nothing changed, if its key is taken."""
        columns = self._columns(row, beside)
        return self._database.change(self._insert(columns, "DO NOTHING"), *columns.values()) == 1

    def put(self, row: Shape, **beside: object) -> None:
        """Store a row, replacing the one of its key. Columns that are not given keep their values."""
        columns = self._columns(row, beside)
        self._database.change(self._upsert(columns), *columns.values())

    def replace(self, row: Shape, *, version: int) -> bool:
        """Replace the row of the same key whose version is one lower; return False if there is none."""
        columns = self._columns(row, {})
        assigned = ", ".join(f"{name} = ?" for name in columns)
        key = [columns[name] for name in self._key]
        where = " AND ".join((*([self._is_key] if self._key else []), "version = ?"))
        sql = f"UPDATE {self._table} SET {assigned} WHERE {where}"
        return self._database.change(sql, *columns.values(), *key, version - 1) == 1

    def delete(self, *key: object) -> bool:
        """Delete a row; return whether it existed."""
        return self._database.change(f"DELETE FROM {self._table} WHERE {self._is_key}", *key) == 1

    def _columns(self, row: Shape, beside: dict[str, object]) -> dict[str, object]:
        own = {name: field_of(row) for name, field_of in self._fields.items() if name not in beside}
        return own | beside | {"packed": self._rows.pack(row)}

    def _insert(self, columns: dict[str, object], conflict: str) -> str:
        marks = ", ".join("?" * len(columns))
        return f"INSERT INTO {self._table} ({', '.join(columns)}) VALUES ({marks}) ON CONFLICT {conflict}"

    def _upsert(self, columns: dict[str, object]) -> str:
        return self._insert(columns, f"DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in columns)}")
