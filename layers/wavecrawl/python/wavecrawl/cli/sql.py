"""`wavecrawl sql`: queries over all crawls, on one machine or in AWS."""

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from wavecrawl.adapters.table_columns import COLUMNS, PARTITIONS
from wavecrawl.bootstrap.sql import deployed_sql, local_sql, view_columns
from wavecrawl.cli.administered import StackOption
from wavecrawl.cli.console import err, errors_explained, one_line, out, plain, write_json
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing
from wavecrawl.domain.counts import counted
from wavecrawl.domain.pages.spreadsheet_cells import cell
from wavecrawl.ports.sql import MEMORY_MB, Sql, SqlRows

LIMIT = 1_000


class SqlFormat(StrEnum):
    """The forms in which rows are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def sql(
    query: Annotated[
        str, typer.Argument(help="SELECT statement; - reads it from standard input. Default: list tables and views.")
    ] = "",
    *,
    data: DataOption = DATA,
    stack: StackOption = None,
    format_: Annotated[
        SqlFormat, typer.Option("--format", "-f", help="Form of the rows. json: one line of JSON per row.")
    ] = SqlFormat.TABLE,
    limit: Annotated[int, typer.Option(min=0, help="Maximum number of rows to print; 0 = all.")] = LIMIT,
    memory_mb: Annotated[
        int, typer.Option("--memory-mb", min=64, help="Maximum memory of a query on this machine, in MB.")
    ] = MEMORY_MB,
) -> None:
    """Query the crawls of a data folder with SQL (DuckDB), or those of a stack in AWS (Athena).

    Every table and view has the columns tenant, site and crawl. Nothing can be changed.
    """
    if not query:
        _list_tables()
        return
    text = sys.stdin.read() if query == "-" else query
    with errors_explained(), _opened(data, stack, memory_mb) as database, database.run(text) as found:
        shown = islice(found.rows, limit or None)
        _PRINTED[format_](found, shown)
        if limit and next(found.rows, None) is not None:
            err.print(f"only {counted(limit, 'row is', 'rows are')} printed; --limit 0 prints all")
        if found.note:
            err.print(plain(found.note))


@contextmanager
def _opened(data: Path, stack: str | None, memory_mb: int) -> Iterator[Sql]:
    if stack is not None:
        yield deployed_sql(stack)
        return
    with closing(open_existing(data)) as store:
        yield local_sql(store, memory_mb=memory_mb)


def _list_tables() -> None:
    for table, columns in COLUMNS.items():
        out.print(f"[bold]{table}[/]  {', '.join((*PARTITIONS, *columns))}")
    for view, names in view_columns().items():
        out.print(f"[bold]{view}[/] (view)  {', '.join(names)}")


def _print_table(found: SqlRows, rows: Iterator[Sequence[object]]) -> None:
    from rich.table import Table  # noqa: PLC0415 - rich is slow to load

    table = Table(*map(one_line, found.columns), box=None, header_style="bold")
    for row in rows:
        table.add_row(*(one_line(_text(value)) for value in row))
    out.print(table)


def _print_csv(found: SqlRows, rows: Iterator[Sequence[object]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(map(cell, found.columns))
    writer.writerows([_cell(value) for value in row] for row in rows)


def _print_json(found: SqlRows, rows: Iterator[Sequence[object]]) -> None:
    for row in rows:
        write_json(dict(zip(found.columns, row, strict=True)))


_PRINTED = {SqlFormat.TABLE: _print_table, SqlFormat.CSV: _print_csv, SqlFormat.JSON: _print_json}


def _cell(value: object) -> object:
    """Return a value of a CSV file: numbers as they are, texts as spreadsheets can open them."""
    return value if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else cell(_text(value))


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value).lower() if isinstance(value, bool) else str(value)
