"""The results of a crawl, derived from its records in one pass over a scratch database."""

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import duckdb

from wavecrawl.adapters.analytics.duplicates import build_duplicates
from wavecrawl.adapters.analytics.exports import (
    add_macros,
    write_edges,
    write_graph,
    write_issues,
    write_ledger,
    write_pages,
    write_sitemap,
)
from wavecrawl.adapters.analytics.graph import build_edges, build_metrics, read_graph, store_walk, walk_graph
from wavecrawl.adapters.analytics.issues import build_chains, build_issues
from wavecrawl.adapters.analytics.load import load_ledger, load_records, load_sitemap
from wavecrawl.adapters.analytics.pages import build_views, read_pages
from wavecrawl.adapters.analytics.report import write_report
from wavecrawl.adapters.analytics.summary import summarise, write_summary
from wavecrawl.adapters.analytics.verdicts import build_blockers, build_orphans
from wavecrawl.ports.analytics import AnalyticsInputs, Beside, CrawlSummary

MEMORY_MB = 1024
"""DuckDB's memory limit; beyond it, DuckDB writes to the scratch folder."""

SMALL = 64_000_000
"""Bytes of records up to which no table is committed: a commit can take as long as creating the table. In larger
crawls it pays: committed tables are compressed and need a fifth less of the scratch folder."""

_BYTES_PER_THREAD = 16_000_000
"""Bytes of records per DuckDB thread beyond the first: in small crawls, threads mostly wait for each other."""


class DuckDbAnalytics:
    """`ports.analytics.Analytics`."""

    def __init__(self, *, memory_mb: int = MEMORY_MB, threads: int | None = None) -> None:
        self._memory_mb = memory_mb
        self._threads = threads or len(os.sched_getaffinity(0))

    def build(self, inputs: AnalyticsInputs, *, beside: Beside = lambda *_: ()) -> CrawlSummary:
        """Write all exports and the files of `beside` into the folder atomically; return the summary."""
        inputs.folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="exports-", dir=inputs.folder.parent) as name:
            scratch = Path(name)
            fresh = scratch / "fresh"
            fresh.mkdir()
            size = sum(path.stat().st_size for path in inputs.records)
            with self._database(scratch, threads=min(self._threads, 1 + size // _BYTES_PER_THREAD)) as db:
                db.execute("PRAGMA disable_checkpoint_on_shutdown")  # the database is not opened again
                if size <= SMALL:
                    db.execute("BEGIN")
                summary = _build(db, inputs, scratch=scratch, folder=fresh, beside=beside)
            old = scratch / "old"
            if inputs.folder.exists():
                inputs.folder.rename(old)
            fresh.rename(inputs.folder)
            shutil.rmtree(old, ignore_errors=True)
        return summary

    def _database(self, scratch: Path, *, threads: int) -> duckdb.DuckDBPyConnection:
        return duckdb.connect(
            str(scratch / "analytics.duckdb"),
            config={
                "memory_limit": f"{self._memory_mb}MB",
                "temp_directory": str(scratch / "spill"),
                "threads": threads,
                "force_compression": "zstd",  # trying every codec takes longer than all queries
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )


def _build(
    db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs, *, scratch: Path, folder: Path, beside: Beside
) -> CrawlSummary:
    crawl = inputs.crawl
    add_macros(db)
    load_ledger(db, inputs.ledger, scratch=scratch)
    load_sitemap(db, inputs.sitemap, scratch=scratch)
    surplus = load_records(db, inputs.records, scratch=scratch)
    graph = read_graph(db, crawl)
    store_walk(db, graph, walk_graph(db, graph, crawl), scratch=scratch)
    build_edges(db)
    build_metrics(db)
    blockers = build_blockers(db, max_links=int(str(crawl.settings["max_links"])))
    build_orphans(db, root_key=crawl.root_key, blockers=blockers)
    build_duplicates(db)
    build_views(db, changed=inputs.changed)
    build_chains(db, graph)
    issues = build_issues(db)
    for write in (write_pages, write_edges, write_ledger, write_issues, write_graph):
        write(db, folder)
    write_sitemap(db, folder, base=_base_of(crawl.root_url))
    inputs = replace(inputs, notices=(*beside(folder, read_pages(db)), *inputs.notices))
    summary = summarise(db, inputs, issues=issues, surplus=surplus, blockers=blockers)
    write_summary(summary, folder)
    write_report(db, summary, folder)
    return summary


def _base_of(root_url: str) -> str:
    parts = urlsplit(root_url)
    return f"{parts.scheme}://{parts.netloc}/"
