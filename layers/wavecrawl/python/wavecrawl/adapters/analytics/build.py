"""The results of a crawl, derived from its parts in a scratch database."""

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.analytics.blockers import build_blockers
from wavecrawl.adapters.analytics.checks import build_checks, write_checks
from wavecrawl.adapters.analytics.database import database, memory_database
from wavecrawl.adapters.analytics.declared import build_declared
from wavecrawl.adapters.analytics.duplicates import build_duplicates
from wavecrawl.adapters.analytics.exports import (
    write_compact_edges,
    write_duplicates,
    write_edges,
    write_graph,
    write_issues,
    write_ledger,
    write_sitemap,
    write_suppressed,
)
from wavecrawl.adapters.analytics.graph import build_edges, build_metrics, read_graph, store_walk, walk_graph
from wavecrawl.adapters.analytics.graph_file import FILE as GRAPH_FILE
from wavecrawl.adapters.analytics.graph_file import write_graph_file
from wavecrawl.adapters.analytics.issues import build_chains, build_issues
from wavecrawl.adapters.analytics.lastmods import build_lastmods
from wavecrawl.adapters.analytics.listed_changes import ListedChanges, listed_changes
from wavecrawl.adapters.analytics.llms_export import write_llms_txt
from wavecrawl.adapters.analytics.load import load_links, load_pages, load_sitemap, load_urls, open_parts
from wavecrawl.adapters.analytics.media import build_media, write_media
from wavecrawl.adapters.analytics.packed_pages import packed_pages
from wavecrawl.adapters.analytics.page_exports import PagePieces
from wavecrawl.adapters.analytics.pages import build_views
from wavecrawl.adapters.analytics.references import references_of_parts
from wavecrawl.adapters.analytics.report.changes import changes_section
from wavecrawl.adapters.analytics.report.report_page import write_report
from wavecrawl.adapters.analytics.sitemap_entries import build_sitemap_facts, load_entries, write_entries
from wavecrawl.adapters.analytics.spellings import (
    build_spellings,
    drop_repeated_links,
    join_spellings,
    root_key_of,
)
from wavecrawl.adapters.analytics.summary import summarise, write_brand, write_summary
from wavecrawl.adapters.analytics.verdicts import build_orphans
from wavecrawl.adapters.unwritable import is_unwritable, unwritable
from wavecrawl.application.shown_errors import shown_failure
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.reached_limits import stops
from wavecrawl.domain.crawl.references import References
from wavecrawl.domain.crawl.result_files import WACZ, ResultFile
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.graph.completeness import Completeness
from wavecrawl.domain.pages.extraction_rules import rules_of
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import CorruptDataError, WavecrawlError
from wavecrawl.ports.analytics import AnalyticsInputs, Beside, CrawlSummary, no_files
from wavecrawl.ports.parts import Table

MEMORY_MB = 320
"""DuckDB's memory limit for all but very large crawls; beyond it, DuckDB writes to the scratch folder.

A process takes about 150 MB more. With a higher limit, sorting millions of links takes what there is, and saves 7 % of
the time.
"""

_LARGE = 200_000_000
"""Bytes of parts from which on the limit grows with them, up to `_MOST_MB`: those of some 180,000 pages."""

_MOST_MB = 1024

SMALL = 16_000_000
"""Bytes of parts up to which the tables stay in memory. In larger crawls they are in a file, compressed."""

_BYTES_PER_THREAD = 4_000_000
"""Bytes of parts per DuckDB thread beyond the first: in small crawls, threads mostly wait for each other."""


