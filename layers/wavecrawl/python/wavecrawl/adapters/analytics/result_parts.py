"""Rows of queries, one part at a time."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import duckdb
import msgspec

from wavecrawl.ports.results import Mark, Part

_RowType = TypeVar("_RowType")
_FIRST = -1  # the row before all others
_ALL = 2**62  # rows


def read_part(
    db: duckdb.DuckDBPyConnection,
    sql: str,
    kind: type[_RowType],
    values: dict[str, object] | None = None,
    *,
    limit: int,
    after: Mark | None,
    counted: bool = True,
) -> Part[_RowType]:
    """Return one part of a query for at most $limit rows after $row, with the number of rows of all parts."""
    parameters = {**(values or {}), "row": _FIRST if after is None else after.row, "limit": limit + 1}
    found = rows_of(db.execute(sql, parameters))
    shown = found[:limit]
    following = Mark(row=shown[-1]["row"]) if len(found) > limit else None
    total = None
    if counted:
        everything = {**parameters, "row": _FIRST, "limit": _ALL}
        ((total,),) = db.execute(f"SELECT count(*) FROM ({sql})", everything).fetchall()
    return Part(rows=tuple(_converted(shown, kind)), following=following, total=total)


def _converted(rows: Sequence[dict[str, Any]], kind: type[_RowType]) -> Iterator[_RowType]:
    for row in rows:
        yield msgspec.convert({name: value for name, value in row.items() if name != "row"}, kind)


def rows_of(found: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Return the rows of a query by column name."""
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
