"""The results of a crawl as an Excel workbook: an overview, the pages, and a sheet for each kind of issue.

Rows are written as they are read, so memory does not grow with the crawl. Texts of the site are written as strings:
none of them becomes a formula or a link.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from wavecrawl.adapters.analytics.database import quoted
from wavecrawl.domain.graph.issue import IssueName
from wavecrawl.domain.graph.issue_kinds import ISSUE_KINDS, IssueKind
from wavecrawl.errors import NotFoundError

NAME: Final = "crawl.xlsx"
_MEMORY = "256MB"  # of DuckDB
# Limits of a sheet: https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3
_MOST_ROWS = 1_048_576 - 1  # without the header
_LONGEST = 32_767  # characters of a cell
_LONGEST_NAME = 31  # characters of the name of a sheet
_NOT_IN_NAMES = str.maketrans("", "", "[]:*?/\\'")
_OPTIONS: Final = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
_AT_ONCE = 1_000  # rows that are read
_WIDE, _MIDDLE, _NARROW = 60, 30, 12  # characters of a column

_PAGES: Final = (
    ("URL", _WIDE, "url"),
    ("Status", _NARROW, "status"),
    ("State", _NARROW, "state"),
    ("Reason", _NARROW, "reason"),
    ("Indexable", _NARROW, "CASE indexable WHEN true THEN 'yes' WHEN false THEN 'no' END"),
    ("Title", _MIDDLE, "full_title"),
    ("Title length", _NARROW, "length(full_title)"),
    ("Description", _MIDDLE, "description"),
    ("Description length", _NARROW, "length(description)"),
    ("H1", _MIDDLE, "list_filter(headings, lambda one: one ->> 0 = '1')[1] ->> 1"),
    ("Depth", _NARROW, "CASE WHEN orphan = '' THEN depth END"),
    ("Links in", _NARROW, "in_links"),
    ("Links out", _NARROW, "out_links"),
    ("Words", _NARROW, "words"),
    ("Bytes", _NARROW, "bytes"),
    ("Seconds", _NARROW, "round(elapsed, 3)"),
    ("Type", _MIDDLE, "content_type"),
    ("Language", _NARROW, "language"),
    ("Canonical", _MIDDLE, "canonical"),
    ("Robots", _MIDDLE, "robots"),
    ("Redirects to", _MIDDLE, "redirect_to"),
    ("Orphan", _NARROW, "orphan"),
    ("In a sitemap", _NARROW, "CASE in_sitemap WHEN true THEN 'yes' WHEN false THEN 'no' END"),
    ("Duplicate of", _MIDDLE, "duplicate_of"),
    ("Similar to", _MIDDLE, "near_duplicate_of"),
    ("PageRank", _NARROW, "round(pagerank, 6)"),
    ("Last change", _NARROW, "changed_on"),
    ("Details", _MIDDLE, "detail"),
)
"""Title, width and SQL of each column of the pages, in the order in which people read them."""

_ISSUE_FIELDS = "{severity: 'VARCHAR', kind: 'VARCHAR', url: 'VARCHAR', related: 'VARCHAR', detail: 'VARCHAR'}"
_BROKEN_LINKS = """
    SELECT i.url, p.status, i.related, e.text, i.detail FROM issues i
    LEFT JOIN (SELECT url, any_value(status) AS status FROM pages GROUP BY url) p USING (url)
    LEFT JOIN (
        SELECT source, target, arg_min(text, position) AS text FROM edges
        WHERE target IN (SELECT url FROM issues WHERE kind = $kind) GROUP BY ALL
    ) e ON e.target = i.url AND e.source = i.related
    WHERE i.kind = $kind ORDER BY i.row