class DuckDbAnalytics:
    """`ports.analytics.Analytics`."""

    def __init__(self, *, memory_mb: int | None = None, threads: int | None = None, must_fit: bool = False) -> None:
        """`must_fit`: whether a file that cannot be written ends the build (UnwritableError); else it is left out."""
        self._memory_mb = memory_mb
        self._must_fit = must_fit
        self._threads = threads or len(os.sched_getaffinity(0))

    def build(
        self, inputs: AnalyticsInputs, *, files: Collection[ResultFile] = tuple(ResultFile), beside: Beside = no_files
    ) -> CrawlSummary:
        """Write the exports into the folder atomically, with `files` and those of `beside`; return the summary."""
        with self._opened(inputs) as (run, scratch):
            summary = run.results(files, beside)
            old = scratch / "old"
            if inputs.folder.exists():
                inputs.folder.rename(old)
            run.folder.rename(inputs.folder)
        return summary

    def add(
        self, inputs: AnalyticsInputs, files: Collection[ResultFile], *, beside: Beside = no_files
    ) -> Sequence[Notice]:
        """Add files to the results in the folder, each atomically; return a notice for each that cannot be written."""
        with self._opened(inputs) as (run, _):
            notices = run.files(files, beside)
            inputs.folder.mkdir(exist_ok=True)
            for path in sorted(run.folder.iterdir()):
                path.replace(inputs.folder / path.name)
        return notices

    @contextmanager
    def _opened(self, inputs: AnalyticsInputs) -> Iterator[tuple["_Build", Path]]:
        """Open a scratch database beside the folder of the results; yield what builds there, and a scratch folder."""
        inputs.folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="exports-", dir=inputs.folder.parent) as name:
            scratch = Path(name)
            fresh = scratch / "fresh"
            fresh.mkdir()
            size = sum(path.stat().st_size for files in inputs.parts.values() for path in files)
            with self._database(scratch, size) as db:
                yield _Build(db, inputs, scratch=scratch, folder=fresh, must_fit=self._must_fit), scratch

    @contextmanager
    def _database(self, scratch: Path, size: int) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open a database for parts of `size` bytes."""
        spill, memory_mb = scratch / "spill", self._memory_mb or _memory_mb(size)
        threads = min(self._threads, 1 + size // _BYTES_PER_THREAD)
        if size <= SMALL:
            with memory_database(spill, memory_mb=memory_mb, threads=threads) as db:
                yield db
            return
        with database(spill, memory_mb=memory_mb, threads=threads, file=scratch / "analytics.duckdb") as db:
            db.execute("SET force_compression = 'zstd'")  # trying every codec takes longer than all queries
            db.execute("PRAGMA disable_checkpoint_on_shutdown")  # the database is not opened again
            yield db

    def references(self, crawl: CrawlId, parts: Mapping[Table, Sequence[Path]], *, scratch: Path) -> References:
        """Return what the pages and media URLs of a crawl refer to in other crawls."""
        return references_of_parts(crawl, parts, scratch=scratch)


class _Build:
    """The results of one crawl while they are built."""

    def __init__(
        self, db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs, *, scratch: Path, folder: Path, must_fit: bool
    ) -> None:
        self._db = db
        self._inputs = inputs
        self._scratch = scratch
        self.folder = folder
        self._must_fit = must_fit
        self._notices: list[Notice] = []
        self._settings = msgspec.convert(dict(inputs.crawl.settings), CrawlSettings)
        self._media = self._settings.lists_media

    def results(self, files: Collection[ResultFile], beside: Beside) -> CrawlSummary:
        """Write the exports; return the summary."""
        db = self._db
        with self._damage_reported():
            surplus = self._load()
            completeness = self._derive()
            build_checks(db, self._settings)
            issues = build_issues(db, self._settings)
        self._write_exports()
        self._write_files(files, beside)
        inputs = replace(self._inputs, notices=(*self._notices, *self._inputs.notices))
        summary = summarise(
            db, inputs, issues=issues, surplus=surplus, completeness=completeness, with_media=self._media
        )
        before = len(self._notices)
        self._attempt("brand.json", lambda folder: write_brand(summary, folder))
        self._attempt("report.html", lambda folder: self._write_report(summary, folder))
        summary = replace(summary, notices=(*self._notices[before:], *summary.notices))
        write_summary(summary, self.folder)
        return summary

    def files(self, files: Collection[ResultFile], beside: Beside) -> Sequence[Notice]:
        """Write these files only; return a notice for each that cannot be written."""
        with self._damage_reported():
            self._load()
            self._derive()
        self._write_files(files, beside)
        return tuple(self._notices)

    @contextmanager
    def _damage_reported(self) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            self._require_room(error)
            crawl = self._inputs.crawl.crawl
            raise CorruptDataError(f"the results of crawl {crawl} cannot be built: {error}") from error

    def _write_report(self, summary: CrawlSummary, folder: Path) -> None:
        inputs = self._inputs
        names = {path.name for path in self.folder.iterdir()}
        listed = self._changes(summary) if inputs.changes is not None else None
        section = changes_section(inputs.changes, listed, limits=stops(summary.reasons))
        write_report(self._db, summary, folder, inputs.screenshot, changes=section, beside=names)

    def _changes(self, summary: CrawlSummary) -> ListedChanges | None:
        """Return the changes since an earlier crawl, None without its results. A notice says why they are missing.

        They are compared once: later, the earlier crawl may be deleted.
        """
        kept, earlier = self._inputs.listed.get(), self._inputs.earlier
        if kept is not None:
            return msgspec.msgpack.decode(kept, type=ListedChanges | None)
        try:
            listed = listed_changes(earlier, summary, self.folder, scratch=self._scratch) if earlier else None
        except (WavecrawlError, OSError) as error:
            self._notices.append(
                Notice(subject="report.html", message=f"does not list the changes: {shown_failure(error)}")
            )
            return None
        self._inputs.listed.put(msgspec.msgpack.encode(listed))
        return listed

    def _load(self) -> int:
        db = self._db
        open_parts(db, self._inputs.parts)
        load_urls(db)
        crawl = self._inputs.crawl
        self._inputs = replace(self._inputs, crawl=replace(crawl, root_key=root_key_of(db, crawl.root_key)))
        load_sitemap(db, self._inputs.sitemap, scratch=self._scratch)
        load_entries(db, self._inputs.entries, scratch=self._scratch)
        surplus = load_pages(db)
        load_links(db)
        build_spellings(db)
        return surplus

    def _derive(self) -> Completeness:
        """Create the tables of the pages and the graph."""
        db, crawl = self._db, self._inputs.crawl
        graph = read_graph(db, crawl)
        build_chains(db, graph)
        join_spellings(db, graph)
        store_walk(db, graph, walk_graph(db, graph, crawl), scratch=self._scratch)
        del graph
        build_edges(db)
        drop_repeated_links(db)
        build_metrics(db)
        completeness = build_blockers(db, crawl, self._inputs.blockers)
        build_orphans(db, root_key=crawl.root_key, completeness=completeness)
        build_declared(db, Identity.of(self._settings))
        build_duplicates(db, self._settings.duplicates)
        build_views(db, texts=self._inputs.texts)
        build_sitemap_facts(db, crawl, min_entries=self._settings.sitemaps.min_compared)
        build_lastmods(db, min_pages=self._settings.sitemaps.min_compared)
        if self._media:
            build_media(db, self._settings)
        return completeness

    def _write_exports(self) -> None:
        db = self._db
        rules = [rule.name for rule in rules_of(self._settings.extract.rules)]
        pieces = PagePieces(db, self._inputs.parts, scratch=self._scratch, rules=rules)
        base = _base_of(self._inputs.crawl.root_url)
        if self._attempt("pages.parquet, pages.jsonl.gz, pages.csv", lambda _: pieces.build()):
            self._attempt("pages.parquet", pieces.write_parquet)
            self._attempt("pages.jsonl.gz", pieces.write_lines)
            self._attempt("pages.csv", pieces.write_table)
        self._attempt("edges.parquet", lambda folder: write_edges(db, folder))
        self._attempt("ledger.csv", lambda folder: write_ledger(db, folder))
        self._attempt("issues.csv", lambda folder: write_issues(db, folder))
        if self._media:
            self._attempt("media.parquet, media.csv, media_uses.parquet", lambda folder: write_media(db, folder))
        if self._settings.checks.enabled:
            self._attempt("checks.parquet, checks.csv", lambda folder: write_checks(db, folder))
        if history := self._inputs.history:
            self._attempt(history.name, lambda folder: shutil.copyfile(history, folder / history.name))
        self._attempt("sitemap.xml", lambda folder: write_sitemap(db, folder, base=base))

    def _write_files(self, files: Collection[ResultFile], beside: Beside) -> None:
        """Write the files that are created on request."""
        db, chosen = self._db, set(files)
        if ResultFile.COMPACT_EDGES in chosen:
            self._attempt("compact_edges.parquet", lambda folder: write_compact_edges(db, folder))
        if ResultFile.SUPPRESSED in chosen:
            self._attempt("suppressed.csv", lambda folder: write_suppressed(db, folder))
        if ResultFile.SITEMAP_ENTRIES in chosen:
            self._attempt("sitemap_entries.parquet", lambda folder: write_entries(db, folder))
        if ResultFile.DUPLICATES in chosen:
            self._attempt("duplicates.csv", lambda folder: write_duplicates(db, folder))
        if ResultFile.GRAPH in chosen:
            self._attempt("graph.json", lambda folder: write_graph(db, folder))
            self._attempt(GRAPH_FILE, self._write_graph_file)
        if ResultFile.LLMS in chosen:
            self._attempt("llms.txt", lambda folder: write_llms_txt(db, folder, crawl=self._inputs.crawl))
        if ResultFile.WACZ in chosen:
            pages = packed_pages(db, self._settings)
            self._attempt(WACZ, lambda folder: self._notices.extend(beside(folder, pages)))

    def _write_graph_file(self, folder: Path) -> None:
        write_graph_file(self._db, folder, root_key=self._inputs.crawl.root_key, settings=self._settings.graph)

    def _attempt(self, name: str, write: Callable[[Path], object]) -> bool:
        """Write an export, return whether that worked. If not, the results do not have it, and a notice says why."""
        with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
            try:
                write(Path(folder))
            except (duckdb.Error, OSError, MemoryError) as error:
                self._require_room(error)
                self._notices.append(Notice(subject=name, message=f"not created: {shown_failure(error)}"))
                return False
            for path in Path(folder).iterdir():
                path.rename(self.folder / path.name)
        return True

    def _require_room(self, error: Exception) -> None:
        """Raise UnwritableError if results must be complete, and the error says that files cannot be written."""
        if self._must_fit and is_unwritable(error):
            raise unwritable(error, self._inputs.folder.parent) from error


def _memory_mb(size: int) -> int:
    """Return DuckDB's memory limit for a crawl whose parts have `size` bytes."""
    return min(_MOST_MB, max(MEMORY_MB, MEMORY_MB * size // _LARGE))


def _base_of(root_url: str) -> str:
    parts = urlsplit(root_url)
    return f"{parts.scheme}://{parts.netloc}/"
