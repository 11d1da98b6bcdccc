"""SQL over the parts of all crawls of a data folder, in a database that can neither write nor read anything else.

The views read files below the folder of the tables. DuckDB denies access to everything else, and only queries are run,
as other statements could write into that folder. A file without an intact end, such as one that was cut off, is left
out, and the note of the result names it. Damaged data in other files is only noticed by a query that reads it. Such a
query fails, and its error names the file.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from wavecrawl.adapters.analytics.database import database, is_damage, lock, no_rows, quoted
from wavecrawl.adapters.sql_views import HIDDEN, VIEWS, named_in, visible_rows
from wavecrawl.adapters.table_columns import COLUMNS, PARTITIONS
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.parts import Table
from wavecrawl.ports.sql import MEMORY_MB, SqlRows

_FILES = "/".join(f"{name}=*" for name in PARTITIONS) + "/*.parquet"
_TYPES = ", ".join(f"'{name}': VARCHAR" for name in PARTITIONS)
_PARTITIONED = f"hive_partitioning = true, hive_types = {{{_TYPES}}}"
_ALIKE = """
    SELECT list(path ORDER BY path) FROM (
        SELECT file_name AS path, list(name ORDER BY name) AS columns FROM parquet_schema($1) GROUP BY file_name
    ) GROUP BY columns
