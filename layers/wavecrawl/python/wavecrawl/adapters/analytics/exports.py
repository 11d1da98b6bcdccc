"""Writers of the exports. Rows are sorted, so the same crawl gives the same files."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import duckdb
import msgspec

from wavecrawl.adapters.analytics.database import copy_csv, copy_lines, copy_rows, streamed, utc_time
from wavecrawl.adapters.table_columns import SCORE_COLUMNS
from wavecrawl.domain.crawl.record import TRAPS
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.domain.sitemaps.writer import SitemapUrl, write_sitemaps

_TRAPS = ", ".join(f"'{reason.value}'" for reason in TRAPS)
_NODE = ("id", "url", "title", "state", "status", "depth", "in_links", "out_links", "pagerank", "orphan")


def write_edges(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write edges.parquet: the links of each page in page order, then its redirect (kind `redirect`, no position).

    `source_page` and `target_page` are row numbers of pages.parquet, from 0; NULL if the target was not requested.
    """
    copy_rows(
        db,
        """
        WITH numbers AS (SELECT id, rank, row_number() OVER (ORDER BY rank) - 1 AS number FROM views),
             keys AS (SELECT key, number FROM urls JOIN numbers USING (id)),
             same_text AS (SELECT id, page FROM spellings WHERE same_text)
        SELECT source, target, kind, text, region, position, nofollow, reason, source_page::INTEGER AS source_page,
               target_page::INTEGER AS target_page, found_in, rel
        FROM (
            SELECT s.url AS source, coalesce(l.url, u.url) AS target, l.kind, l.text, l.region,
                   l.position::BIGINT AS position, l.nofollow, l.skip AS reason, n.rank, n.number AS source_page,
                   t.number AS target_page, l.found_in, l.rel
            FROM links l JOIN urls s ON s.id = l.source LEFT JOIN same_text x ON x.id = l.source
            JOIN numbers n ON n.id = coalesce(x.page, l.source)
            LEFT JOIN urls u ON u.id = l.target LEFT JOIN same_text y ON y.id = l.target
            LEFT JOIN numbers t ON t.id = coalesce(y.page, l.target)
            UNION ALL
            SELECT r.url, r.redirect_to, 'redirect', '', '', NULL, FALSE, r.redirect_skip, n.rank, n.number, k.number,
                   'html', ''
            FROM pages r JOIN numbers n USING (id) LEFT JOIN keys k ON k.key = r.redirect_key
            WHERE r.redirect_to <> ''
        ) ORDER BY rank, position NULLS LAST
        """,
        folder / "edges.parquet",
        "FORMAT parquet, COMPRESSION zstd",
    )


