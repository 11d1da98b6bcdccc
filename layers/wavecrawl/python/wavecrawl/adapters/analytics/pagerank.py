"""PageRank by the power method (Page et al. 1998), in integers so that the order of additions does not matter."""

import duckdb

ROUNDS = 40
"""Maximum rounds: 0.85 ** 40 is below 0.002, and ranks are shown with four digits."""

WHOLE = 10**15
"""The sum of all ranks, except for rounding."""

_DAMPING = 85  # percent


def build_ranks(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `ranks` (id, rank in units of 1 / `WHOLE`) of the pages in table `ranked` (id).

    Table `flows` has distinct pairs (source, target) of different pages. Dead ends share their rank with all pages.
    """
    ((count,),) = db.execute("SELECT count(*) FROM ranked").fetchall()
    db.execute(
        f"""
        CREATE TEMP TABLE ranks AS
        SELECT id, {WHOLE // (count or 1)}::BIGINT AS rank, coalesce(f.degree, 0) AS degree, 0::BIGINT AS before
        FROM ranked LEFT JOIN (SELECT source AS id, count(*) AS degree FROM flows GROUP BY source) f USING (id)
        """
    )
    for _ in range(ROUNDS):
        ((idle, changed),) = db.execute(
            "SELECT coalesce(sum(rank) FILTER (degree = 0), 0)::BIGINT, count(*) FILTER (rank <> before) FROM ranks"
        ).fetchall()
        if not changed:
            break
        each = (WHOLE * (100 - _DAMPING) // 100 + idle * _DAMPING // 100) // count
        db.execute(
            f"""
            CREATE OR REPLACE TEMP TABLE ranks AS
            SELECT r.id, {each} + coalesce(f.share, 0) * {_DAMPING} // 100 AS rank, r.degree, r.rank AS before
            FROM ranks r LEFT JOIN (
                SELECT f.target AS id, sum(s.rank // s.degree)::BIGINT AS share
                FROM flows f JOIN ranks s ON s.id = f.source GROUP BY f.target
            ) f USING (id)
            """
        )
