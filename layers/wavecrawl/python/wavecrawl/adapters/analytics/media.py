"""Media in the results: one row for each media URL, one for each use by a page, and their counts."""

from pathlib import Path

import duckdb

from wavecrawl.adapters.analytics.database import copy_csv, copy_rows, utc_time
from wavecrawl.adapters.analytics.media_columns import DERIVED
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.ports.analytics import MediaCounts

_PARQUET = "FORMAT parquet, COMPRESSION zstd"
_STORED = "state IN ('fetched', 'unchanged')"
_IS_PAGE = f"(kind = 'document' AND url IN (SELECT url FROM urls WHERE {_STORED}))"
_COLUMNS = (
    "url", "kind", "state", "reason", "detail", "status", "content_type", "final_url", "bytes", "fetched_at", "hash",
    "media_type", "extension", "size", "stored_bytes", "width", "height", "problem", "title", "author", "pages",
    "characters", "duplicate_of", "uses", *DERIVED, "key",
)  # fmt: skip


def build_media(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> None:
    """Create tables `media_uses` and `media`.

    A document that was requested as a page is used by the pages that link to it. Those that name it by its extension
    have it among their media already. A page that is named like a document is no media. A media URL that was not
    requested, because of its reference or of a limit, has no row in the parts: its row is made from its uses, by pages
    and by stylesheets.
    """
    db.execute(
        f"""
        CREATE TABLE media_uses AS
        SELECT m.key, p.id AS page, m.position, m.url, m.kind, m.source, m.text, m.skip
        FROM part_media_uses m JOIN pages p ON p.key = m.page_key AND p.wave = m.wave WHERE p.{_STORED}
        UNION ALL
        SELECT m.key, l.source, NULL, m.url, m.kind, m.source, l.text, m.skip
        FROM part_media_uses m JOIN urls d ON d.key = m.page_key AND d.reason = 'document'
        JOIN links l ON l.target = d.id JOIN pages p ON p.id = l.source
        ANTI JOIN part_media_uses n ON n.key = m.key AND n.page_key = p.key AND n.wave = p.wave
        """
    )
    db.execute(f"DELETE FROM media_uses WHERE {_IS_PAGE}")
    # An earlier version stored the status 304 of unchanged media.
    columns = ", ".join(name for name in _COLUMNS if name not in ("uses", "duplicate_of", *DERIVED))
    derived = ", ".join(f"{value} AS {name}" for name, value in DERIVED.items())
    db.execute(
        f"""
        CREATE TABLE media AS
        WITH known AS (
            SELECT id, {columns} FROM part_media WHERE NOT {_IS_PAGE}
            QUALIFY row_number() OVER (PARTITION BY key ORDER BY wave DESC) = 1
        ), used AS (
            SELECT key, count(DISTINCT page) AS uses, any_value(url) AS url,
                   coalesce(any_value(kind) FILTER (kind <> 'resource'), 'resource') AS kind, any_value(skip) AS skip
            FROM (
                SELECT key, page, url, kind, skip FROM media_uses
                UNION ALL
                SELECT m.key, NULL, m.url, m.kind, m.skip
                FROM part_media_uses m SEMI JOIN part_media s ON s.key = m.page_key
            )
            GROUP BY key
        ), others AS (
            SELECT NULL::BIGINT AS id, url, kind, key, uses,
                   if(skip = '' AND NOT is_full, 'pending', 'skipped') AS state,
                   if(skip = '' AND is_full, if(kind = 'resource', 'max_resources', 'max_assets'), skip) AS reason
            FROM (
                SELECT *, if(kind = 'resource', resources >= {settings.archive.max_resources},
                             others >= {settings.media.max_assets}) AS is_full
                FROM used ANTI JOIN known USING (key), (
                    SELECT count(*) FILTER (kind = 'resource') AS resources,
                           count(*) FILTER (kind IS DISTINCT FROM 'resource') AS others
                    FROM known
                )
            )
        ), rows AS (
            SELECT k.* REPLACE (if(k.state = 'unchanged' AND k.status = 304, 200, k.status) AS status),
                   coalesce(u.uses, 0) AS uses
            FROM known k LEFT JOIN used u USING (key)
            UNION ALL BY NAME SELECT * FROM others
        )
        SELECT * EXCLUDE (first), CASE WHEN first <> url THEN first ELSE '' END AS duplicate_of, {derived}
        FROM (SELECT *, first_value(url) OVER (PARTITION BY hash ORDER BY id) AS first FROM rows)
        """
    )
    db.execute("UPDATE media SET duplicate_of = '' WHERE hash IS NULL OR duplicate_of IS NULL")


def write_media(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write media.parquet, media.csv and media_uses.parquet."""
    columns = ", ".join(_COLUMNS)
    rows = f"""
        SELECT * REPLACE ({utc_time("fetched_at")} AS fetched_at)
        FROM (SELECT {columns} FROM media ORDER BY id NULLS LAST, url, key)
    """
    copy_rows(db, rows, folder / "media.parquet", _PARQUET)
    copy_csv(db, rows, folder / "media.csv")
    uses = """
        SELECT v.url AS page, u.url, u.kind, u.source, u.text, u.position, m.state, m.reason, m.hash,
               v.key AS page_key, u.key
        FROM media_uses u JOIN views v ON v.id = u.page JOIN media m ON m.key = u.key
        ORDER BY v.rank, u.position NULLS LAST, u.key
    """
    copy_rows(db, uses, folder / "media_uses.parquet", _PARQUET)


def count_media(db: duckdb.DuckDBPyConnection) -> dict[str, MediaCounts]:
    """Return the counts of each kind of media that was stored or requested."""
    rows = db.execute(
        f"""
        SELECT kind, count(*) FILTER ({_STORED}), count(*) FILTER ({_STORED} AND duplicate_of <> ''),
               count(*) FILTER (NOT {_STORED}), coalesce(sum(bytes), 0)::BIGINT,
               coalesce(sum(size) FILTER (duplicate_of = ''), 0)::BIGINT,
               coalesce(sum(stored_bytes) FILTER (duplicate_of = ''), 0)::BIGINT, histogram(state)
        FROM media GROUP BY kind ORDER BY array_position(['image', 'video', 'document', 'embed', 'resource'], kind)
        """
    ).fetchall()
    return {
        kind: MediaCounts(
            urls=urls,
            duplicates=duplicates,
            missing=missing,
            received=received,
            size=size,
            stored=stored,
            states=states,
        )
        for kind, urls, duplicates, missing, received, size, stored, states in rows
    }


def count_oversized_videos(db: duckdb.DuckDBPyConnection) -> int:
    """Return how many videos were left out because they are too large."""
    ((videos,),) = db.execute("SELECT count(*) FROM media WHERE kind = 'video' AND reason = 'too_large'").fetchall()
    return int(videos)


def count_read_documents(db: duckdb.DuckDBPyConnection) -> int:
    """Return how many documents have a text, without those with the content of another one."""
    ((documents,),) = db.execute(
        f"SELECT count(*) FROM media WHERE kind = 'document' AND {_STORED} AND characters > 0 AND duplicate_of = ''"
    ).fetchall()
    return int(documents)


def missing_media(db: duckdb.DuckDBPyConnection, most: int) -> list[tuple[str, str, str]]:
    """Return URL, problem and a page for the first `most` assets that pages use and that could not be fetched."""
    return db.execute(
        """
        SELECT m.url, CASE WHEN m.detail <> '' THEN m.detail ELSE m.state END, coalesce(arg_min(v.url, v.rank), '')
        FROM media m LEFT JOIN media_uses u ON u.key = m.key LEFT JOIN views v ON v.id = u.page
        WHERE m.state IN ('not_found', 'forbidden', 'blocked', 'http_error', 'failed') OR m.reason = 'not_media'
        GROUP BY m.id, m.url, m.detail, m.state ORDER BY m.id LIMIT ?
        """,
        [most],
    ).fetchall()