def write_compact_edges(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write urls.parquet (all discovered URLs, numbered from 0 in order of discovery) and compact_edges.parquet.

    compact_edges.parquet has the rows of edges.parquet without text and region, with the numbers of both URLs; `target`
    is NULL if the URL is not in urls.parquet. `page` is a row number of pages.parquet, NULL if it was not requested.
    """
    options = "FORMAT parquet, COMPRESSION zstd"
    numbers = "(SELECT id, row_number() OVER (ORDER BY rank) - 1 AS page FROM views)"
    urls = f"""
        SELECT u.id::INTEGER AS id, u.url, u.state, u.reason, n.depth, u.lane, u.score, v.page::INTEGER AS page
        FROM urls u JOIN nodes n USING (id)
        LEFT JOIN (SELECT id, page FROM spellings WHERE same_text) s USING (id)
        LEFT JOIN {numbers} v ON v.id = coalesce(s.page, u.id) ORDER BY u.id
    """
    copy_rows(db, urls, folder / "urls.parquet", options)
    edges = """
        SELECT source, target, kind, position, nofollow, skip AS reason FROM links
        UNION ALL
        SELECT p.id, t.id, 'redirect', NULL, FALSE, p.redirect_skip
        FROM pages p LEFT JOIN urls t ON t.key = p.redirect_key WHERE p.redirect_to <> ''
    """
    ordered = f"SELECT * REPLACE (target::INTEGER AS target) FROM ({edges}) ORDER BY source, position NULLS LAST"
    copy_rows(db, ordered, folder / "compact_edges.parquet", options)


def write_ledger(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write ledger.csv: every discovered URL with its state and reason."""
    scores = ", ".join(
        f"u.{name}" if kind == "VARCHAR" else f"round(u.{name}, 4) AS {name}" for name, kind in SCORE_COLUMNS.items()
    )
    copy_csv(
        db,
        f"""
        SELECT u.url, u.state, u.reason, u.detail, n.depth, coalesce(p.url, '') AS parent, u.found_by,
               n.phase,
               u.tries, {utc_time("u.found_at")} AS found_at,
               {scores}, u.key
        FROM urls u JOIN nodes n USING (id) LEFT JOIN urls p ON p.id = n.parent ORDER BY n.rank
        """,
        folder / "ledger.csv",
    )


def write_suppressed(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write suppressed.csv: the URLs that a rule against traps kept out of the crawl, with the evidence."""
    copy_csv(
        db,
        f"""
        SELECT u.url, u.reason AS rule, u.detail AS evidence, coalesce(p.url, '') AS found_on
        FROM urls u JOIN nodes n USING (id) LEFT JOIN urls p ON p.id = n.parent
        WHERE u.reason IN ({_TRAPS}) ORDER BY n.rank
        """,
        folder / "suppressed.csv",
    )


def write_issues(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write issues.csv, issues.jsonl.gz, orphans.csv and blockers.csv (what was not read)."""
    issues = "SELECT severity, kind, url, related, detail FROM issues ORDER BY place, url, related, detail"
    copy_lines(db, issues, folder / "issues.jsonl.gz", ", COMPRESSION gzip")
    copy_csv(db, issues, folder / "issues.csv")
    copy_csv(
        db,
        """
        SELECT u.url, o.verdict, n.depth, coalesce(v.title, '') AS title, l.sitemap, l.lastmod,
               (SELECT count(*) FROM blockers) AS blockers, o.evidence
        FROM orphans o JOIN urls u USING (id) JOIN nodes n USING (id) LEFT JOIN views v USING (id)
        JOIN listed_pages l USING (id) ORDER BY n.rank
        """,
        folder / "orphans.csv",
    )
    copy_csv(
        db,
        """
        SELECT b.url, b.why, b.reason, b.kind, b.way
        FROM blockers b LEFT JOIN nodes n USING (id) ORDER BY n.rank NULLS FIRST, b.url
        """,
        folder / "blockers.csv",
    )


def write_duplicates(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write duplicates.csv: duplicates, and pages to review, by the page that is kept.

    `cluster` is the key of that page; pages to review have none.
    """
    copy_csv(
        db,
        f"""
        SELECT v.url, k.url AS duplicate_of, round(d.similarity, 4) AS similarity, d.kind,
               CASE WHEN d.kind <> '{DuplicateKind.REVIEW}' THEN k.key ELSE '' END AS cluster
        FROM duplicates d JOIN views v USING (id) JOIN views k ON k.id = d.first ORDER BY k.rank, v.rank
        """,
        folder / "duplicates.csv",
    )


def write_graph(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write graph.json: nodes (requested URLs, by rank), links and redirects as pairs of node numbers."""
    encode = msgspec.json.encode
    with (folder / "graph.json").open("wb") as file:
        file.write(b'{"nodes":[')
        nodes = f"SELECT row_number() OVER (ORDER BY rank) - 1, {', '.join(_NODE[1:])} FROM views ORDER BY rank"
        file.writelines(_separated(encode(dict(zip(_NODE, row, strict=True))) for row in streamed(db, nodes)))
        for name, query in (
            ("links", "SELECT source, target FROM edges WHERE NOT canonical"),
            ("redirects", "SELECT id AS source, final AS target FROM nodes WHERE id <> final"),
        ):
            file.write(b'],"%s":[' % name.encode())
            numbered = (
                "SELECT s.number AS source, t.number AS target "
                f"FROM ({query}) e JOIN numbers s ON s.id = e.source JOIN numbers t ON t.id = e.target ORDER BY 1, 2"
            )
            with_numbers = (
                f"WITH numbers AS (SELECT id, row_number() OVER (ORDER BY rank) - 1 AS number FROM views) {numbered}"
            )
            file.writelines(_separated(encode(pair) for pair in streamed(db, with_numbers)))
        file.write(b"]}\n")


def write_sitemap(db: duckdb.DuckDBPyConnection, folder: Path, *, base: str) -> None:
    """Write sitemap.xml, plain and gzipped: indexable pages, each text once."""
    pages = """
        SELECT address, lastmod, depth FROM views JOIN lastmods USING (id)
        WHERE indexable AND id NOT IN (SELECT id FROM duplicates WHERE same_text) ORDER BY rank
    """
    urls = (SitemapUrl(loc=url, lastmod=lastmod, depth=depth) for url, lastmod, depth in streamed(db, pages))
    for file in write_sitemaps(urls, base=base):
        (folder / file.name).write_bytes(file.content)
        (folder / f"{file.name}.gz").write_bytes(gzip.compress(file.content, mtime=0))


def _separated(parts: Iterator[bytes]) -> Iterator[bytes]:
    for position, part in enumerate(parts):
        yield b",\n" + part if position else b"\n" + part
