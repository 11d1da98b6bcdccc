"""The verdict on each kind of checked URL, with its evidence, also for files of earlier versions."""

from collections.abc import Iterator

import duckdb
import pytest

from wavecrawl.adapters.analytics.check_verdicts import EVIDENCE, VERDICT, earlier_columns

Rows = duckdb.DuckDBPyRelation


@pytest.fixture(name="rows")
def a_table() -> Iterator[Rows]:
    with duckdb.connect() as db:
        db.execute(
            "CREATE TABLE checks (kind TEXT, state TEXT, reason TEXT, status INTEGER, broken BOOLEAN, detail TEXT)"
        )
        yield db.table("checks")


@pytest.mark.parametrize(
    ("kind", "state", "reason", "status", "expected", "evidence"),
    [
        ("link", "fetched", "", 200, "ok", "HTTP 200"),
        ("image", "unchanged", "", None, "ok", "unchanged"),
        ("link", "not_found", "status", 404, "broken", "status"),
        ("link", "http_error", "status", 500, "broken", "status"),
        ("link", "failed", "dns", None, "broken", "dns"),
        ("link", "redirected", "redirect_loop", 302, "broken", "redirect_loop"),
        ("link", "forbidden", "status", 401, "unknown", "HTTP 401: the server wants credentials"),
        ("file", "forbidden", "status", 403, "unknown", "HTTP 403: the server may refuse crawlers only"),
        ("script", "forbidden", "status", 403, "broken", "status"),
        ("image", "http_error", "status", 429, "unknown", "HTTP 429: the server limits the requests of the crawler"),
        ("link", "http_error", "status", 999, "unknown", "HTTP 999: the server refuses crawlers"),
        ("link", "redirected", "redirect_limit", 302, "unknown", "more redirects in a row than the limit"),
        (
            "link",
            "redirected",
            "redirects_not_followed",
            302,
            "unknown",
            "redirects are not followed (follow_redirects)",
        ),
        ("image", "blocked", "challenge", 202, "unknown", "a bot protection responds: "),
        ("link", "failed", "worker_out_of_time", None, "unknown", "worker_out_of_time"),
        ("link", "failed", "poison", None, "unknown", "poison"),
        ("link", "robots_denied", "robots_rule", None, "not_checked", "robots_rule"),
        ("link", "skipped", "max_checks", None, "not_checked", "max_checks"),
        ("link", "pending", "", None, "not_checked", "pending"),
        ("image", "failed", "blocked_address", None, "not_checked", "blocked_address"),
        ("image", "failed", "denied_host", None, "not_checked", "denied_host"),
        ("image", "skipped", "not_media", 200, "broken", "not_media"),
        ("file", "skipped", "not_media", 200, "ok", "not_media"),
        ("image", "skipped", "too_large", 200, "ok", "too_large"),
        ("image", "skipped", "incomplete", 200, "unknown", "incomplete"),
    ],
)
def test_a_verdict_is_that_of_the_last_response(
    rows: Rows, kind: str, state: str, reason: str, *, status: int | None, expected: str, evidence: str
) -> None:
    rows.insert([kind, state, reason, status, False, ""])
    assert rows.project(f"{VERDICT}, {EVIDENCE}").fetchall() == [(expected, evidence)]


def test_a_detail_is_evidence(rows: Rows) -> None:
    rows.insert(["link", "failed", "dns", None, True, "no such host"])
    assert rows.project(EVIDENCE).fetchall() == [("no such host",)]


def test_files_of_earlier_versions_have_verdicts_that_agree_with_what_they_call_broken(rows: Rows) -> None:
    rows.insert(["link", "redirected", "redirect_limit", 302, True, ""])
    rows.insert(["link", "forbidden", "status", 403, False, "HTTP 403"])
    verdict, evidence = earlier_columns(rows.columns)
    assert rows.project(verdict).fetchall() == [("broken",), ("unknown",)]
    assert rows.project(evidence).fetchall()[1] == ("HTTP 403: the server may refuse crawlers only",)
    assert earlier_columns(["verdict", "evidence"]) == []
