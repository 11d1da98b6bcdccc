"""A crawl's exports as tables of a database that may read them and nothing else.

Values reach SQL as parameters only, and names of columns come from enums and constants of these modules. Should that
ever fail, DuckDB itself refuses every other file, extension and setting
(https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview).
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import duckdb

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError, NotFoundError, StoreBusyError

Copies = Callable[[Sequence[tuple[CrawlId, str]]], list[Path | None]]
"""Returns local copies of exports, all of them good until the next call; None for what does not exist."""

MEMORY_MB = 512
"""What DuckDB may hold in memory for one answer; beyond it, it writes to a scratch folder."""

THREADS = 2


class Export(StrEnum):
    """The exports that questions are asked of."""

    PAGES = "pages.parquet"
    LINKS = "edges.parquet"
    ISSUES = "issues.jsonl.gz"
    BLOCKERS = "blockers.csv"
    SUMMARY = "summary.json"


_TABULAR = {Export.PAGES: "pages", Export.LINKS: "links"}


class OpenedExports:
    """Opens exports for one answer at a time."""

    def __init__(
        self,
        copies: Copies,
        hidden: Callable[[CrawlId], frozenset[str]],
        *,
        memory_mb: int = MEMORY_MB,
        threads: int = THREADS,
        scratch: Path | None = None,
    ) -> None:
        """Open them by `copies`; what does not fit into memory goes to a folder in `scratch`, None = the system's."""
        self._copies = copies
        self._hidden = hidden
        self._memory_mb = memory_mb
        self._threads = threads
        self._scratch = scratch

    def path(self, crawl: CrawlId, export: Export) -> Path:
        """Return a local copy of an export; raise NotFoundError without it."""
        return self._paths([(crawl, export)])[0]

    @contextmanager
    def tables(self, crawls: dict[str, CrawlId], *exports: Export) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open exports of crawls as views `pages` and `links`, with what stands before each crawl's id before them.

        Hidden pages, and links on them, are in no view. `row` counts from 0 in the order of pages.parquet, or of
        edges.parquet. Raise CorruptDataError where DuckDB cannot read what it is asked for.
        """
        wanted = [(prefix, crawl, export) for prefix, crawl in crawls.items() for export in exports]
        paths = self._paths([(crawl, export) for _, crawl, export in wanted])
        with self._scratch_folder() as scratch, self._connected(scratch) as db:
            try:
                db.execute("SET allowed_directories = $1", [sorted({str(path.parent) for path in paths})])
                db.execute("SET enable_external_access = false")
                db.execute("SET lock_configuration = true")
                for prefix, crawl in crawls.items():
                    db.execute(f"CREATE TEMP TABLE {prefix}hidden (key VARCHAR)")
                    db.execute(
                        f"INSERT INTO {prefix}hidden SELECT unnest($1::VARCHAR[])", [sorted(self._hidden(crawl))]
                    )
                for (prefix, _, export), path in zip(wanted, paths, strict=True):
                    if export in _TABULAR:
                        rows = db.read_parquet(str(path), file_row_number=True)
                        rows.create_view(f"{prefix}all_{_TABULAR[export]}")
                for prefix in crawls:
                    _without_hidden(db, prefix, exports)
                yield db
            except duckdb.OutOfMemoryException as error:
                raise StoreBusyError(f"{self._named(crawls)}: too large an answer for this process: {error}") from error
            except duckdb.Error as error:
                raise CorruptDataError(f"{self._named(crawls)} cannot be read: {error}") from error

    def _paths(self, wanted: Sequence[tuple[CrawlId, Export]]) -> list[Path]:
        paths: list[Path] = []
        copies = self._copies([(crawl, export.value) for crawl, export in wanted])
        for (crawl, _), path in zip(wanted, copies, strict=True):
            if path is None:
                raise NotFoundError(f"crawl {crawl.crawl} has no results")
            paths.append(path)
        return paths

    def _scratch_folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="wavecrawl-answer-", dir=self._scratch)

    @contextmanager
    def _connected(self, scratch: str) -> Iterator[duckdb.DuckDBPyConnection]:
        db = duckdb.connect(
            ":memory:",
            config={
                "memory_limit": f"{self._memory_mb}MB",
                "temp_directory": scratch,
                "threads": self._threads,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )
        try:
            yield db
        finally:
            db.close()

    @staticmethod
    def _named(crawls: dict[str, CrawlId]) -> str:
        return "the results of crawl " + " and ".join(crawl.crawl for crawl in crawls.values())


def _without_hidden(db: duckdb.DuckDBPyConnection, prefix: str, exports: Sequence[Export]) -> None:
    if Export.PAGES in exports:
        db.execute(
            f"""
            CREATE TEMP VIEW {prefix}pages AS SELECT * RENAME (file_row_number AS row) FROM {prefix}all_pages
            WHERE key NOT IN (SELECT key FROM {prefix}hidden)
            """
        )
    if Export.LINKS in exports:
        db.execute(
            f"""
            CREATE TEMP VIEW {prefix}links AS SELECT * RENAME (file_row_number AS row) FROM {prefix}all_links
            WHERE source_page NOT IN (
                SELECT file_row_number FROM {prefix}all_pages WHERE key IN (SELECT key FROM {prefix}hidden)
            )
            """
        )
