"""The results of a crawl as an Excel workbook: an overview, the pages, and a sheet for each kind of issue.

Rows are written as they are read, so memory does not grow with the crawl. Texts of the site are written as strings:
none of them becomes a formula or a link.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import duckdb
from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from wavecrawl.adapters.analytics.page_table import EXTRACTED, table_columns
from wavecrawl.adapters.spreadsheets.issue_tables import issue_rows, issue_tables, open_results, rows_of
from wavecrawl.domain.graph.issue import IssueKind
from wavecrawl.domain.pages.control_characters import shown_line, shown_text
from wavecrawl.domain.pages.extraction_rules import rules_of

# Limits of a sheet: https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3
_MOST_ROWS = 1_048_576 - 1  # without the header
_LONGEST = 32_767  # characters of a cell
_LONGEST_NAME = 31  # characters of the name of a sheet
_LONGEST_HOST = 150  # characters of the host in the name of the file
_NOT_IN_NAMES = str.maketrans("", "", "[]:*?/\\'")
_OPTIONS: Final = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
_WIDE, _MIDDLE, _NARROW = 60, 30, 12  # characters of a column
_WIDTHS: Final = {"Status": _NARROW, "Link text": _MIDDLE}  # of other columns of issues: _WIDE

_TITLES: Final = {
    "url": ("URL", _WIDE),
    "status": ("Status", _NARROW),
    "state": ("State", _NARROW),
    "reason": ("Reason", _NARROW),
    "indexable": ("Indexable", _NARROW),
    "not_indexable": ("Why not", _NARROW),
    "full_title": ("Title", _MIDDLE),
    "title_length": ("Title length", _NARROW),
    "description": ("Description", _MIDDLE),
    "description_length": ("Description length", _NARROW),
    "h1": ("H1", _MIDDLE),
    "depth": ("Depth", _NARROW),
    "in_links": ("Links in", _NARROW),
    "out_links": ("Links out", _NARROW),
    "words": ("Words", _NARROW),
    "bytes": ("Bytes", _NARROW),
    "elapsed": ("Seconds", _NARROW),
    "content_type": ("Type", _MIDDLE),
    "language": ("Language", _NARROW),
    "canonical": ("Canonical", _MIDDLE),
    "robots": ("Robots", _MIDDLE),
    "redirect_to": ("Redirects to", _MIDDLE),
    "in_sitemap": ("In a sitemap", _NARROW),
    "orphan": ("Orphan", _NARROW),
    "duplicate_of": ("Duplicate of", _MIDDLE),
    "near_duplicate_of": ("Similar to", _MIDDLE),
    "pagerank": ("PageRank", _NARROW),
    "changed_on": ("Last change", _NARROW),
    "detail": ("Details", _MIDDLE),
    "revalidated": ("Not modified", _NARROW),
}
"""Column of pages.csv -> its title and width in the workbook, which has the order of pages.csv."""

_YES_OR_NO: Final = ("indexable", "in_sitemap", "revalidated")
"""Columns whose values are shown as words."""


def write_workbook(exports: Path, to: Path) -> Path:
    """Write the workbook of the results in `exports` into a folder, named by host and crawl. Return its path.

    Raise NotFoundError if a file is missing.
    """
    with closing(open_results(exports, "summary.json")) as db:
        to.mkdir(parents=True, exist_ok=True)
        summary = json.loads((exports / "summary.json").read_text(encoding="utf-8"))
        name = _name_of_file(summary)
        path, part = to / name, to / f".{name}.part"
        _write_file(db, summary, part)
        part.replace(path)
    return path


def _name_of_file(summary: dict[str, Any]) -> str:
    """Return the name of the workbook: no two crawls have the same."""
    host = re.sub(r"[^a-z0-9.]+", "-", urlsplit(summary["root_url"]).netloc.lower()).strip("-")
    return f"{host[:_LONGEST_HOST]}-{summary['crawl']}.xlsx"


def _write_file(db: duckdb.DuckDBPyConnection, summary: dict[str, Any], part: Path) -> None:
    try:
        with Workbook(str(part), _OPTIONS) as book:
            # Not the time of the export: a repeated one has the same bytes.
            book.set_properties({"created": datetime.fromisoformat(summary["timing"]["finished_at"])})
            _write(book, db, summary)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _write(book: Workbook, db: duckdb.DuckDBPyConnection, summary: dict[str, Any]) -> None:
    bold = book.add_format({"bold": True})
    tables = issue_tables(db)
    rules = rules_of(summary["settings"].get("extract", {}).get("rules", ()))
    pages = list(_page_columns([rule.name for rule in rules]))
    overview = book.add_worksheet("Overview")
    _write_overview(overview, bold, summary, [table.kind for table in tables])
    _write_table(
        book.add_worksheet("Pages"),
        bold,
        [title for title, _ in pages],
        rows_of(db, f"SELECT {', '.join(source for _, source in pages)} FROM pages"),
    )
    for table in tables:
        columns = [(title, _WIDTHS.get(title, _WIDE)) for title in table.titles]
        _write_table(book.add_worksheet(_name_of(table.kind)), bold, columns, issue_rows(db, table))


def _page_columns(rules: Sequence[str]) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield title and width of each column of the pages, and its SQL."""
    for name, source in table_columns(rules).items():
        if name in _TITLES:
            yield _TITLES[name], _shown(name, source)
        elif name.startswith(EXTRACTED):
            yield (name.removeprefix(EXTRACTED), _MIDDLE), source


