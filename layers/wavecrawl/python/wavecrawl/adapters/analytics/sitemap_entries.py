"""The entries of the site's sitemaps: an export, and what it shows together with the crawl."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import msgspec

from wavecrawl.adapters.analytics.database import copy_rows, json_rows, no_rows, parquet_rows
from wavecrawl.ports.analytics import CrawlFacts, SitemapEntryLine

_OPTIONS = "FORMAT parquet, COMPRESSION zstd"
_LONGEST = 16 * 1024 * 1024  # bytes of a line that DuckDB reads by default
_COLUMNS = {
    "sitemap": "VARCHAR",
    "position": "INTEGER",
    "url": "VARCHAR",
    "key": "VARCHAR",
    "lastmod": "VARCHAR",
    "changed_at": "DOUBLE",
    "changefreq": "VARCHAR",
    "priority": "DOUBLE",
    "alternates": "STRUCT(language VARCHAR, url VARCHAR, key VARCHAR)[]",
    "images": "VARCHAR[]",
}
_DYNAMIC = 60.0  # seconds before a response whose date counts as made for it


def load_entries(db: duckdb.DuckDBPyConnection, entries: Iterable[SitemapEntryLine], *, scratch: Path) -> None:
    """Create view `entries`: the entries of all files in their order, from a file in the folder `scratch`."""
    lines, path = scratch / "entries.jsonl", scratch / "entries.parquet"
    encoder = msgspec.json.Encoder()
    longest = 0
    with lines.open("wb") as file:
        for entry in entries:
            line = encoder.encode(entry)
            longest = max(longest, len(line) + 1)
            file.write(line + b"\n")
    limit = longest if longest > _LONGEST else None
    source = json_rows(lines, _COLUMNS, longest=limit) if longest else no_rows(_COLUMNS)
    copy_rows(db, f"SELECT row_number() OVER () AS line, * FROM {source}", path, _OPTIONS)
    lines.unlink()
    db.execute(f"CREATE VIEW entries AS SELECT * FROM {parquet_rows([path])}")


def build_sitemap_facts(db: duckdb.DuckDBPyConnection, crawl: CrawlFacts, *, min_entries: int) -> None:
    """Create tables `alike`, `future` and `dated`.

    `alike` (sitemap, what, detail): the files of at least `min_entries` entries with a date (or a priority) whose
    values say nothing: all are the same, or all dates lie in the time of the crawl, as if made for the request.
    `future` (url, sitemap, lastmod): the entries with a date more than a day after the crawl, in any time zone.
    `dated` (id, sitemap, lastmod): the first other date of each URL in a file whose dates say something.
    """
    tomorrow = f"{datetime.fromtimestamp(crawl.finished_at, UTC) + timedelta(days=1):%Y-%m-%d}"
    db.execute(
        """
        CREATE TABLE alike AS
        WITH counted AS (
            SELECT sitemap,
                   count(nullif(lastmod, '')) AS dates, min(nullif(lastmod, '')) AS first, max(lastmod) AS last,
                   bool_and(lastmod = '' OR coalesce(changed_at BETWEEN $since AND $until, FALSE)) AS dynamic,
                   count(priority) AS priorities, min(priority) AS low, max(priority) AS high
            FROM entries GROUP BY sitemap
        )
        SELECT sitemap, 'lastmod' AS what,
               format('{:d} entries, ', dates) || if(first = last, 'all ' || first, 'all during the crawl') AS detail
        FROM counted WHERE dates >= $least AND (first = last OR dynamic)
        UNION ALL
        SELECT sitemap, 'priority', format('{:d} entries, all {:.1f}', priorities, low)
        FROM counted WHERE priorities >= $least AND low = high
        """,
        {"since": crawl.started_at - _DYNAMIC, "until": crawl.finished_at + _DYNAMIC, "least": min_entries},
    )
    db.execute(
        "CREATE TABLE future AS SELECT e.url, e.sitemap, e.lastmod FROM entries e SEMI JOIN urls USING (key) "
        "WHERE e.lastmod > $tomorrow || '~'",  # after each time of that day
        {"tomorrow": tomorrow},
    )
    db.execute(
        """
        CREATE TABLE dated AS
        SELECT coalesce(s.page, u.id) AS id, arg_min(e.sitemap, e.line) AS sitemap,
               arg_min(e.lastmod, e.line) AS lastmod
        FROM entries e JOIN urls u USING (key) LEFT JOIN spellings s USING (id)
        WHERE e.lastmod <> '' AND e.lastmod <= $tomorrow || '~'
          AND e.sitemap NOT IN (SELECT sitemap FROM alike WHERE what = 'lastmod')
        GROUP BY 1
        """,
        {"tomorrow": tomorrow},
    )


def write_entries(db: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write sitemap_entries.parquet: the entries as they are written, and the state of their URLs in the crawl."""
    columns = ", ".join(f"e.{name}" for name in _COLUMNS if name not in ("alternates", "changed_at"))
    copy_rows(
        db,
        f"""
        SELECT {columns}, [{{'language': a.language, 'url': a.url}} FOR a IN e.alternates] AS alternates,
               coalesce(u.state, '') AS state, p.status
        FROM entries e LEFT JOIN urls u USING (key) LEFT JOIN pages p ON p.id = u.id ORDER BY e.line
        """,
        folder / "sitemap_entries.parquet",
        _OPTIONS,
    )
