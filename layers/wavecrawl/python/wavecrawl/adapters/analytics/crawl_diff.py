"""Differences between two crawls of a site: one query for each kind.

The views `pages` and `links` belong to the later crawl, `old_pages` and `old_links` to the earlier one.
"""

import duckdb

from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.ports.results import DiffCounts

_READ = "('fetched', 'unchanged')"
_BROKEN = "('not_found', 'http_error', 'failed')"

_BOTH = f"""
    SELECT coalesce(n.key, o.key) AS key, coalesce(n.url, o.url) AS url, n.row, o.row AS old_row,
           coalesce(n.state IN {_READ}, FALSE) AS is_page, coalesce(o.state IN {_READ}, FALSE) AS was_page,
           coalesce(nullif(concat_ws(' ', n.state, n.status), ''), 'not tried') AS now,
           coalesce(nullif(concat_ws(' ', o.state, o.status), ''), 'not tried') AS before,
           n.depth, o.depth AS old_depth, n.text_hash, o.text_hash AS old_text_hash,
           n.full_title, o.full_title AS old_full_title, n.decoded_bytes, o.decoded_bytes AS old_decoded_bytes,
           coalesce(n.state, '') AS state, coalesce(n.redirect_to, '') AS redirect_to
    FROM pages n FULL JOIN old_pages o ON o.key = n.key
"""
_MOVED = """
    SELECT g.key, g.redirect_to AS target FROM both_crawls g
    WHERE g.was_page AND NOT g.is_page AND g.state = 'redirected' AND g.redirect_to <> ''
    UNION ALL
    SELECT g.key, s.url AS target
    FROM both_crawls g JOIN both_crawls s ON s.text_hash = g.old_text_hash
    WHERE g.was_page AND NOT g.is_page AND g.state <> 'redirected' AND s.is_page AND NOT s.was_page
      AND g.old_text_hash <> ''
      AND g.old_text_hash IN (SELECT old_text_hash FROM both_crawls WHERE was_page GROUP BY 1 HAVING count(*) = 1)
      AND s.text_hash IN (SELECT text_hash FROM both_crawls WHERE is_page GROUP BY 1 HAVING count(*) = 1)
"""
_QUERIES = {
    DiffKind.NEW: """
        SELECT url, key, '' AS related, before, now FROM both_crawls
        WHERE is_page AND NOT was_page AND url NOT IN (SELECT target FROM moved)""",
    DiffKind.GONE: """
        SELECT url, key, '' AS related, before, now FROM both_crawls
        WHERE was_page AND NOT is_page AND key NOT IN (SELECT key FROM moved)""",
    DiffKind.CHANGED: """
        SELECT url, key, '' AS related, '' AS before,
               concat_ws(' and ', CASE WHEN text_hash <> old_text_hash THEN 'text' END,
                         CASE WHEN full_title <> old_full_title THEN 'title' END,
                         CASE WHEN other THEN 'size' END) AS now
        FROM (SELECT *, text_hash = '' AND old_text_hash = '' AND state = 'fetched'
                        AND decoded_bytes <> old_decoded_bytes AS other FROM both_crawls WHERE is_page AND was_page)
        WHERE text_hash <> old_text_hash OR full_title <> old_full_title OR other""",
    DiffKind.MOVED: """
        SELECT b.url, b.key, m.target AS related, b.before, b.now FROM moved m JOIN both_crawls b USING (key)""",
    DiffKind.BROKEN_LINK: """
        SELECT n.target AS url, n.key, n.source AS related, 'not broken' AS before, n.now
        FROM broken n ANTI JOIN old_broken o ON o.source = n.source AND o.target = n.target""",
    DiffKind.MENDED_LINK: """
        SELECT o.target AS url, o.key, o.source AS related, o.now AS before,
               coalesce((SELECT b.now FROM both_crawls b WHERE b.key = o.key), 'not tried') AS now
        FROM old_broken o ANTI JOIN broken n ON o.source = n.source AND o.target = n.target""",
    DiffKind.DEEPER: """
        SELECT url, key, '' AS related, old_depth::VARCHAR AS before, depth::VARCHAR AS now FROM both_crawls
        WHERE is_page AND was_page AND depth > old_depth""",
    DiffKind.NEARER: """
        SELECT url, key, '' AS related, old_depth::VARCHAR AS before, depth::VARCHAR AS now FROM both_crawls
        WHERE is_page AND was_page AND depth < old_depth""",
}


def compare(db: duckdb.DuckDBPyConnection) -> DiffCounts:
    """Count the differences of each kind."""
    _prepare(db)
    kinds: dict[str, int] = {}
    for kind, query in _QUERIES.items():
        ((kinds[kind.value],),) = db.execute(f"SELECT count(*) FROM ({query})").fetchall()
    ((now, before),) = db.execute(
        "SELECT count(*) FILTER (is_page), count(*) FILTER (was_page) FROM both_crawls"
    ).fetchall()
    return DiffCounts(
        kinds=kinds,
        pages_before=before,
        pages_now=now,
        links_new=_count_missing(db, "links", "old_links"),
        links_gone=_count_missing(db, "old_links", "links"),
    )


def differences(db: duckdb.DuckDBPyConnection, kind: DiffKind) -> str:
    """Return the query of a kind: at most $limit rows of `DiffRow` after $row."""
    _prepare(db)
    return f"""
        SELECT * FROM (
            SELECT '{kind.value}' AS kind, q.*, row_number() OVER (ORDER BY url, related) - 1 AS row
            FROM ({_QUERIES[kind]}) q
        ) WHERE row > $row ORDER BY row LIMIT $limit
    """


def _prepare(db: duckdb.DuckDBPyConnection) -> None:
    db.execute(f"CREATE TEMP TABLE both_crawls AS {_BOTH}")
    db.execute(f"CREATE TEMP TABLE moved AS {_MOVED}")
    for prefix in ("", "old_"):
        db.execute(
            f"""
            CREATE TEMP TABLE {prefix}broken AS
            SELECT DISTINCT l.source, p.url AS target, p.key, concat_ws(' ', p.state, p.status) AS now
            FROM {prefix}links l JOIN {prefix}pages p ON p.row = l.target_page
            WHERE p.state IN {_BROKEN} AND l.kind <> 'redirect'
            """
        )


def _count_missing(db: duckdb.DuckDBPyConnection, one: str, other: str) -> int:
    """Count the pairs of pages linked in `one` but not in `other`."""
    pairs = "SELECT DISTINCT source, target FROM {} WHERE kind <> 'redirect'"
    sql = f"SELECT count(*) FROM ({pairs.format(one)} EXCEPT {pairs.format(other)})"
    ((count,),) = db.execute(sql).fetchall()
    return int(count)
