"""A crawl's exports as views of a locked-down database.

Values reach SQL as parameters only; column names come from enums and constants. The lock is a second line of defence.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import duckdb
import msgspec

from wavecrawl.adapters.analytics.check_verdicts import earlier_columns
from wavecrawl.adapters.analytics.database import database, lock, no_rows
from wavecrawl.adapters.analytics.earlier_exports import as_written_today
from wavecrawl.adapters.analytics.media_columns import DERIVED
from wavecrawl.adapters.table_columns import ADDED
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError, NotFoundError, StoreBusyError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.parts import Table

Copies = Callable[[Sequence[tuple[CrawlId, str]]], list[Path | None]]
"""Returns local copies of exports, valid until the next call; None for an export that does not exist."""

MEMORY_MB = 512
"""DuckDB's memory limit per query; beyond it, DuckDB writes to a scratch folder."""

THREADS = 2


class Export(StrEnum):
    """The exports that can be queried."""

    PAGES = "pages.parquet"
    LINKS = "edges.parquet"
    ISSUES = "issues.jsonl.gz"
    BLOCKERS = "blockers.csv"
    ORPHANS = "orphans.csv"
    SUMMARY = "summary.json"
    URLS = "urls.parquet"  # made of parts only
    LEDGER = "ledger.csv"
    HISTORY = "history.csv"  # crawls of a site that remembered nothing have none
    MEDIA = "media.parquet"
    MEDIA_USES = "media_uses.parquet"
    CHECKS = "checks.parquet"


_TABULAR = {
    Export.PAGES: "pages",
    Export.LINKS: "links",
    Export.URLS: "urls",
    Export.MEDIA: "media",
    Export.MEDIA_USES: "media_uses",
    Export.CHECKS: "checks",
}
_TEXTS = {Export.LEDGER: "ledger", Export.HISTORY: "history"}
_OF_HISTORY = {"key": "VARCHAR", "first_seen": "VARCHAR", "last_changed": "VARCHAR", "deleted": "VARCHAR"}
_KEYS = {
    Export.PAGES: "key",
    Export.URLS: "key",
    Export.MEDIA: "key",
    Export.MEDIA_USES: "page_key",
    Export.CHECKS: "key",
}


