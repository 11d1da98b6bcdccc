"""Every link of a crawl with the status of its target, as a table for spreadsheets, ordered by target."""

import csv
from pathlib import Path
from typing import Final

import duckdb

from wavecrawl.adapters.analytics.database import as_cells, quoted
from wavecrawl.errors import NotFoundError

NAME: Final = "inlinks.csv"
_MEMORY = "256MB"  # of DuckDB, which sorts on disk beyond
_AT_ONCE = 1_000  # rows that are read
_LINKS = """
    SELECT e.target, p.status AS target_status, coalesce(p.state, '') AS target_state,
           CASE WHEN e.kind = 'redirect' THEN '' ELSE coalesce(nullif(p.redirect_to, ''), p.final_url, '') END
               AS redirects_to, e.source,
           e.text AS link_text, e.kind, e.region, e.nofollow, e.rel, e.found_in
    FROM edges e LEFT JOIN (
        SELECT url, any_value(status) AS status, any_value(state) AS state,
               any_value(redirect_to) AS redirect_to, any_value(final_url) AS final_url FROM pages GROUP BY url
    ) p ON p.url = e.target
    ORDER BY e.target, e.source, e.position NULLS LAST
"""


def write_inlinks(exports: Path, to: Path) -> Path:
    """Write the links of the results in `exports` into a folder, in UTF-8 with the mark that Excel needs.

    Return the path. Raise NotFoundError if a file is missing.
    """
    missing = [name for name in ("pages.parquet", "edges.parquet") if not (exports / name).is_file()]
    if missing:
        raise NotFoundError(f"{exports} has no {', '.join(missing)}; create it with --rebuild")
    to.mkdir(parents=True, exist_ok=True)
    path, part = to / NAME, to / f".{NAME}.part"
    try:
        with duckdb.connect() as db, part.open("w", encoding="utf-8-sig", newline="") as file:
            db.execute(f"SET memory_limit = '{_MEMORY}'; SET temp_directory = {quoted(to / f'.{NAME}.tmp')}")
            for table in ("pages", "edges"):
                db.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet({quoted(exports / f'{table}.parquet')})")
            if "rel" not in db.table("edges").columns:  # of an earlier version
                edges = quoted(exports / "edges.parquet")
                db.execute(f"CREATE OR REPLACE VIEW edges AS SELECT *, '' AS rel FROM read_parquet({edges})")
            found = db.execute(as_cells(db, _LINKS))
            writer = csv.writer(file)
            writer.writerow([name for name, *_ in found.description])
            while rows := found.fetchmany(_AT_ONCE):
                writer.writerows(rows)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path
