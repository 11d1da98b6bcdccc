"""A crawl that has ended, and its results."""

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from wavecrawl.adapters.analytics import export_tables
from wavecrawl.adapters.analytics.export_tables import Edge
from wavecrawl.bootstrap.local import make_local_files
from wavecrawl.bootstrap.markdown import markdown_view
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.result_files import FILES, ResultFile, file_with
from wavecrawl.errors import InvalidInputError, NotFoundError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import IssueRow, PageRow

if TYPE_CHECKING:
    import duckdb

_ROWS = 1_000  # read at once
_TABLES = frozenset(file for file, names in FILES.items() if names[0].endswith((".csv", ".parquet")))


class Crawl:
    """A crawl on this machine that has ended. Close it, or use it in a `with` statement."""

    def __init__(
        self, store: LocalStore, row: CrawlRow, temporary: "tempfile.TemporaryDirectory[str] | None" = None
    ) -> None:
        """Take over the store, and the folder to delete at the end."""
        self._store = store
        self._row = row
        self._temporary = temporary

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Crawl {self.id} of {self.url}: {self.status}>"

    @property
    def id(self) -> str:
        """The ID of the crawl."""
        return self._row.id.crawl

    @property
    def url(self) -> str:
        """The start URL."""
        return self._row.start_url

    @property
    def status(self) -> str:
        """How it ended: completed or cancelled."""
        return self._row.status.value

    @property
    def folder(self) -> Path:
        """The folder with the files of the results, such as `report.html` (docs/usage.md lists them).

        Some are created when `file` is first called.
        """
        return self._store.results_folder(self._row.id)

    def file(self, name: str) -> Path:
        """Return the path of a file of the results, such as `graph.json`. Create it if it is missing.

        Raises:
            NotFoundError: The crawl has no such file, or it cannot be created.
        """
        made = file_with(name)
        notices = self._make({made}) if made else ()
        path = self.folder / name
        if not path.is_file():
            why = "".join(f": {notice.message}" for notice in notices)
            raise NotFoundError(f"crawl {self.id} has no file {name}{why}")
        return path

    @property
    def summary(self) -> CrawlSummary:
        """The totals."""
        return self._store.results.statistics(self._row.id)

    def pages(self, *, text: bool = False) -> Iterator[PageRow]:
        """Yield the requested URLs in crawl order, also those with errors; with `text`, the main text."""
        yield from export_tables.page_rows(self.folder, text=text)

    def markdown(self) -> Iterator[tuple[PageRow, str | None]]:
        """Yield the pages that have a main text, in crawl order, each with that text as Markdown.

        The Markdown is made of the stored pages, on all cores. It is None if a stored page cannot be read any more.
        """
        with markdown_view(self._store, self._row) as view:
            rows = (one for one in export_tables.placed_rows(self.folder, self._row.id) if one[0].words)
            with closing(view.of_all(rows, lambda one: one[1])) as made:
                yield from ((row, markdown.text) for (row, _), markdown in made)

    def edges(self) -> Iterator[Edge]:
        """Yield the links between pages, and redirects."""
        yield from export_tables.edge_rows(self.folder)

    def issues(self) -> Iterator[IssueRow]:
        """Yield the issues, errors first."""
        after = None
        while True:
            part = self._store.results.issues(self._row.id, limit=_ROWS, after=after)
            yield from part.rows
            if part.following is None:
                return
            after = part.following

    def duckdb(self) -> "duckdb.DuckDBPyConnection":
        """Return a DuckDB connection with a view for each table of the results, such as `result_pages` and `issues`.

        The views are named after the files, with `result_` before names that `wavecrawl sql` uses. Close the
        connection before the crawl.
        """
        self._make(_TABLES)
        return export_tables.opened_tables(self.folder, prefixed=export_tables.SQL_NAMES)

    def _make(self, files: Collection[ResultFile]) -> Sequence[Notice]:
        return make_local_files(self._store, self._row, files)

    def close(self) -> None:
        """Close the data folder; delete it if it is temporary."""
        self._store.close()
        if self._temporary is not None:
            self._temporary.cleanup()


def open_crawl(data: Path | str, crawl: str | None = None) -> Crawl:
    """Open an ended crawl of a data folder: the one with this ID, or the newest that has results.

    Raises:
        InvalidInputError: The folder does not exist.
        NotFoundError: The crawl does not exist, or has no results.
    """
    root = Path(data)
    if not root.is_dir():
        raise InvalidInputError(f"data folder {root} does not exist")
    store = LocalStore(root)
    try:
        return Crawl(store, _with_results(store, crawl))
    except BaseException:
        store.close()
        raise


def _with_results(store: LocalStore, crawl: str | None) -> CrawlRow:
    if crawl is None:
        ended = next((row for row in store.crawls.newest_first() if row.has_results), None)
        if ended is not None:
            return ended
    row = store.find(crawl)
    if not row.has_results:
        raise NotFoundError(f"crawl {row.id.crawl} has no results; create them with `wavecrawl export --rebuild`")
    return row
