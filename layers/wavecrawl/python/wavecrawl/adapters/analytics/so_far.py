"""The exports that queries read, made of the parts of a crawl so far, without what takes long.

Depths and parents are those of the plan instead of an exact walk. There is no PageRank and no search for duplicates.
The pages have no text. They are in the order in which they were fetched, so that a later part only appends to them.
"""

from array import array
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import duckdb
import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.analytics.blockers import build_blockers
from wavecrawl.adapters.analytics.checks import build_checks, write_checks
from wavecrawl.adapters.analytics.database import copy_rows
from wavecrawl.adapters.analytics.declared import build_declared
from wavecrawl.adapters.analytics.duplicates import DUPLICATES
from wavecrawl.adapters.analytics.exports import write_edges, write_issues
from wavecrawl.adapters.analytics.graph import build_edges, build_metrics, read_graph
from wavecrawl.adapters.analytics.issues import build_chains, build_issues
from wavecrawl.adapters.analytics.load import load_links, load_pages, load_sitemap, load_urls, open_parts
from wavecrawl.adapters.analytics.media import build_media, write_media
from wavecrawl.adapters.analytics.opened_exports import Export
from wavecrawl.adapters.analytics.page_exports import write_without_texts
from wavecrawl.adapters.analytics.pages import build_views
from wavecrawl.adapters.analytics.sitemap_entries import build_sitemap_facts, load_entries
from wavecrawl.adapters.analytics.spellings import (
    build_spellings,
    drop_repeated_links,
    join_spellings,
    root_key_of,
)
from wavecrawl.adapters.analytics.summary import summarise, write_summary
from wavecrawl.adapters.analytics.verdicts import build_orphans
from wavecrawl.adapters.table_columns import SCORE_COLUMNS
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.graph.completeness import Completeness
from wavecrawl.domain.urls.url import Identity
from wavecrawl.ports.analytics import AnalyticsInputs
from wavecrawl.ports.parts import Table

READ: Final = (Table.URLS, Table.PAGES, Table.EDGES, Table.MEDIA, Table.MEDIA_USES, Table.CHECKS, Table.RESOURCE_USES)
"""The tables that the exports are made of."""


def write_so_far(db: duckdb.DuckDBPyConnection, export: Export, inputs: AnalyticsInputs, *, scratch: Path) -> None:
    """Write an export, and those that are made with it, into the folder of the results."""
    open_parts(db, inputs.parts)
    load_urls(db)
    _WRITERS[export](db, inputs, scratch)


def _write_urls(db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs, _: Path) -> None:
    scores = ", ".join(f"u.{name}" for name in SCORE_COLUMNS)
    copy_rows(
        db,
        f"""
        SELECT u.id AS "order", u.url, u.key, u.state, u.reason, u.detail, u.depth, coalesce(p.url, '') AS parent,
               u.found_by, u.phase, u.found_in AS wave, coalesce(u.found_at, 0.0) AS found_at, u.tries, {scores}
        FROM urls u LEFT JOIN urls p ON p.id = u.parent ORDER BY u.id
        """,
        inputs.folder / Export.URLS,
        "FORMAT parquet",
    )


def _write_pages(db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs, scratch: Path) -> None:
    load_entries(db, (), scratch=scratch)  # they only matter for issues
    _derive(db, inputs, scratch)
    write_without_texts(db, inputs.folder / Export.PAGES)
    write_edges(db, inputs.folder)
    settings = _settings(inputs)
    if settings.lists_media:
        write_media(db, inputs.folder)
    if settings.checks.enabled:
        write_checks(db, inputs.folder)


def _write_issues(db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs, scratch: Path) -> None:
    load_entries(db, inputs.entries, scratch=scratch)
    surplus, completeness = _derive(db, inputs, scratch)
    build_chains(db, read_graph(db, inputs.crawl, with_links=False))
    build_sitemap_facts(db, inputs.crawl, min_entries=_settings(inputs).sitemaps.min_compared)
    issues = build_issues(db, _settings(inputs))
    write_issues(db, inputs.folder)
    with_media = _settings(inputs).lists_media
    summary = summarise(db, inputs, issues=issues, surplus=surplus, completeness=completeness, with_media=with_media)
    write_summary(summary, inputs.folder)


_WRITERS: Final[Mapping[Export, Callable[[duckdb.DuckDBPyConnection, AnalyticsInputs, Path], None]]] = MappingProxyType(
    {
        Export.URLS: _write_urls,
        Export.PAGES: _write_pages,
        Export.LINKS: _write_pages,
        Export.MEDIA: _write_pages,
        Export.MEDIA_USES: _write_pages,
        Export.CHECKS: _write_pages,
        Export.ISSUES: _write_issues,
        Export.BLOCKERS: _write_issues,
        Export.ORPHANS: _write_issues,
        Export.SUMMARY: _write_issues,
    }
)


def _derive(db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs, scratch: Path) -> tuple[int, Completeness]:
    """Create the tables of the pages; return the number of surplus records, and what was not seen."""
    crawl = replace(inputs.crawl, root_key=root_key_of(db, inputs.crawl.root_key))
    load_sitemap(db, inputs.sitemap, scratch=scratch)
    surplus = load_pages(db)
    load_links(db)
    build_spellings(db)
    graph = read_graph(db, crawl, with_links=False)
    join_spellings(db, graph)
    _build_nodes(db, graph.ends())
    build_edges(db)
    drop_repeated_links(db)
    build_metrics(db, with_ranks=False)
    completeness = build_blockers(db, crawl, inputs.blockers)
    build_orphans(db, root_key=crawl.root_key, completeness=completeness)
    db.execute(f"CREATE TABLE duplicates ({DUPLICATES})")
    build_declared(db, Identity.of(_settings(inputs)))
    build_views(db, texts=inputs.texts)
    db.execute("UPDATE views SET duplicate_of = NULL, near_duplicate_of = NULL")  # unknown
    settings = _settings(inputs)
    if settings.lists_media:
        build_media(db, settings)
    build_checks(db, settings)
    return surplus, completeness


def _settings(inputs: AnalyticsInputs) -> CrawlSettings:
    return msgspec.convert(dict(inputs.crawl.settings), CrawlSettings)


def _build_nodes(db: duckdb.DuckDBPyConnection, ends: "array[int]") -> None:
    """Create table `nodes` as `graph.store_walk` does, with the depths and parents of the plan."""
    moved = [(node, end) for node, end in enumerate(ends) if node != end]
    db.execute(
        "CREATE TABLE moved AS SELECT unnest(?)::BIGINT AS id, unnest(?)::BIGINT AS final",
        [[node for node, _ in moved], [end for _, end in moved]],
    )
    db.execute(
        """
        CREATE TABLE nodes AS
        SELECT u.id, u.depth, u.parent, u.phase, coalesce(m.final, u.id) AS final,
               row_number() OVER (ORDER BY p.wave NULLS LAST, p.batch, p.position, u.id) AS rank
        FROM urls u LEFT JOIN moved m USING (id)
        LEFT JOIN (
            SELECT q.id, f.wave, f.batch, f.position FROM pages q JOIN part_pages f USING (key, wave)
        ) p USING (id)
        ORDER BY u.id
        """
    )
