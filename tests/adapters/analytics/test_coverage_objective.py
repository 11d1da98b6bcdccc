"""The objective `coverage`: which URLs count, and which are covered."""

import duckdb
import pytest

from wavecrawl.adapters.analytics.summary import count_covered


@pytest.mark.parametrize(
    ("ledger", "requested", "blocker", "expected"),
    [
        (("fetched", "", "p1"), True, "", (1, 1)),
        (("not_found", "status", "p1"), True, "", (1, 1)),
        (("http_error", "status", "p1"), True, "incomplete", (1, 0)),
        (("fetched", "", "p1"), True, "incomplete", (1, 1)),  # such as read in part
        (("skipped", "max_pages", "p1"), False, "incomplete", (1, 0)),
        (("failed", "dns", "p1"), False, "incomplete", (1, 0)),
        (("robots_denied", "robots_unreachable", "p1"), False, "incomplete", (1, 0)),
        (("robots_denied", "robots_rule", "p1"), False, "barred", (0, 0)),
        (("skipped", "nofollow", "p1"), False, "barred", (0, 0)),
        (("skipped", "feed", "p1"), False, "", (0, 0)),
        (("skipped", "trap_template", "p1"), False, "incomplete", (0, 0)),
        (("fetched", "", "p0"), True, "", (0, 0)),
        (("skipped", "max_pages", "p0"), False, "incomplete", (0, 0)),
        (("fetched", "", "p2"), True, "", (0, 0)),
    ],
)
def test_what_a_crawl_could_have_requested_counts(
    ledger: tuple[str, str, str], *, requested: bool, blocker: str, expected: tuple[int, int]
) -> None:
    state, reason, lane = ledger
    with duckdb.connect() as db:
        db.execute("CREATE TABLE urls AS SELECT 1 AS id, ? AS state, ? AS reason, ? AS lane", [state, reason, lane])
        db.execute("CREATE TABLE views AS SELECT id, state FROM urls WHERE ?", [requested])
        db.execute("CREATE TABLE blockers AS SELECT 1 AS id, ? AS kind WHERE ? <> ''", [blocker, blocker])
        db.execute("CREATE TABLE spellings (id BIGINT, same_text BOOLEAN)")
        assert count_covered(db) == expected