"""
"""Lists of the files that have the same columns."""

_END = "FROM parquet_schema($1)"  # reads the end of a file, which describes it
_ALL = "SELECT bit_xor(hash(row)) FROM read_parquet($1) AS row"  # reads all of a file
_UNREADABLE = "Failed to read file"  # the beginning of DuckDB's errors about damaged data
_NAMED = 5  # damaged files in a note
_ROWS = 2_048  # fetched at once: a vector of DuckDB


class LocalSql:
    """`ports.sql.Sql` over the folder `tables`. `hidden` returns the deleted pages: crawl and url key."""

    def __init__(
        self, tables: Path, hidden: Callable[[], Iterable[tuple[CrawlId, str]]], *, memory_mb: int = MEMORY_MB
    ) -> None:
        """Use at most `memory_mb` of memory for a query; beyond it, DuckDB writes to a scratch folder."""
        self._tables = tables.resolve()
        self._hidden = hidden
        self._memory_mb = memory_mb

    @contextmanager
    def run(self, sql: str) -> Iterator[SqlRows]:
        """Run one query."""
        with (
            tempfile.TemporaryDirectory(prefix="wavecrawl-sql-") as scratch,
            database(scratch, memory_mb=self._memory_mb) as db,
        ):
            try:
                damaged = self._create_views(db, sql)
                lock(db, [self._tables])
                done = db.execute(_only_query(sql))
                columns = [column[0] for column in done.description or ()]
                yield SqlRows(columns=columns, rows=_rows(db), note=_note(damaged))
            except duckdb.Error as error:
                raise InvalidInputError(f"the query failed: {error}{self._advice(error)}") from error

    def _create_views(self, db: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
        """Create the views that a query names; return the names of files that were left out, as they are damaged.

        A query that names none may list them, or misspell one: then all are created.
        """
        wanted = named_in(sql, tables=dict.fromkeys(COLUMNS, "")) or {*COLUMNS, *VIEWS}
        db.execute(f"CREATE TABLE {HIDDEN} ({', '.join(f'{name} VARCHAR' for name in (*PARTITIONS, 'key'))})")
        if hidden := [(crawl.tenant, crawl.site, crawl.crawl, key) for crawl, key in self._hidden()]:
            db.executemany(f"INSERT INTO {HIDDEN} VALUES (?, ?, ?, ?)", hidden)
        damaged: list[str] = []
        for table in (table for table in COLUMNS if table in wanted):
            db.execute(f"CREATE VIEW {table} AS {visible_rows(table, self._source(db, table, damaged), HIDDEN)}")
        for name in (name for name in VIEWS if name in wanted):
            db.execute(f"CREATE VIEW {name} AS {VIEWS[name]}")
        return damaged

    def _source(self, db: duckdb.DuckDBPyConnection, table: Table, damaged: list[str]) -> str:
        """Return the rows of a table, as a relation of DuckDB. Columns that a file lacks are NULL.

        The names of damaged files are added to `damaged`.

        Files of earlier versions lack columns. Those with the same columns are read together: with `union_by_name`,
        DuckDB would open each file for each view, 4 s for 500 crawls instead of 0.5 s.
        """
        files = self._tables / table.value / _FILES
        rows = [no_rows({**dict.fromkeys(PARTITIONS, "VARCHAR"), **COLUMNS[table]})]
        if next(self._tables.glob(f"{table.value}/{_FILES}"), None) is not None:  # DuckDB fails if no file matches
            names = self._alike(db, files) or self._alike_and_whole(db, table, damaged)
            rows += [f"read_parquet([{', '.join(map(quoted, some))}], {_PARTITIONED})" for some in names]
        return "(" + " UNION ALL BY NAME ".join(f"SELECT * FROM {some}" for some in rows) + ")"

    def _advice(self, error: duckdb.Error) -> str:
        """Return what to do about an error whose cause is a file with damaged data; "" if there is no such file.

        DuckDB names the file only in some of these errors. Those of the query itself, such as a wrong name, are others.
        """
        if isinstance(error, (duckdb.ProgrammingError, duckdb.DataError)) and _UNREADABLE not in str(error):
            return ""
        with suppress(duckdb.Error), duckdb.connect() as db:  # an error may have made the other database unusable
            for path in sorted(self._tables.glob(f"*/{_FILES}")):
                if _can(db, _END, path) and not _can(db, _ALL, path):
                    return f"\n{path} is damaged. Restore it from a backup, or move it away to query the other files"
        return ""

    @staticmethod
    def _alike(db: duckdb.DuckDBPyConnection, files: Path) -> list[list[str]]:
        """Return the patterns or lists of files that have the same columns; none if one of the files is damaged."""
        try:
            alike = db.execute(_ALIKE, [str(files)]).fetchall()
        except duckdb.Error:
            return []
        return [[str(files)]] if len(alike) == 1 else [paths for (paths,) in alike]

    def _alike_and_whole(self, db: duckdb.DuckDBPyConnection, table: Table, damaged: list[str]) -> list[list[str]]:
        """Return the lists of files that have the same columns, without damaged ones."""
        whole = []
        for path in sorted(self._tables.glob(f"{table.value}/{_FILES}")):
            if _can(db, _END, path):
                whole.append(str(path))
            else:
                damaged.append(str(path.relative_to(self._tables)))
        return [paths for (paths,) in db.execute(_ALIKE, [whole]).fetchall()] if whole else []


def _can(db: duckdb.DuckDBPyConnection, query: str, path: Path) -> bool:
    """Return whether a query of one file succeeds. False means that the file is damaged."""
    try:
        db.execute(query, [str(path)])
    except duckdb.Error as error:
        if not is_damage(error):
            raise
        return False
    return True


def _note(damaged: list[str]) -> str:
    """Return a note that names files which were left out; "" without any."""
    if not damaged:
        return ""
    named = ", ".join(damaged[:_NAMED]) + (f" and {len(damaged) - _NAMED:,} more" if len(damaged) > _NAMED else "")
    return f"left out, as they are damaged: {named}. The rows of these files are missing from the result"


def _only_query(sql: str) -> duckdb.Statement:
    """Return the only statement of a text; raise InvalidInputError if there is another number, or it is no query."""
    statements = duckdb.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise InvalidInputError("one query can be run: SELECT, or DESCRIBE with the name of a table or view")
    return statements[0]


def _rows(db: duckdb.DuckDBPyConnection) -> Iterator[tuple[object, ...]]:
    while rows := db.fetchmany(_ROWS):
        yield from rows