def _shown(name: str, source: str) -> str:
    """Return the SQL of a column as the workbook shows it."""
    if name == "depth":
        return "CASE WHEN orphan = '' THEN depth END"
    return f"CASE {source} WHEN true THEN 'yes' WHEN false THEN 'no' END" if name in _YES_OR_NO else source


def _name_of(kind: IssueKind) -> str:
    """Return the name of the sheet of a kind: the name of the kind in words, which is short and unique."""
    return kind.name.value.replace("_", " ").capitalize().translate(_NOT_IN_NAMES)[:_LONGEST_NAME]


def _write_overview(sheet: Worksheet, bold: Format, summary: dict[str, Any], kinds: Sequence[IssueKind]) -> None:
    sheet.set_column(0, 0, _MIDDLE)
    sheet.set_column(1, 2, _NARROW)
    sheet.set_column(3, 4, _WIDE)
    finished = datetime.fromisoformat(summary["timing"]["finished_at"])
    about = (
        ("Site", summary["root_url"]),
        ("Crawl ID", summary["crawl"]),
        ("Finished", f"{finished:%Y-%m-%d %H:%M} UTC"),
        ("Orphan pages", _orphans_of(summary)),
    )
    facts = [("Pages", summary["pages"]), ("URLs", summary["urls"]), ("Links", summary["edges"])]
    states = [(state.replace("_", " "), number) for state, number in summary["states"].items()]
    for row, (name, text) in enumerate(about):
        sheet.write_string(row, 0, name)
        sheet.write_string(row, 1, shown_line(text))
    row = len(about) + 1
    for title, lines in (("Crawl", facts), ("URLs by state", states)):
        sheet.write_string(row, 0, title, bold)
        for name, number in lines:
            row += 1
            sheet.write_string(row, 0, name)
            sheet.write_number(row, 1, number)
        row += 2
    for column, title in enumerate(("Issues", "Number", "Severity", "What it means", "How to fix it")):
        sheet.write_string(row, column, title, bold)
    for kind in kinds:
        row += 1
        sheet.write_url(row, 0, f"internal:'{_name_of(kind)}'!A1", string=kind.title)
        sheet.write_number(row, 1, summary["issues"][kind.name])
        for column, text in enumerate((kind.severity.value, kind.meaning, kind.fix), start=2):
            sheet.write_string(row, column, text)


def _orphans_of(summary: dict[str, Any]) -> str:
    """Return the numbers of orphans with their evidence, or why they cannot be found."""
    counts, evidence = summary["orphans"], summary.get("orphan_evidence", "")  # results of an earlier version: no text
    numbers = "" if counts is None else ", ".join(f"{number:,} {name}" for name, number in counts.items()) or "none"
    return ". ".join(part for part in (numbers, evidence) if part)


def _write_table(
    sheet: Worksheet, bold: Format, columns: Sequence[tuple[str, int]], rows: Iterator[tuple[Any, ...]]
) -> None:
    for column, (title, width) in enumerate(columns):
        sheet.set_column(column, column, width)
        sheet.write_string(0, column, shown_line(title), bold)
    sheet.freeze_panes(1, 1)
    last = 0
    for last, values in zip(range(1, _MOST_ROWS + 1), rows, strict=False):
        for column, value in enumerate(values):
            if isinstance(value, str):
                if value:
                    sheet.write_string(last, column, shown_text(value[:_LONGEST]))
            elif value is not None:
                sheet.write_number(last, column, value)
    sheet.autofilter(0, 0, last, len(columns) - 1)
