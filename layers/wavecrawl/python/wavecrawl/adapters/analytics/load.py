"""Loading of a crawl into DuckDB: the rows of its parts and its sitemap entries become tables."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import duckdb
import msgspec

from wavecrawl.adapters.analytics.database import filled_rows, json_rows, no_rows
from wavecrawl.adapters.table_columns import ADDED, COLUMNS, SCORE_COLUMNS
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.analytics import SitemapLine
from wavecrawl.ports.parts import Table

_SITEMAP = {"key": "VARCHAR", "url": "VARCHAR", "lastmod": "VARCHAR", "sitemap": "VARCHAR"}


def open_parts(db: duckdb.DuckDBPyConnection, parts: Mapping[Table, Sequence[Path]]) -> None:
    """Create a view of the rows of each table in part order: `part_pages`, `part_edges`, `part_urls`, `part_texts`."""
    for table in Table:
        files = parts.get(table, ())
        if files:
            source = f"SELECT * FROM {part_rows(db, table, files)}"
        else:
            source = f"SELECT *, 0::UBIGINT AS file_index FROM {no_rows(COLUMNS[table])}"
        db.execute(f"CREATE VIEW part_{table} AS {source}")


def part_rows(db: duckdb.DuckDBPyConnection, table: Table, files: Sequence[Path]) -> str:
    """Return the rows of a table in files of parts as a relation, with the column `file_index`.

    A new version continues the crawls of the one before, so some of the files may lack columns.
    """
    return filled_rows(db, files, ADDED.get(table, {}), more=", file_index")


def load_urls(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `urls`: one row per discovered URL, its latest; `id` counts from 0 in order of discovery."""
    scores = ", ".join(f"u.{name}" for name in SCORE_COLUMNS)
    db.execute(
        f"""
        CREATE TABLE urls AS
        SELECT u.id, u.url, u.key, u.state, u.reason, u.detail, u.depth, u.parent, u.found_by, u.phase, u.found_in,
               found.found_at, u.tries, {scores}
        FROM part_urls u JOIN (
            SELECT id, max(wave) AS wave, max(found_at) AS found_at FROM part_urls GROUP BY id
        ) found ON found.id = u.id AND found.wave = u.wave
        ORDER BY u.id
        """
    )
    ((count, last),) = db.execute("SELECT count(*), coalesce(max(id) + 1, 0) FROM urls").fetchall()
    if count != last:
        raise CorruptDataError(f"the parts have {count:,} URLs, and the last one has the number {last:,}")


def load_pages(db: duckdb.DuckDBPyConnection) -> int:
    """Create table `pages` (one final record per URL, without long lists); return the number of surplus records.

    Files that were requested as pages are none. An earlier version stored the status 304 of unchanged pages. A redirect
    to a page that is named like a file has no `redirect_skip`, as in `load_links`.
    """
    db.execute(
        f"""
        CREATE TABLE pages AS
        SELECT u.id, p.key, p.url, p.state, p.reason, if(p.revalidated AND p.status = 304, 200, p.status) AS status,
               p.revalidated, p.content_type, p.is_html, p.final_url, p.redirect_to,
               p.redirect_key, {_skip_of("p.redirect_skip", "t.reason")} AS redirect_skip,
               p.bytes, p.truncated, p.truncated_reason, p.elapsed, p.fetched_at,
               p.links, p.text_hash, p.header_canonical, p.title, p.title_is_substitute, p.description,
               p.description_is_substitute, p.canonical, p.header_robots, p.robots, p.word_count,
               CASE WHEN p.simhash < 0 THEN p.simhash::HUGEINT + 18446744073709551616 ELSE p.simhash END::UBIGINT
                   AS simhash,
               p.shell, p.rendered, p.render_problem, p.scripts_not_run,
               p.needed_action, p.screenshot, p.brand, p.last_modified, p.body_at, p.wave
        FROM part_pages p JOIN urls u ON u.key = p.key LEFT JOIN urls t ON t.key = p.redirect_key
        WHERE p.reason NOT IN ('document', 'asset')
        """
    )
    ((total, distinct),) = db.execute("SELECT count(*), count(DISTINCT id) FROM pages").fetchall()
    if total > distinct:
        db.execute(
            """
            CREATE OR REPLACE TABLE pages AS
            SELECT * FROM pages QUALIFY row_number() OVER (
                PARTITION BY id ORDER BY state = 'redirected', if(state = 'redirected', -wave, 0), fetched_at
            ) = 1
            """
        )
    ((missing,),) = db.execute(
        "SELECT count(*) FROM urls ANTI JOIN pages USING (id) WHERE urls.state IN ('fetched', 'unchanged')"
    ).fetchall()
    if missing:
        raise CorruptDataError(f"the parts lack the records of {missing:,} fetched pages")
    return int(total - distinct)


def load_links(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `links`: the links of each page with the numbers of both URLs; `target` is NULL if not in `urls`.

    `url` is the link's URL if it is not written as in `urls`, otherwise NULL. A link to a page that is named like a
    file has no `skip`: the worker took the page for a file, and its response showed what it is.
    """
    db.execute(
        f"""
        CREATE TABLE links AS
        SELECT s.id::INTEGER AS source, t.id::INTEGER AS target, e.position, nullif(e.url, t.url) AS url,
               e.kind, e.region, e.text, e.nofollow,
               {_skip_of("e.skip", "t.reason")} AS skip, e.found_in, e.rel
        FROM part_edges e JOIN pages s ON s.key = e.source_key AND s.wave = e.wave
        LEFT JOIN urls t ON t.key = e.target_key
        """
    )


def _skip_of(skip: str, reason: str) -> str:
    """Return why a reference is not followed, in SQL: a file that was requested, and is none, is followed."""
    return f"if({skip} = 'asset' AND {reason} NOT IN ('asset', 'document'), '', {skip})"


def load_sitemap(db: duckdb.DuckDBPyConnection, lines: Iterable[SitemapLine], *, scratch: Path) -> None:
    """Create table `listed`: the URLs of sitemaps with their `id` in `urls`, in sitemap order."""
    path = scratch / "sitemap.jsonl"
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        file.writelines(chain.from_iterable((encoder.encode(line), b"\n") for line in lines))
    source = json_rows(path, _SITEMAP) if path.stat().st_size else no_rows(_SITEMAP)
    db.execute(
        f"""
        CREATE TABLE listed AS
        SELECT urls.id, s.url, s.lastmod, s.sitemap, s.line
        FROM (SELECT *, row_number() OVER () AS line FROM {source}) s JOIN urls USING (key) ORDER BY s.line
        """
    )
    path.unlink()
