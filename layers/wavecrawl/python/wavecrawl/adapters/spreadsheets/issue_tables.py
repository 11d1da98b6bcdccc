"""The issues of a crawl by kind: as rows for a workbook, and as one CSV file per kind."""

import csv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import duckdb
import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.analytics.database import quoted
from wavecrawl.adapters.analytics.earlier_exports import as_written_today
from wavecrawl.adapters.table_columns import ADDED
from wavecrawl.domain.graph.issue import IssueKind, IssueName, Severity
from wavecrawl.domain.graph.issue_kinds import ISSUE_KINDS
from wavecrawl.domain.pages.spreadsheet_cells import cell
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.parts import Table

FOLDER: Final = "issues"
_NEEDED: Final = ("pages.parquet", "edges.parquet", "issues.jsonl.gz")
_MEMORY = "256MB"  # of DuckDB
_AT_ONCE = 1_000  # rows that are read
_ISSUE_FIELDS = "{severity: 'VARCHAR', kind: 'VARCHAR', url: 'VARCHAR', related: 'VARCHAR', detail: 'VARCHAR'}"
_BROKEN_LINKS = """
    SELECT i.url, t.status, i.related, e.text, i.detail FROM issues i
    LEFT JOIN (SELECT url, any_value(status) AS status FROM targets GROUP BY url) t USING (url)
    LEFT JOIN (
        SELECT source, target, arg_min(text, position) AS text FROM edges
        WHERE target IN (SELECT url FROM issues WHERE kind = $kind) GROUP BY ALL
    ) e ON e.target = i.url AND e.source = i.related
    WHERE i.kind = $kind ORDER BY i.row
"""
_LINKS: Final = (IssueName.BROKEN_LINK, IssueName.BROKEN_EXTERNAL_LINK)


class IssueTable(msgspec.Struct, frozen=True, kw_only=True):
    """The issues of one kind."""

    kind: IssueKind
    titles: tuple[str, ...]
    query: str


def open_results(exports: Path, *also: str) -> duckdb.DuckDBPyConnection:
    """Open the results in a folder: views `pages`, `edges` and `targets`, and table `issues`.

    Raise NotFoundError if one of these files, or of `also`, is missing.
    """
    missing = [name for name in (*_NEEDED, *also) if not (exports / name).is_file()]
    if missing:
        raise NotFoundError(f"{exports} has no {', '.join(missing)}; create it with --rebuild")
    db = duckdb.connect()
    try:
        _create_tables(db, exports)
    except BaseException:
        db.close()
        raise
    return db


def write_issue_tables(exports: Path, to: Path) -> list[Path]:
    """Write a CSV file for each kind that has issues into the folder `issues` of a folder; return their paths.

    Raise NotFoundError if a file is missing.
    """
    folder = to / FOLDER
    with closing(open_results(exports)) as db:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write_table(db, table, folder) for table in issue_tables(db)]


def table_files(to: Path) -> list[Path]:
    """Return the tables of issues that are in the folder `issues` of a folder."""
    paths = (_file_of(kind, to / FOLDER) for kind in IssueName)
    return [path for path in paths if path.is_file()]


def issue_tables(db: duckdb.DuckDBPyConnection) -> list[IssueTable]:
    """Return the tables of the kinds that have issues, most severe kinds first."""
    kinds = db.execute("SELECT kind, min(severity) FROM issues GROUP BY kind ORDER BY min(row)").fetchall()
    return [_table_of(replace(ISSUE_KINDS[IssueName(kind)], severity=Severity(own))) for kind, own in kinds]


def issue_rows(db: duckdb.DuckDBPyConnection, table: IssueTable) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table."""
    return rows_of(db, table.query, kind=table.kind.name.value)


def rows_of(db: duckdb.DuckDBPyConnection, query: str, **parameters: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query."""
    found = db.execute(query, parameters or None)
    while rows := found.fetchmany(_AT_ONCE):
        yield from rows


def _write_table(db: duckdb.DuckDBPyConnection, table: IssueTable, folder: Path) -> Path:
    path = _file_of(table.kind.name, folder)
    with path.open("w", encoding="utf-8-sig", newline="") as file:  # Excel needs the mark of UTF-8
        writer = csv.writer(file)
        writer.writerow([title.lower().replace(" ", "_") for title in table.titles])
        for row in issue_rows(db, table):
            writer.writerow([cell(value) if isinstance(value, str) else value for value in row])
    return path


def _file_of(kind: IssueName, folder: Path) -> Path:
    return folder / f"{kind}.csv"


def _table_of(kind: IssueKind) -> IssueTable:
    if kind.name in _LINKS:
        titles = ("Broken URL", "Status", "Linked from", "Link text", "Details")
        return IssueTable(kind=kind, titles=titles, query=_BROKEN_LINKS)
    related = (kind.related,) if kind.related else ()
    names = "url, related, detail" if kind.related else "url, detail"
    query = f"SELECT {names} FROM issues WHERE kind = $kind ORDER BY row"
    return IssueTable(kind=kind, titles=("URL", *related, "Details"), query=query)


def _create_tables(db: duckdb.DuckDBPyConnection, exports: Path) -> None:
    db.execute(f"SET memory_limit = '{_MEMORY}'; SET threads = 1; SET preserve_insertion_order = true")
    for table in ("pages", "edges"):
        rows = db.read_parquet(str(exports / f"{table}.parquet"))
        (as_written_today(rows, ADDED[Table.PAGES]) if table == "pages" else rows).create_view(table)
    _create_targets(db, exports)
    issues = quoted(exports / "issues.jsonl.gz")
    db.execute(
        f"""
        CREATE TABLE issues AS SELECT row_number() OVER () AS row, *
        FROM read_json({issues}, format = 'newline_delimited', columns = {_ISSUE_FIELDS})
        """
    )


def _create_targets(db: duckdb.DuckDBPyConnection, exports: Path) -> None:
    """Create view `targets`: URL and status of the pages, and of what was checked or stored."""
    others = [exports / name for name in ("checks.parquet", "media.parquet")]
    files = (f"SELECT url, status FROM read_parquet({quoted(path)})" for path in others if path.is_file())
    db.execute(f"CREATE VIEW targets AS {' UNION ALL '.join(('SELECT url, status FROM pages', *files))}")
