"""What the responses of a crawl say of pages that were read before, as a table."""

import duckdb

from wavecrawl.adapters.analytics.database import add_rows
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.recrawl.deletion import answer_of


def build_answers(db: duckdb.DuckDBPyConnection, endings: str, *, name: str = "answers") -> None:
    """Create the table `name` (state, reason, status, answer) for the endings in a relation.

    `endings` has the columns state, reason and status.
    """
    db.execute(f"CREATE TEMP TABLE {name} (state VARCHAR, reason VARCHAR, status INTEGER, answer VARCHAR)")
    found = db.execute(f"SELECT DISTINCT state, reason, status FROM {endings}").fetchall()
    rows = [(*one, answer_of(UrlState(one[0]), Reason(one[1]), one[2]).value) for one in found]
    add_rows(db, name, rows)
