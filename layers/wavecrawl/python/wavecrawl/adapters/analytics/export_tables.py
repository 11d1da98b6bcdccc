"""The exported tables of one crawl as views of a database, and their rows as values."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypeVar

import duckdb
import msgspec

from wavecrawl.adapters.analytics.database import ISO_TIME, streamed
from wavecrawl.adapters.analytics.earlier_exports import as_written_today
from wavecrawl.adapters.table_columns import ADDED
from wavecrawl.ports.parts import Table
from wavecrawl.ports.results import PageRow

RowType = TypeVar("RowType")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A link or a redirect from a page of the crawl."""

    source: str  # URL
    target: str  # URL
    kind: str  # a, area, frame, canonical, alternate, next, prev, refresh, redirect
    text: str
    region: str  # part of the page that contains the link
    nofollow: bool
    reason: str  # why the settings exclude the target; "" if they do not


def opened_tables(folder: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection with a view for each table in a folder of exports, named after its file."""
    db = duckdb.connect()
    for path in sorted(folder.iterdir()):
        name, _, ending = path.name.partition(".")
        if ending == "parquet":
            rows = db.read_parquet(str(path))
            (as_written_today(rows, ADDED[Table.PAGES]) if name == "pages" else rows).create_view(name)
        elif ending == "csv" and not (folder / f"{name}.parquet").is_file():
            rows = db.read_csv(
                str(path), header=True, delimiter=",", quotechar='"', escapechar='"', timestamp_format=ISO_TIME
            )
            rows.create_view(name)
    return db


def page_rows(folder: Path, *, text: bool) -> Iterator[PageRow]:
    """Yield the rows of pages.parquet; with `text`, the main text too."""
    names = ", ".join(one.name for one in fields(PageRow) if text or one.name != "markdown")
    seconds = "coalesce(elapsed, 0.0) AS elapsed, coalesce(epoch(fetched_at), 0.0) AS fetched_at"
    return _rows(folder, PageRow, f"SELECT {names} FROM (SELECT * REPLACE ({seconds}) FROM pages)")


def edge_rows(folder: Path) -> Iterator[Edge]:
    """Yield the rows of edges.parquet."""
    texts = {one.name for one in fields(Edge) if one.type is str}
    columns = (f"coalesce({one.name}, '')" if one.name in texts else one.name for one in fields(Edge))
    return _rows(folder, Edge, f"SELECT {', '.join(columns)} FROM edges")


def _rows(folder: Path, kind: type[RowType], query: str) -> Iterator[RowType]:
    """Yield the rows of a query, whose columns are the first fields of `kind`, in their order."""
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    with opened_tables(folder) as db:
        for row in streamed(db, query):
            yield msgspec.convert(dict(zip(names, row, strict=False)), kind)