"""


def write_workbook(exports: Path, to: Path) -> Path:
    """Write the workbook of the results in `exports` into a folder. Return its path.

    Raise NotFoundError if a file is missing.
    """
    names = ("pages.parquet", "edges.parquet", "issues.jsonl.gz", "summary.json")
    missing = [name for name in names if not (exports / name).is_file()]
    if missing:
        raise NotFoundError(f"{exports} has no {', '.join(missing)}; create it with --rebuild")
    to.mkdir(parents=True, exist_ok=True)
    path, part = to / NAME, to / f".{NAME}.part"
    try:
        with duckdb.connect() as db, Workbook(str(part), _OPTIONS) as book:
            _open(db, exports)
            _write(book, db, json.loads((exports / "summary.json").read_text(encoding="utf-8")))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _open(db: duckdb.DuckDBPyConnection, exports: Path) -> None:
    db.execute(f"SET memory_limit = '{_MEMORY}'; SET threads = 1; SET preserve_insertion_order = true")
    for table in ("pages", "edges"):
        db.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet({quoted(exports / f'{table}.parquet')})")
    issues = quoted(exports / "issues.jsonl.gz")
    db.execute(
        f"""
        CREATE TABLE issues AS SELECT row_number() OVER () AS row, *
        FROM read_json({issues}, format = 'newline_delimited', columns = {_ISSUE_FIELDS})
        """
    )


def _write(book: Workbook, db: duckdb.DuckDBPyConnection, summary: dict[str, Any]) -> None:
    bold = book.add_format({"bold": True})
    kinds = [(ISSUE_KINDS[IssueName(kind)], number) for kind, number in _counts(db)]
    overview = book.add_worksheet("Overview")
    _write_overview(overview, bold, summary, kinds)
    _write_table(
        book.add_worksheet("Pages"),
        bold,
        [(title, width) for title, width, _ in _PAGES],
        _rows(db, f"SELECT {', '.join(source for *_, source in _PAGES)} FROM pages"),
    )
    for kind, _ in kinds:
        columns, query = _issues_of(kind)
        _write_table(book.add_worksheet(_name_of(kind)), bold, columns, _rows(db, query, kind=kind.name.value))


def _counts(db: duckdb.DuckDBPyConnection) -> list[tuple[str, int]]:
    return db.execute("SELECT kind, count(*) FROM issues GROUP BY kind ORDER BY min(row)").fetchall()


def _issues_of(kind: IssueKind) -> tuple[list[tuple[str, int]], str]:
    """Return the columns of a kind of issue, and the query of its rows."""
    if kind.name is IssueName.BROKEN_LINK:
        titles = [("Broken URL", _WIDE), ("Status", _NARROW), ("Linked from", _WIDE), ("Link text", _MIDDLE)]
        return [*titles, ("Details", _MIDDLE)], _BROKEN_LINKS
    related = [(kind.related, _WIDE)] if kind.related else []
    names = "url, related, detail" if kind.related else "url, detail"
    query = f"SELECT {names} FROM issues WHERE kind = $kind ORDER BY row"
    return [("URL", _WIDE), *related, ("Details", _WIDE)], query


def _name_of(kind: IssueKind) -> str:
    """Return the name of the sheet of a kind: the name of the kind in words, which is short and unique."""
    return kind.name.value.replace("_", " ").capitalize().translate(_NOT_IN_NAMES)[:_LONGEST_NAME]


def _write_overview(
    sheet: Worksheet, bold: Format, summary: dict[str, Any], kinds: Sequence[tuple[IssueKind, int]]
) -> None:
    sheet.set_column(0, 0, _MIDDLE)
    sheet.set_column(1, 2, _NARROW)
    sheet.set_column(3, 4, _WIDE)
    facts = [("Pages", summary["pages"]), ("URLs", summary["urls"]), ("Links", summary["edges"])]
    states = [(state.replace("_", " "), number) for state, number in summary["states"].items()]
    row = 0
    for title, lines in (("Crawl", facts), ("URLs by state", states)):
        sheet.write_string(row, 0, title, bold)
        for name, number in lines:
            row += 1
            sheet.write_string(row, 0, name)
            sheet.write_number(row, 1, number)
        row += 2
    for column, title in enumerate(("Issues", "Number", "Severity", "What it means", "How to fix it")):
        sheet.write_string(row, column, title, bold)
    for kind, number in kinds:
        row += 1
        sheet.write_url(row, 0, f"internal:'{_name_of(kind)}'!A1", string=kind.title)
        sheet.write_number(row, 1, number)
        for column, text in enumerate((kind.severity.value, kind.meaning, kind.fix), start=2):
            sheet.write_string(row, column, text)


def _write_table(
    sheet: Worksheet, bold: Format, columns: Sequence[tuple[str, int]], rows: Iterator[tuple[Any, ...]]
) -> None:
    for column, (title, width) in enumerate(columns):
        sheet.set_column(column, column, width)
        sheet.write_string(0, column, title, bold)
    sheet.freeze_panes(1, 1)
    last = 0
    for last, values in zip(range(1, _MOST_ROWS + 1), rows, strict=False):
        for column, value in enumerate(values):
            if isinstance(value, str):
                if value:
                    sheet.write_string(last, column, value[:_LONGEST])
            elif value is not None:
                sheet.write_number(last, column, value)
    sheet.autofilter(0, 0, last, len(columns) - 1)


def _rows(db: duckdb.DuckDBPyConnection, query: str, **parameters: str) -> Iterator[tuple[Any, ...]]:
    found = db.execute(query, parameters or None)
    while rows := found.fetchmany(_AT_ONCE):
        yield from rows
