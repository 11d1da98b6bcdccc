"""Long DuckDB results, read in chunks."""

from collections.abc import Iterator
from typing import Any

import duckdb

_ROWS = 10_000


def streamed(db: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query; do not use the connection for another query until the last row."""
    rows = db.execute(query)
    while chunk := rows.fetchmany(_ROWS):
        yield from chunk
