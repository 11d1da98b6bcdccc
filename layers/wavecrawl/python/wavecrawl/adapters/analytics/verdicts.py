"""Orphan pages with their verdict."""

import duckdb

from wavecrawl.domain.graph.completeness import Completeness
from wavecrawl.domain.graph.orphans import verdict_of


def build_orphans(db: duckdb.DuckDBPyConnection, *, root_key: str, completeness: Completeness) -> None:
    """Create table `orphans` (id, verdict): pages that are listed in sitemaps but not linked by a crawled page."""
    db.execute(
        """
        CREATE TABLE orphans AS
        SELECT DISTINCT l.id, ?::VARCHAR AS verdict
        FROM listed l JOIN pages r USING (id) ANTI JOIN edges e ON e.target = l.id
        WHERE r.state IN ('fetched', 'unchanged') AND r.key <> ?
        """,
        [verdict_of(completeness).value, root_key],
    )
