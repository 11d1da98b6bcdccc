"""Checked URLs in the results: one row for each, and one for each use by a page."""

from pathlib import Path

import duckdb

from wavecrawl.adapters.analytics.check_verdicts import EVIDENCE, VERDICT
from wavecrawl.adapters.analytics.database import copy_csv, copy_rows, utc_time
from wavecrawl.domain.checks.kinds import CheckKind, Verdict
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.media.kinds import media_key
from wavecrawl.domain.media.settings import MediaGroup
from wavecrawl.ports.analytics import CheckCounts

_FETCHED = "state IN ('fetched', 'unchanged')"
_STORED = "('image', 'resource')"  # what the crawl may store instead: images and videos
_KINDS = "['link', 'file', 'image', 'script', 'stylesheet', 'resource']"
_NAMED = """(
    {reason} IN ('asset', 'out_of_scope') OR reverse({key}) IN (SELECT key FROM part_checks WHERE kind = 'file')
    OR {key} IN (SELECT key FROM stored)
)"""
"""Whether a URL that pages link to has a check: the result of a file that was tried as a page is one."""
BROKEN_PAGES = "('not_found', 'http_error', 'failed')"
"""States of pages to which links are broken, as SQL."""
_COLUMNS = (
    "url", "kind", "state", "status", "broken", "verdict", "evidence", "reason", "detail", "final_url", "redirects",
    "moved", "response_ms", "content_type", "pages", "page", "tries", "fetched_at", "key", "page_key",
)  # fmt: skip
_COLUMNS_OF_PART = (
    "id, url, kind, key, state, reason, detail, status, content_type, final_url, redirects, moved, response_time, "
    "tries, fetched_at"
)


