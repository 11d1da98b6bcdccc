"""Checked URLs in the results: one row for each, and one for each use by a page."""

from pathlib import Path

import duckdb

from wavecrawl.adapters.analytics.database import copy_csv, copy_rows, utc_time
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.media.settings import MediaGroup
from wavecrawl.ports.analytics import CheckCounts

_FETCHED = "state IN ('fetched', 'unchanged')"
_UNREACHED = "('redirect_loop', 'redirect_limit', 'redirect_bad_target')"
_REFUSED = "(429, 999)"  # of servers that refuse crawlers: 429 is RFC 6585, 999 is used by LinkedIn
_UNCHECKED = "('skipped', 'robots_denied', 'pending', 'deferred')"
_BROKEN = f"""(
    state = 'not_found' OR (state = 'failed' AND reason <> 'blocked_address')
    OR (state = 'http_error' AND status NOT IN {_REFUSED}) OR (state = 'forbidden' AND kind <> 'link')
    OR (state = 'redirected' AND reason IN {_UNREACHED}) OR reason = 'not_media'
)"""
_COLUMNS = (
    "url", "kind", "state", "status", "broken", "reason", "detail", "final_url", "redirects", "moved", "response_ms",
    "content_type", "pages", "page", "tries", "fetched_at", "key", "page_key",
)  # fmt: skip
_COLUMNS_OF_PART = (
    "id, url, kind, key, state, reason, detail, status, content_type, final_url, redirects, moved, response_time, "
    "tries, fetched_at"
)


def build_checks(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> None:
    """Create tables `check_uses` and `checks`, empty if nothing is checked.

    Images that the crawl stores are not checked as well: their rows are those of table `media`, which is needed then.
    """
    stored = settings.checks.resources and MediaGroup.IMAGES in settings.media.include
    _build_uses(db, settings, stored=stored)
    media = """
        UNION ALL BY NAME
        SELECT id, url, 'image' AS kind, key, state, reason, detail, status, content_type, final_url, fetched_at
        FROM media WHERE key IN (SELECT key FROM check_uses WHERE kind = 'image')
    """
    db.execute(
        f"""
        CREATE TABLE checks AS
        WITH requested AS (
            SELECT {_COLUMNS_OF_PART} FROM part_checks
            QUALIFY row_number() OVER (PARTITION BY key ORDER BY wave DESC) = 1
        ), known AS (
            SELECT * FROM requested {media if stored else ""}
        ), used AS (
            SELECT u.key, min(u.url) AS url, arg_min(u.kind, v.rank) AS kind, count(DISTINCT u.page) AS pages,
                   arg_min(v.url, v.rank) AS page, arg_min(v.key, v.rank) AS page_key
            FROM check_uses u JOIN views v ON v.id = u.page GROUP BY u.key
        ), others AS (
            SELECT url, kind, key, 'skipped' AS state, 'max_checks' AS reason FROM used ANTI JOIN known USING (key)
            WHERE (SELECT count(*) FROM requested) >= {settings.checks.max_urls}
        )
        SELECT k.*, coalesce({_BROKEN}, FALSE) AS broken, coalesce(u.pages, 0) AS pages, coalesce(u.page, '') AS page,
               coalesce(u.page_key, '') AS page_key
        FROM (SELECT * FROM known UNION ALL BY NAME SELECT * FROM others) k
        LEFT JOIN (SELECT key, pages, page, page_key FROM used) u USING (key)
        """
    )


def _build_uses(db: duckdb.DuckDBPyConnection, settings: CrawlSettings, *, stored: bool) -> None:
    """Create table `check_uses`: which page names which checked URL, as what, and with which text.

    The key of a check is that of its URL backwards (`domain.checks.kinds`). The key of a stored image is that of media.
    """
    db.execute(
        "CREATE TABLE check_uses (key VARCHAR, url VARCHAR, kind VARCHAR, page BIGINT, position INTEGER, text VARCHAR)"
    )
    if settings.checks.external:
        db.execute(
            """
            INSERT INTO check_uses
            SELECT reverse(t.key), t.url, 'link', l.source, l.position, l.text
            FROM links l JOIN urls t ON t.id = l.target WHERE t.reason = 'out_of_scope'
            UNION ALL
            SELECT reverse(redirect_key), redirect_to, 'link', id, NULL, ''
            FROM pages WHERE redirect_skip = 'out_of_scope'
            """
        )
    if settings.checks.resources:
        db.execute(
            f"""
            INSERT INTO check_uses
            SELECT r.key, r.url, r.kind, p.id, r.position, r.text
            FROM part_resource_uses r JOIN pages p ON p.key = r.page_key AND p.wave = r.wave
            WHERE p.{_FETCHED} AND r.skip = '' AND NOT (r.kind = 'image' AND {stored})
            """
        )
    if stored:
        db.execute(
            """
            INSERT INTO check_uses
            SELECT key, url, 'image', page, position, text FROM media_uses WHERE kind = 'image' AND skip = ''
            """
        )


def write_checks(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write checks.parquet and checks.csv: broken URLs first, then in order of discovery."""
    rows = f"""
        SELECT {", ".join(_COLUMNS)} FROM (
            SELECT * REPLACE ({utc_time("fetched_at")} AS fetched_at),
                   round(1000 * response_time)::INTEGER AS response_ms
            FROM checks
        ) ORDER BY NOT broken, id NULLS LAST, url, key
    """
    copy_rows(db, rows, folder / "checks.parquet", "FORMAT parquet, COMPRESSION zstd")
    copy_csv(db, rows, folder / "checks.csv")


def count_checks(db: duckdb.DuckDBPyConnection) -> dict[str, CheckCounts]:
    """Return the counts of each kind of checked URLs, by their first use."""
    rows = db.execute(
        f"""
        SELECT kind, count(*) FILTER (state NOT IN {_UNCHECKED} AND reason <> 'blocked_address'),
               count(*) FILTER (broken), count(*) FILTER (moved), count(*)
        FROM checks GROUP BY kind ORDER BY array_position(['link', 'image', 'script', 'stylesheet'], kind)
        """
    ).fetchall()
    return {
        kind: CheckCounts(urls=urls, broken=broken, moved=moved, unchecked=every - urls)
        for kind, urls, broken, moved, every in rows
    }
