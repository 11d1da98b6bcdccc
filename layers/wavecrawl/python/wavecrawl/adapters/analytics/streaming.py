"""Long DuckDB results: read in chunks, or copied into files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

_ROWS = 10_000


def streamed(db: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query; do not use the connection for another query until the last row."""
    rows = db.execute(query)
    while chunk := rows.fetchmany(_ROWS):
        yield from chunk


def copy_rows(db: duckdb.DuckDBPyConnection, query: str, path: Path, options: str) -> None:
    """Write the rows of a query into a file."""
    db.execute(f"COPY ({query}) TO {quoted(path)} ({options})")


def quoted(path: Path) -> str:
    """Return a path as an SQL string."""
    return "'" + str(path).replace("'", "''") + "'"
