"""The exported tables of one crawl as views of a database, and their rows as values."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
import msgspec
from msgspec.structs import fields, replace

from wavecrawl.adapters.analytics.database import ISO_TIME, streamed
from wavecrawl.adapters.analytics.earlier_exports import as_written_today, stored_text, text_as_stored
from wavecrawl.adapters.batch_objects import place_in
from wavecrawl.adapters.sql_views import VIEWS
from wavecrawl.adapters.table_columns import ADDED
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.parts import Table
from wavecrawl.ports.results import PageRow


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """A link or a redirect from a page of the crawl."""

    source: str  # URL
    target: str  # URL
    kind: str  # a, area, frame, canonical, alternate, next, prev, refresh, redirect
    text: str
    region: str  # part of the page that contains the link
    nofollow: bool
    reason: str  # why the settings exclude the target; "" if they do not


SQL_NAMES: Final = frozenset({*(table.value for table in Table), *VIEWS})
"""The names of the tables and views of `wavecrawl sql`, which have other columns."""


def opened_tables(folder: Path, *, prefixed: Collection[str] = ()) -> duckdb.DuckDBPyConnection:
    """Return a connection with a view for each table in a folder of exports, named after its file.

    The names of those in `prefixed` begin with `result_`.
    """
    db = duckdb.connect()
    for path in sorted(folder.iterdir()):
        name, _, ending = path.name.partition(".")
        view = f"result_{name}" if name in prefixed else name
        if ending == "parquet":
            rows = db.read_parquet(str(path))
            (as_written_today(rows, ADDED[Table.PAGES]) if name == "pages" else rows).create_view(view)
        elif ending == "csv" and not (folder / f"{name}.parquet").is_file():
            rows = db.read_csv(
                str(path), header=True, delimiter=",", quotechar='"', escapechar='"', timestamp_format=ISO_TIME
            )
            rows.create_view(view)
    return db


def page_rows(folder: Path, *, text: bool) -> Iterator[PageRow]:
    """Yield the rows of pages.parquet; with `text`, the main text too."""
    with opened_tables(folder) as db:
        more = stored_text(db, "pages") if text else "NULL, NULL"
        for row, (plain, markdown) in _page_rows(db, more):
            yield replace(row, text=text_as_stored(plain, markdown)) if text else row


def placed_rows(folder: Path, crawl: CrawlId) -> Iterator[tuple[PageRow, str]]:
    """Yield the rows of pages.parquet, each with the place of its record in the archive."""
    with opened_tables(folder) as db:
        for row, (batch,) in _page_rows(db, "batch"):
            yield row, place_in(crawl, batch, row.key)


def _page_rows(db: duckdb.DuckDBPyConnection, more: str) -> Iterator[tuple[PageRow, Sequence[Any]]]:
    """Yield the rows of view `pages`, each with the values of `more` columns."""
    names = [one.name for one in fields(PageRow) if one.name != "text"]
    seconds = "coalesce(elapsed, 0.0) AS elapsed, coalesce(epoch(fetched_at), 0.0) AS fetched_at"
    pages = f"(SELECT * REPLACE ({seconds}) FROM pages) AS pages"
    for row in streamed(db, f"SELECT {', '.join(names)}, {more} FROM {pages}"):
        yield msgspec.convert(dict(zip(names, row, strict=False)), PageRow), row[len(names) :]


def edge_rows(folder: Path) -> Iterator[Edge]:
    """Yield the rows of edges.parquet."""
    names = [one.name for one in fields(Edge)]
    columns = (f"coalesce({one.name}, '')" if one.type is str else one.name for one in fields(Edge))
    with opened_tables(folder) as db:
        for row in streamed(db, f"SELECT {', '.join(columns)} FROM edges"):
            yield msgspec.convert(dict(zip(names, row, strict=True)), Edge)
