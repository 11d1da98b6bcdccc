"""Files as an earlier version wrote them."""

from pathlib import Path

import duckdb

from wavecrawl.adapters.table_columns import ADDED
from wavecrawl.ports.parts import Table


def make_earlier(path: Path, table: Table) -> None:
    """Remove the columns from a Parquet file that an earlier version did not write, if it has them."""
    other = path.with_suffix(".old")
    source = f"read_parquet('{path}', hive_partitioning = false)"
    columns = [name for name, *_ in duckdb.connect().execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
    kept = [name for name in columns if name not in ADDED[table]]
    if table is Table.TEXTS:  # this version wrote Markdown in place of text
        kept = [f"text.replace('*', '\\*') AS {name}" if name == "markdown" else name for name in kept]
    rows = f"SELECT {', '.join(kept)} FROM {source}"
    duckdb.connect().execute(f"COPY ({rows}) TO '{other}' (FORMAT parquet)")
    other.replace(path)


def make_earlier_pages(path: Path) -> None:
    """Write pages.parquet as version 0.1 did at first: without later columns, times and lists as plain values."""
    make_earlier(path, Table.PAGES)
    other = path.with_suffix(".old")
    duckdb.connect().execute(
        f"""
        COPY (
            SELECT * EXCLUDE (not_indexable) REPLACE (
                epoch(fetched_at) AS fetched_at, array_to_string(robots, ', ') AS robots,
                [json_array(one.level, one.text) FOR one IN headings] AS headings,
                [[one.language, one.url] FOR one IN hreflang] AS hreflang,
                [[one.property, one.content] FOR one IN open_graph] AS open_graph
            ) FROM read_parquet('{path}')
        ) TO '{other}' (FORMAT parquet)
        """
    )
    other.replace(path)
