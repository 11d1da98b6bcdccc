"""Orphan pages with their verdict and its evidence."""

import duckdb

from wavecrawl.domain.graph.blocker_kind import BlockerKind
from wavecrawl.domain.graph.completeness import Completeness
from wavecrawl.domain.graph.orphans import Verdict, evidence_of, evidence_of_unread, verdict_of

_DONE = "state IN ('fetched', 'unchanged')"
_READ_OR_WAITING = "('fetched', 'unchanged', 'pending', 'deferred')"


def build_orphans(db: duckdb.DuckDBPyConnection, *, root_key: str, completeness: Completeness) -> None:
    """Create table `orphans` (id, verdict, evidence): pages of sitemaps that no page which was read links to.

    A page of a sitemap that the crawl left unread, by a gap of its own, is one too: its verdict is `inconclusive`.
    """
    ((pages,),) = db.execute(f"SELECT count(*) FROM pages WHERE {_DONE}").fetchall()
    evidence = evidence_of(completeness, pages=pages)
    unlinked = "FROM listed_pages l JOIN urls u USING (id) ANTI JOIN edges e ON e.target = l.id"
    db.execute(
        f"""
        CREATE TABLE orphans AS
        SELECT DISTINCT l.id, $verdict::VARCHAR AS verdict, $evidence::VARCHAR AS evidence
        {unlinked} WHERE u.{_DONE} AND u.key <> $root
        """,
        {"verdict": verdict_of(completeness).value, "evidence": evidence, "root": root_key},
    )
    unread = f"""
        FROM (SELECT DISTINCT l.id {unlinked} WHERE u.state NOT IN {_READ_OR_WAITING} AND u.key <> $root)
        JOIN blockers b USING (id) WHERE b.kind = '{BlockerKind.INCOMPLETE}'
    """
    for (why,) in db.execute(f"SELECT DISTINCT b.why {unread}", {"root": root_key}).fetchall():
        values = {"verdict": Verdict.INCONCLUSIVE.value, "evidence": evidence_of_unread(why, evidence)}
        db.execute(
            f"INSERT INTO orphans SELECT id, $verdict, $evidence {unread} AND b.why = $why",
            {**values, "why": why, "root": root_key},
        )