class OpenedExports:
    """A database over exports, opened for one query at a time."""

    def __init__(
        self,
        copies: Copies,
        hidden: Callable[[CrawlId], frozenset[str]],
        *,
        memory_mb: int = MEMORY_MB,
        threads: int = THREADS,
        scratch: Path | None = None,
    ) -> None:
        """Use a folder in `scratch` for data beyond the memory limit; None = the system's temporary folder."""
        self._copies = copies
        self._hidden = hidden
        self._memory_mb = memory_mb
        self._threads = threads
        self._scratch = scratch

    def path(self, crawl: CrawlId, export: Export) -> Path:
        """Return a local copy of an export; raise NotFoundError if it does not exist."""
        return self._paths([(crawl, export)])[0]

    def summary(self, crawl: CrawlId) -> CrawlSummary:
        """Return the summary of a crawl; raise as `path`, and CorruptDataError if it cannot be read."""
        path = self.path(crawl, Export.SUMMARY)
        try:
            return msgspec.json.decode(path.read_bytes(), type=CrawlSummary, strict=False)
        except (OSError, msgspec.MsgspecError) as error:
            raise CorruptDataError(f"the summary of crawl {crawl.crawl} cannot be read: {error}") from error

    def has_hidden(self, crawl: CrawlId) -> bool:
        """Return whether pages were deleted from a crawl."""
        return bool(self._hidden(crawl))

    @contextmanager
    def tables(self, crawls: dict[str, CrawlId], *exports: Export) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open exports as views, such as `pages` and `links`; the keys of `crawls` are prefixes of their names.

        The views exclude hidden pages and links on them; `ledger` and `history` do not, and are all text. `row` is the
        row number in the export, from 0.
        Raise CorruptDataError if DuckDB cannot read an export.
        """
        wanted = [(prefix, crawl, export) for prefix, crawl in crawls.items() for export in exports]
        paths = self._paths_or_none([(crawl, export) for _, crawl, export in wanted])
        with (
            self._scratch_folder() as scratch,
            database(scratch, memory_mb=self._memory_mb, threads=self._threads) as db,
        ):
            try:
                lock(db, {path.parent for path in paths if path is not None})
                for prefix, crawl in crawls.items():
                    db.execute(f"CREATE TEMP TABLE {prefix}hidden (key VARCHAR)")
                    db.execute(
                        f"INSERT INTO {prefix}hidden SELECT unnest($1::VARCHAR[])", [sorted(self._hidden(crawl))]
                    )
                for (prefix, _, export), path in zip(wanted, paths, strict=True):
                    if path is None:
                        db.execute(f"CREATE TEMP VIEW {prefix}history AS FROM {no_rows(_OF_HISTORY)}")
                    elif export in _TABULAR:
                        rows = db.read_parquet(str(path), file_row_number=True)
                        _with_added_columns(rows, export).create_view(f"{prefix}all_{_TABULAR[export]}")
                    elif export in _TEXTS:
                        db.read_csv(str(path), header=True, all_varchar=True).create_view(f"{prefix}{_TEXTS[export]}")
                for prefix in crawls:
                    _without_hidden(db, prefix, exports)
                yield db
            except duckdb.OutOfMemoryException as error:
                raise StoreBusyError(f"{self._named(crawls)}: the query needs too much memory: {error}") from error
            except duckdb.Error as error:
                raise CorruptDataError(f"{self._named(crawls)} cannot be read: {error}") from error

    def _paths(self, wanted: Sequence[tuple[CrawlId, Export]]) -> list[Path]:
        return [path for path in self._paths_or_none(wanted) if path is not None]

    def _paths_or_none(self, wanted: Sequence[tuple[CrawlId, Export]]) -> list[Path | None]:
        """Return local copies of exports, None for those that a crawl need not have."""
        paths: list[Path | None] = []
        copies = self._copies([(crawl, export.value) for crawl, export in wanted])
        for (crawl, export), path in zip(wanted, copies, strict=True):
            if path is None and export is not Export.HISTORY:
                how = f"`wavecrawl export --rebuild` or POST /v1/crawls/{crawl.crawl}/exports"
                raise NotFoundError(f"crawl {crawl.crawl} has no results; create them with {how}")
            paths.append(path)
        return paths

    def _scratch_folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="wavecrawl-query-", dir=self._scratch)

    @staticmethod
    def _named(crawls: dict[str, CrawlId]) -> str:
        return "the results of crawl " + " and ".join(crawl.crawl for crawl in crawls.values())


def _with_added_columns(rows: duckdb.DuckDBPyRelation, export: Export) -> duckdb.DuckDBPyRelation:
    """Return an export with the columns that an earlier version did not write."""
    if export is Export.PAGES:
        return as_written_today(rows, ADDED[Table.PAGES])
    if export is Export.CHECKS:
        lacking = earlier_columns(rows.columns)
    else:
        added = {Export.LINKS: ADDED[Table.EDGES], Export.MEDIA: DERIVED}.get(export, {})
        lacking = [f"{value} AS {name}" for name, value in added.items() if name not in rows.columns]
    return rows.project(", ".join(("*", *lacking))) if lacking else rows


def _without_hidden(db: duckdb.DuckDBPyConnection, prefix: str, exports: Sequence[Export]) -> None:
    for export, key in _KEYS.items():
        if export in exports:
            view = _TABULAR[export]
            db.execute(
                f"""
                CREATE TEMP VIEW {prefix}{view} AS SELECT * RENAME (file_row_number AS row) FROM {prefix}all_{view}
                WHERE {key} NOT IN (SELECT key FROM {prefix}hidden)
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
