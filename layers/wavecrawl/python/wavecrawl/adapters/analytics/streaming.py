"""Reading long answers of DuckDB some rows at a time."""

from collections.abc import Iterator
from typing import Any

import duckdb

_ROWS = 10_000


def streamed(db: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of an answer; the connection answers nothing else until the last of them."""
    rows = db.execute(query)
    while some := rows.fetchmany(_ROWS):
        yield from some
