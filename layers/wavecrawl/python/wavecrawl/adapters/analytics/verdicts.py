"""Orphan pages with their verdict, and the unreadable URLs (blockers) that make it inconclusive."""

import duckdb

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.orphans import Verdict, is_blocker


def build_blockers(db: duckdb.DuckDBPyConnection, *, max_links: int) -> int:
    """Create table `blockers` (id, why); return their number. A page counts as cut if its bytes or links were cut."""
    db.execute(
        """
        CREATE TEMP TABLE endings AS
        SELECT u.id, u.state, u.reason, r.status, coalesce(r.truncated OR r.links >= ?, FALSE) AS cut,
               coalesce(r.shell <> '' AND NOT r.rendered, FALSE) AS shell
        FROM urls u LEFT JOIN pages r USING (id)
        """,
        [max_links],
    )
    kinds = db.execute("SELECT DISTINCT state, reason, status, cut, shell FROM endings").fetchall()
    db.execute("CREATE TEMP TABLE blocking (state VARCHAR, reason VARCHAR, status INTEGER, cut BOOLEAN, shell BOOLEAN)")
    for state, reason, status, cut, shell in kinds:
        if is_blocker(UrlState(state), Reason(reason), status, cut=cut, shell=shell):
            db.execute("INSERT INTO blocking VALUES (?, ?, ?, ?, ?)", [state, reason, status, cut, shell])
    db.execute(
        """
        CREATE TABLE blockers AS
        SELECT id, CASE WHEN cut THEN 'not read to its end' WHEN shell THEN 'not rendered'
                        ELSE concat_ws(' ', state, status) END AS why
        FROM endings e SEMI JOIN blocking b ON b.state = e.state AND b.reason = e.reason
            AND b.status IS NOT DISTINCT FROM e.status AND b.cut = e.cut AND b.shell = e.shell
        """
    )
    db.execute("DROP TABLE endings")
    db.execute("DROP TABLE blocking")
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