def build_checks(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> None:
    """Create tables `check_uses` and `check_results`, and view `checks`, all empty if nothing is checked or stored.

    Images and files that the crawl stores are not checked as well: their rows are those of table `media`, which is
    needed then. `checks` is without them if the settings check no URLs of their kind.
    """
    stored = bool(settings.media.include)
    _build_uses(db, settings)
    media = """
        UNION ALL BY NAME
        SELECT m.id, m.url, u.kind, key, m.state, m.reason, m.detail, m.status, m.content_type, m.final_url,
               m.fetched_at
        FROM media m JOIN used u USING (key)
    """
    db.execute(
        f"""
        CREATE TABLE check_results AS
        WITH used AS (
            SELECT u.key, min(u.url) AS url, arg_min(u.kind, v.rank) AS kind, count(DISTINCT u.page) AS pages,
                   arg_min(v.url, v.rank) AS page, arg_min(v.key, v.rank) AS page_key
            FROM check_uses u JOIN views v ON v.id = u.page GROUP BY u.key
        ), requested AS (
            SELECT {_COLUMNS_OF_PART} FROM part_checks
            WHERE NOT (kind IN {_STORED} AND url IN (SELECT url FROM stored_assets))
            QUALIFY row_number() OVER (PARTITION BY key ORDER BY wave DESC) = 1
        ), known AS (
            SELECT * FROM requested {media if stored else ""}
        ), others AS (
            SELECT url, kind, key, 'skipped' AS state, 'max_checks' AS reason FROM used ANTI JOIN known USING (key)
            WHERE (SELECT count(*) FROM requested) >= {settings.checks.max_urls}
        )
        SELECT k.*, k.verdict = '{Verdict.BROKEN}' AS broken, coalesce(u.pages, 0) AS pages,
               coalesce(u.page, '') AS page, coalesce(u.page_key, '') AS page_key
        FROM (
            SELECT *, {VERDICT} AS verdict, {EVIDENCE} AS evidence
            FROM (SELECT * FROM known UNION ALL BY NAME SELECT * FROM others)
        ) k
        LEFT JOIN (SELECT key, pages, page, page_key FROM used) u USING (key)
        """
    )
    listed = f"if(kind = 'link', {settings.checks.external}, {settings.checks.resources})"
    db.execute(f"CREATE VIEW checks AS SELECT * FROM check_results WHERE {listed}")


def _build_uses(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> None:
    """Create table `check_uses`: which page names which checked or stored URL, as what, and with which text.

    What a stylesheet loads is a use of the first page with the stylesheet, whose URL is `sheet`; "" of all others.

    The key of a check is that of its URL backwards (`domain.checks.kinds`). The key of a stored URL is that of media.
    """
    db.execute(
        "CREATE TABLE check_uses (key VARCHAR, url VARCHAR, kind VARCHAR, page BIGINT, position INTEGER, text VARCHAR, "
        "sheet VARCHAR DEFAULT '')"
    )
    images = MediaGroup.IMAGES in settings.media.include
    _build_stored(db, with_media=bool(settings.media.include))
    checked = {CheckKind.FILE: settings.checks.resources, CheckKind.LINK: settings.checks.external}
    db.execute(
        f"""
        INSERT INTO check_uses (key, url, kind, page, position, text)
        SELECT coalesce(s.media_key, reverse(key)), n.url, n.kind, n.page, n.position, n.text
        FROM (
            SELECT t.key, t.url, if(t.reason = 'out_of_scope', 'link', 'file') AS kind, l.source AS page, l.position,
                   l.text
            FROM links l JOIN urls t ON t.id = l.target WHERE {_NAMED.format(reason="t.reason", key="t.key")}
            UNION ALL
            SELECT redirect_key, redirect_to, if(redirect_skip = 'out_of_scope', 'link', 'file'), id, NULL, ''
            FROM pages WHERE {_NAMED.format(reason="redirect_skip", key="redirect_key")}
        ) n LEFT JOIN stored s USING (key)
        WHERE s.media_key IS NOT NULL OR n.kind IN (SELECT unnest(?::VARCHAR[]))
        """,
        [[kind.value for kind, is_checked in checked.items() if is_checked]],
    )
    if settings.checks.resources:
        db.execute(
            f"""
            INSERT INTO check_uses (key, url, kind, page, position, text)
            SELECT r.key, r.url, r.kind, p.id, r.position, r.text
            FROM part_resource_uses r JOIN pages p ON p.key = r.page_key AND p.wave = r.wave
            WHERE p.{_FETCHED} AND r.skip = ''
              AND NOT (r.kind IN {_STORED} AND r.url IN (SELECT url FROM stored_assets))
            """
        )
    if images:
        db.execute(
            """
            INSERT INTO check_uses (key, url, kind, page, position, text)
            SELECT key, url, 'image', page, position, text FROM media_uses WHERE kind = 'image' AND skip = ''
            """
        )
    if settings.checks.resources and settings.media.include:
        db.execute(
            f"""
            INSERT INTO check_uses (key, url, kind, page, position, text)
            SELECT s.key, r.url, r.kind, p.id, r.position, r.text
            FROM part_resource_uses r JOIN pages p ON p.key = r.page_key AND p.wave = r.wave
            JOIN stored_assets s ON s.url = r.url
            WHERE p.{_FETCHED} AND r.skip = '' AND r.kind IN {_STORED}
              AND NOT EXISTS (FROM check_uses u WHERE u.key = s.key AND u.page = p.id)
            """
        )
    if settings.checks.resources:
        _add_uses_by_sheets(db)


def _add_uses_by_sheets(db: duckdb.DuckDBPyConnection) -> None:
    """Add what the stylesheets load that pages use, and the stylesheets that these import."""
    db.execute(
        """
        INSERT INTO check_uses
        WITH RECURSIVE sheets(key, url, page) AS (
            SELECT u.key, min(u.url), arg_min(u.page, v.rank)
            FROM check_uses u JOIN views v ON v.id = u.page WHERE u.kind = 'stylesheet' GROUP BY u.key
            UNION
            SELECT r.key, r.url, s.page FROM sheets s JOIN part_resource_uses r ON r.page_key = s.key
            WHERE r.kind = 'stylesheet' AND r.skip = ''
        ), first AS (
            SELECT s.key, min(s.url) AS url, arg_min(s.page, v.rank) AS page
            FROM sheets s JOIN views v ON v.id = s.page GROUP BY s.key
        )
        SELECT coalesce(a.key, r.key), r.url, r.kind, f.page, r.position, r.text, f.url
        FROM first f JOIN part_resource_uses r ON r.page_key = f.key LEFT JOIN stored_assets a ON a.url = r.url
        WHERE r.skip = ''
        """
    )


def _build_stored(db: duckdb.DuckDBPyConnection, *, with_media: bool) -> None:
    """Create table `stored`: the URLs that pages link to and that were requested as media, not checked.

    Table `stored_assets` has the images and videos that were requested as media.
    """
    db.execute(
        "CREATE TEMP TABLE stored (key VARCHAR, media_key VARCHAR); "
        "CREATE TEMP TABLE stored_assets (key VARCHAR, url VARCHAR)"
    )
    if not with_media:
        return
    db.execute(
        "INSERT INTO stored_assets SELECT key, url FROM media WHERE id IS NOT NULL AND kind IN ('image', 'video')"
    )
    linked = db.execute(
        f"""
        SELECT key FROM urls
        WHERE reason = 'asset' OR (NOT {_FETCHED} AND url IN (SELECT url FROM media WHERE kind = 'document'))
        """
    ).fetchall()
    keys = [key for (key,) in linked]
    db.execute(
        """
        INSERT INTO stored
        SELECT l.key, l.media_key FROM (SELECT unnest(?::VARCHAR[]) AS key, unnest(?::VARCHAR[]) AS media_key) l
        WHERE l.media_key IN (SELECT key FROM media WHERE id IS NOT NULL)
          AND reverse(l.key) NOT IN (SELECT key FROM part_checks)
        """,
        [keys, [media_key(key) for key in keys]],
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
        SELECT kind, count(*) FILTER (verdict <> '{Verdict.NOT_CHECKED}'), count(*) FILTER (broken),
               count(*) FILTER (verdict = '{Verdict.UNKNOWN}'), count(*) FILTER (moved), count(*)
        FROM checks GROUP BY kind ORDER BY array_position({_KINDS}, kind)
        """
    ).fetchall()
    return {
        kind: CheckCounts(urls=urls, broken=broken, unknown=unknown, moved=moved, unchecked=every - urls)
        for kind, urls, broken, unknown, moved, every in rows
    }
