"""The date of each page in the sitemap that is written for the site."""

import duckdb

_FORMATS = "['%a, %d %b %Y %H:%M:%S GMT', '%A, %d-%b-%y %H:%M:%S GMT', '%a %b %d %H:%M:%S %Y']"
"""HTTP dates (RFC 9110, 5.6.7)."""

_FRESH = 60  # seconds before the response; a later date was probably made for it


def build_lastmods(db: duckdb.DuckDBPyConnection, *, min_pages: int) -> None:
    """Create table `lastmods` (id, lastmod): W3C date or date and time, "" if nothing is known.

    If the text of a page was seen to change, it is the day of that change. Otherwise, it is the date in the header
    Last-Modified, or else in the site's own sitemap, where they are plausible: not made for the response, not later
    than the first request that returned the text, and not the same for all of at least `min_pages` pages.
    """
    db.execute(
        f"""
        CREATE TABLE lastmods AS
        WITH headers AS (
            SELECT id, try_strptime(last_modified, {_FORMATS}) AS date, epoch(date) <= fetched_at - {_FRESH} AS is_old
            FROM pages WHERE last_modified <> ''
        ), stamped AS (
            SELECT id, strftime(date, '%Y-%m-%d') AS day FROM headers
            WHERE is_old AND (SELECT count(*) < {min_pages} OR count(DISTINCT date) > 1 FROM headers)
        )
        SELECT v.id,
        coalesce(t.changed_on, strftime(make_timestamp((v.fetched_at * 1e6)::BIGINT), '%Y-%m-%d')) AS seen_on,
        CASE
            WHEN t.changed THEN t.changed_on
            WHEN h.day <= seen_on THEN h.day
            WHEN left(d.lastmod, 10) <= seen_on THEN d.lastmod
            ELSE coalesce(t.changed_on, '')
        END AS lastmod
        FROM views v LEFT JOIN text_dates t ON t.key = v.key LEFT JOIN stamped h ON h.id = v.id
        LEFT JOIN dated d ON d.id = v.id
        """
    )
