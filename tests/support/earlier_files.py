"""Files as an earlier version wrote them."""

from pathlib import Path

import duckdb

from wavecrawl.adapters.table_columns import ADDED
from wavecrawl.ports.parts import Table


def make_earlier(path: Path, table: Table) -> None:
    """Remove the columns from a Parquet file that an earlier version did not write, if it has them."""
    other = path.with_suffix(".old")
    source = f"read_parquet('{path}', hive_partitioning = false)"
    columns = [name for name, *_ in duckdb.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
    rows = f"SELECT {', '.join(name for name in columns if name not in ADDED[table])} FROM {source}"
    duckdb.execute(f"COPY ({rows}) TO '{other}' (FORMAT parquet)")
    other.replace(path)
