"""What proves that a page of one of two crawls did not exist in the other one.

The views `history` and `old_history` are what the site remembered at the end of each crawl: they have no rows if the
crawl remembered nothing, as the first crawl of a site. The responses of the crawl count as well.
"""

import duckdb

from wavecrawl.adapters.analytics.answers import build_answers
from wavecrawl.adapters.analytics.diff_omissions import Omissions
from wavecrawl.domain.recrawl.deletion import Answer


def build_evidence(db: duckdb.DuckDBPyConnection, omissions: Omissions) -> None:
    """Create the tables `gone` and `old_gone`, of pages that are gone, and `old_known`, of pages known before.

    Results that are created again also have what was remembered later, so the times count.
    """
    for prefix, ended in (("", omissions.ended_now), ("old_", omissions.ended_before)):
        build_answers(db, f"{prefix}pages", name=f"{prefix}answers")
        db.execute(
            f"""
            CREATE TEMP TABLE {prefix}gone AS
            SELECT key FROM {prefix}history WHERE deleted <> '' AND deleted <= $1
            UNION
            SELECT p.key FROM {prefix}pages p JOIN {prefix}answers a
                ON a.state = p.state AND a.reason = p.reason AND a.status IS NOT DISTINCT FROM p.status
            WHERE a.answer = '{Answer.GONE}'
            """,
            [ended],
        )
    db.execute(
        """
        CREATE TEMP TABLE old_known AS
        SELECT key FROM history WHERE first_seen <= $1 UNION SELECT key FROM old_pages
        """,
        [omissions.ended_before],
    )
