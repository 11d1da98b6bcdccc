"""PageRank by the power method (Page et al. 1998), in integers so that the order of additions does not matter."""

import duckdb

ROUNDS = 40
"""Rounds: 0.85 ** 40 is below 0.002, and ranks are shown with four digits."""

WHOLE = 10**15
"""The sum of all ranks, except for rounding."""

_DAMPING = 85  # percent


def build_ranks(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `ranks` (id, rank in units of 1 / `WHOLE`) of the pages in table `ranked` (id).

    Table `flows` has distinct pairs (source, target) of different pages. Dead ends share their rank with all pages.
    All rounds are one statement: for a small site, planning a statement takes much longer than a round.
    """
    ((count,),) = db.execute("SELECT greatest(count(*), 1) FROM ranked").fetchall()
    db.execute(
        f"""
        CREATE TEMP TABLE ranks AS
        WITH RECURSIVE degrees AS MATERIALIZED (
            SELECT r.id, coalesce(f.degree, 0) AS degree
            FROM ranked r LEFT JOIN (SELECT source AS id, count(*) AS degree FROM flows GROUP BY source) f USING (id)
        ),
        walk(id, rank, degree, round) USING KEY (id) AS (
            SELECT id, {WHOLE // count}::BIGINT, degree, 0 FROM degrees
            UNION
            SELECT w.id,
                   ({WHOLE * (100 - _DAMPING) // 100} + i.idle * {_DAMPING} // 100) // {count}
                   + coalesce(f.share, 0) * {_DAMPING} // 100,
                   w.degree, w.round + 1
            FROM recurring.walk w
            CROSS JOIN (
                SELECT coalesce(sum(rank) FILTER (degree = 0), 0)::BIGINT AS idle FROM recurring.walk
            ) i
            LEFT JOIN (
                SELECT f.target AS id, sum(s.rank // s.degree)::BIGINT AS share
                FROM flows f JOIN recurring.walk s ON s.id = f.source GROUP BY f.target
            ) f USING (id)
            WHERE w.round < {ROUNDS}
        )
        SELECT id, rank FROM walk
        """
    )
