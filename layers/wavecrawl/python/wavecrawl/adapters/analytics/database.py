"""DuckDB: databases with limits, and what its queries need in common."""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

import duckdb

from wavecrawl.domain.pages.spreadsheet_cells import sql_cell

UTF8_MARK: Final = "\ufeff"
"""The mark (BOM) at the beginning of a file by which Excel recognizes UTF-8."""

ISO_TIME: Final = "%Y-%m-%dT%H:%M:%SZ"
"""The format of times in CSV and JSON Lines (ISO 8601), in UTC."""

_OF_MACHINE: Final = ("No files found", *map(os.strerror, errno.errorcode))
_IDLE_MB = 256  # memory limit of an instance without a database
_ROWS = 10_000
_INSERTED = 1_000  # rows per statement
_TIMES = f"TIMESTAMPFORMAT '{ISO_TIME}'"


@contextmanager
def database(
    scratch: str | Path, *, memory_mb: int, threads: int | None = None, file: Path | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in memory, or in `file`. Data beyond the memory limit goes to the folder `scratch`.

    One thread keeps rows in the order of their files. `threads` None = as many as there are cores.
    """
    with _connected(str(file or ":memory:"), scratch, memory_mb=memory_mb, threads=threads) as db:
        yield db


def _connected(
    name: str, scratch: str | Path, *, memory_mb: int, threads: int | None
) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{memory_mb}MB",
        "temp_directory": str(scratch),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    if threads is not None:
        config["threads"] = threads
    return duckdb.connect(name, config=config)


class _Instance:
    """A running DuckDB that opens one database in memory after another."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.is_free = True  # False while it has a database, and once one of them failed


_INSTANCE: ContextVar[_Instance | None] = ContextVar("_INSTANCE", default=None)


@contextmanager
def one_instance(scratch: Path) -> Iterator[None]:
    """Let `memory_database` use one DuckDB in this block: it takes 10 ms of processor time to start.

    Data beyond a memory limit goes to the folder `scratch`, which is created if it is needed.
    """
    with _connected(":memory:", scratch, memory_mb=_IDLE_MB, threads=1) as connection:
        token = _INSTANCE.set(_Instance(connection))
        try:
            yield
        finally:
            _INSTANCE.reset(token)


@contextmanager
def memory_database(scratch: str | Path, *, memory_mb: int, threads: int = 1) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in memory like `database`. It must not be locked (`lock`), as its DuckDB may be used again.

    Within `one_instance` it is a database of that DuckDB, unless another one is open, or one has failed.
    """
    shared = _INSTANCE.get()
    if shared is not None and shared.is_free:
        with _opened(shared, memory_mb=memory_mb, threads=threads) as db:
            yield db
        return
    with (
        database(scratch, memory_mb=memory_mb, threads=threads) as own,
        _opened(_Instance(own), memory_mb=memory_mb, threads=threads) as db,
    ):
        yield db


@contextmanager
def _opened(instance: _Instance, *, memory_mb: int, threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
    instance.is_free = False
    with closing(instance.connection.cursor()) as db:
        db.execute(f"SET GLOBAL memory_limit = '{memory_mb}MB'")
        db.execute(f"SET GLOBAL threads = {threads}")
        db.execute("ATTACH ':memory:' AS present")
        db.execute("USE present")
        yield db
        db.execute("USE memory")
        db.execute("DETACH present")
    instance.is_free = True


def cursor_of(db: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return another connection to the same database. That of `db.cursor()` may be one to an empty database."""
    ((name,),) = db.execute("SELECT current_database()").fetchall()
    cursor = db.cursor()
    cursor.execute(f'USE "{name}"')
    return cursor


def is_damage(error: duckdb.Error) -> bool:
    """Return whether the error of reading a file says that the file is damaged.

    Others say that the machine has no memory, no access or no more open files, or that the file was deleted.
    """
    if isinstance(error, (duckdb.OutOfMemoryException, duckdb.InterruptException)):
        return False
    return not any(text in str(error) for text in _OF_MACHINE)


def lock(db: duckdb.DuckDBPyConnection, folders: Iterable[Path]) -> None:
    """Deny access to files outside of some folders, to extensions and to settings.

    https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview
    """
    db.execute("SET allowed_directories = $1", [sorted({str(folder) for folder in folders})])
    db.execute("SET enable_external_access = false")
    db.execute("SET lock_configuration = true")


def streamed(db: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query; do not use the connection for another query until the last row."""
    rows = db.execute(query, parameters)
    while chunk := rows.fetchmany(_ROWS):
        yield from chunk


def add_rows(db: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[object]]) -> None:
    """Insert rows into a table, many with each statement: one takes longer than its rows."""
    for first in range(0, len(rows), _INSERTED):
        some = rows[first : first + _INSERTED]
        places = ", ".join(f"({', '.join('?' * len(row))})" for row in some)
        db.execute(f"INSERT INTO {table} VALUES {places}", [value for row in some for value in row])


def copy_rows(db: duckdb.DuckDBPyConnection, query: str, path: Path, options: str) -> None:
    """Write the rows of a query into a file."""
    db.execute(f"COPY ({query}) TO {quoted(path)} ({options})")


def copy_csv(db: duckdb.DuckDBPyConnection, query: str, path: Path) -> None:
    """Write the rows of a query into a CSV file, with texts that neither spreadsheets nor terminals execute.

    It is in UTF-8 with the mark that Excel needs. Times are in UTC as in ISO 8601.
    """
    (first, *_), *_ = columns = _columns(db, query)
    marked = f'SELECT * RENAME ("{first}" AS "{UTF8_MARK}{first}") FROM ({_cells_of(columns, query)})'
    copy_rows(db, marked, path, f"FORMAT csv, HEADER, {_TIMES}")


def as_cells(db: duckdb.DuckDBPyConnection, query: str) -> str:
    """Return the query with each text as the cell of a CSV file (`domain.pages.spreadsheet_cells`)."""
    return _cells_of(_columns(db, query), query)


def _columns(db: duckdb.DuckDBPyConnection, query: str) -> Sequence[tuple[Any, ...]]:
    return db.execute(f"DESCRIBE {query}").fetchall()


def _cells_of(columns: Sequence[tuple[Any, ...]], query: str) -> str:
    """Return the query with its texts as cells, made in one list: so patterns are compiled once, not per column."""
    names = ['"' + name.replace('"', '""') + '"' for name, kind, *_ in columns if kind == "VARCHAR"]
    if not names:
        return query
    cells = f"[{sql_cell('cell')} FOR cell IN [{', '.join(names)}]]"
    replaced = ", ".join(f'"all cells"[{place}] AS {name}' for place, name in enumerate(names, 1))
    return f'SELECT * EXCLUDE ("all cells") REPLACE ({replaced}) FROM (SELECT *, {cells} AS "all cells" FROM ({query}))'


def copy_lines(db: duckdb.DuckDBPyConnection, query: str, path: Path, options: str = "") -> None:
    """Write the rows of a query as JSON Lines, with times in UTC as in ISO 8601."""
    copy_rows(db, query, path, f"FORMAT json, {_TIMES}{options}")


def utc_time(seconds: str) -> str:
    """Return Unix seconds as a TIMESTAMP in UTC, both as SQL; NULL if they are 0.

    The type has no time zone, because Python would need one more library to read it.
    """
    return f"make_timestamp((nullif({seconds}, 0) * 1000000)::BIGINT)"


def quoted(text: str | Path) -> str:
    """Return a text or path as an SQL string."""
    return "'" + str(text).replace("'", "''") + "'"


def parquet_rows(paths: Iterable[Path], *, by_name: bool = False) -> str:
    """Return the rows of Parquet files, one after another, as a relation.

    `by_name`: whether a file may lack columns that another one has; DuckDB then opens all files for each query.
    """
    return f"read_parquet([{', '.join(map(quoted, paths))}]{', union_by_name = true' if by_name else ''})"


def filled_rows(
    db: duckdb.DuckDBPyConnection, paths: Iterable[Path], added: Mapping[str, str], *, more: str = ""
) -> str:
    """Return the rows of Parquet files as a relation, with columns that some files of an earlier version lack.

    `added`: column -> what it would be in such a file, as SQL. `more`: further columns, such as `, file_index`.
    """
    files = [str(path) for path in paths]
    query = "SELECT name, count(DISTINCT file_name) FROM parquet_schema($1) WHERE list_contains($2, name) GROUP BY name"
    found = dict(db.execute(query, [files, list(added)]).fetchall()) if added else {}
    lacking = {name: value for name, value in added.items() if found.get(name, 0) < len(set(files))}
    if not lacking:
        return f"(SELECT *{more} FROM {parquet_rows(map(Path, files))})"
    filled = ", ".join(f"coalesce({name}, {value}) AS {name}" for name, value in lacking.items() if name in found)
    replaced = f" REPLACE ({filled})" if filled else ""
    new = "".join(f", {value} AS {name}" for name, value in lacking.items() if name not in found)
    return f"(SELECT *{replaced}{more}{new} FROM {parquet_rows(map(Path, files), by_name=True)})"


def json_rows(path: Path, columns: Mapping[str, str], *, longest: int | None = None) -> str:
    """Return the rows of a JSON Lines file with these columns as a relation; `longest`: the most bytes of a line."""
    shape = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in columns.items())
    limit = f", maximum_object_size = {longest}" if longest else ""
    return f"read_json({quoted(path)}, format = 'newline_delimited', columns = {{{shape}}}{limit})"


def no_rows(columns: Mapping[str, str]) -> str:
    """Return a relation with these columns and no rows."""
    shape = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in columns.items())
    return f"(SELECT {shape} WHERE FALSE)"
