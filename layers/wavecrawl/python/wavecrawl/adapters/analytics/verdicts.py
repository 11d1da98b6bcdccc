"""Orphan pages with their verdict, and the unreadable URLs (blockers) that make it inconclusive."""

import duckdb

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.orphans import Verdict, is_blocker


def build_blockers(db: duckdb.DuckDBPyConnection, *, max_links: int) -> int:
    """Create table `blockers` (id, why); return their number. A page counts as cut if its bytes or links were cut."""
    endings = db.execute(
        """
        SELECT DISTINCT u.state, u.reason, r.status, coalesce(r.truncated OR r.links >= ?, FALSE)
        FROM urls u LEFT JOIN pages r USING (id)
        """,
        [max_links],
    ).fetchall()
    db.execute("CREATE TABLE blocking (state VARCHAR, reason VARCHAR, status INTEGER, cut BOOLEAN)")
    for state, reason, status, cut in endings:
        if is_blocker(UrlState(state), Reason(reason), status, cut=cut):
            db.execute("INSERT INTO blocking VALUES (?, ?, ?, ?)", [state, reason, status, cut])
    db.execute(
        """
        CREATE TABLE blockers AS
        SELECT u.id, CASE WHEN b.cut THEN 'not read to its end' ELSE concat_ws(' ', u.state, r.status) END AS why
        FROM urls u LEFT JOIN pages r USING (id)
        JOIN blocking b ON b.state = u.state AND b.reason = u.reason AND b.status IS NOT DISTINCT FROM r.status
                       AND b.cut = coalesce(r.truncated OR r.links >= ?, FALSE)
        """,
        [max_links],
    )
    ((count,),) = db.execute("SELECT count(*) FROM blockers").fetchall()
    return int(count)


def build_orphans(db: duckdb.DuckDBPyConnection, *, root_key: str, blockers: int) -> None:
    """Create table `orphans` (id, verdict): pages that are listed in sitemaps but not linked by a crawled page."""
    db.execute(
        """
        CREATE TABLE orphans AS
        SELECT DISTINCT l.id, ?::VARCHAR AS verdict
        FROM listed l JOIN pages r USING (id) ANTI JOIN edges e ON e.target = l.id
        WHERE r.state IN ('fetched', 'unchanged') AND r.key <> ?
        """,
        [(Verdict.INCONCLUSIVE if blockers else Verdict.ORPHAN).value, root_key],
    )
