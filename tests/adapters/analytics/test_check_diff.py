"""Checked URLs of two crawls: which are compared, by what both crawls know of them."""

from collections.abc import Iterator

import duckdb
import pytest

from wavecrawl.adapters.analytics.check_diff import NEWLY_BROKEN, REPAIRED, ComparedChecks, pair_checks

BOTH = ComparedChecks(shared=("checks.external", "checks.resources"), unshared=())
FINE, GONE = (False, "ok", "fetched", 200), (True, "broken", "not_found", 404)
DENIED, UNCHECKED = (False, "not_checked", "robots_denied", None), (False, "not_checked", "skipped", None)
REFUSED = (False, "unknown", "forbidden", 403)


@pytest.fixture(name="db")
def two_crawls() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return the tables of two crawls: nothing is checked, and nothing is left out."""
    with duckdb.connect() as db:
        for name in ("checks", "old_checks"):
            db.execute(
                f"CREATE TABLE {name} "
                "(url TEXT, kind TEXT, page TEXT, broken BOOLEAN, verdict TEXT, state TEXT, status INTEGER)"
            )
        db.execute("CREATE TABLE left_out (key TEXT, known BOOLEAN)")
        for name in ("pages", "old_pages"):
            db.execute(f"CREATE TABLE {name} (url TEXT, state TEXT, status INTEGER)")
            for page in ("page of checks", "page of old_checks"):
                db.table(name).insert([page, "fetched", 200])
        yield db


def add(
    db: duckdb.DuckDBPyConnection, crawl: str, url: str, found: tuple[bool, str, str, int | None], kind: str = "link"
) -> None:
    db.table(crawl).insert([url, kind, f"page of {crawl}", *found])


def compared(db: duckdb.DuckDBPyConnection, checks: ComparedChecks = BOTH) -> dict[str, list[str]]:
    """Return the URLs that are newly broken, and those that are repaired."""
    pair_checks(db, checks)
    queries = {"broken": NEWLY_BROKEN, "mended": REPAIRED}
    return {name: sorted(row[0] for row in db.execute(query).fetchall()) for name, query in queries.items()}


def test_a_url_that_one_of_the_crawls_did_not_request_is_not_compared(db: duckdb.DuckDBPyConnection) -> None:
    for number, unknown in enumerate((DENIED, UNCHECKED)):
        add(db, "old_checks", f"was-{number}", unknown)
        add(db, "checks", f"was-{number}", GONE)
        add(db, "old_checks", f"is-{number}", GONE)
        add(db, "checks", f"is-{number}", unknown)
    add(db, "old_checks", "both", GONE)
    add(db, "checks", "both", GONE)
    add(db, "old_checks", "breaks", FINE)
    add(db, "checks", "breaks", GONE)
    assert compared(db) == {"broken": ["breaks"], "mended": []}


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        (False, {"broken": ["breaks", "new"], "mended": ["heals", "removed"]}),
        (True, {"broken": ["breaks"], "mended": ["heals"]}),
    ],
)
def test_a_url_of_one_crawl_counts_unless_the_other_left_pages_out(
    db: duckdb.DuckDBPyConnection, *, left_out: bool, expected: dict[str, list[str]]
) -> None:
    if left_out:
        db.execute("INSERT INTO left_out VALUES ('k', TRUE)")
    add(db, "checks", "new", GONE)
    add(db, "old_checks", "removed", GONE)
    add(db, "old_checks", "breaks", FINE)
    add(db, "checks", "breaks", GONE)
    add(db, "old_checks", "heals", GONE)
    add(db, "checks", "heals", FINE)
    assert compared(db) == expected


def test_a_response_that_proves_nothing_is_settled_by_a_later_crawl_and_repairs_nothing(
    db: duckdb.DuckDBPyConnection,
) -> None:
    add(db, "old_checks", "was unknown", REFUSED)
    add(db, "checks", "was unknown", GONE)
    add(db, "old_checks", "is unknown", GONE)
    add(db, "checks", "is unknown", REFUSED)
    add(db, "old_checks", "works", REFUSED)
    add(db, "checks", "works", FINE)
    add(db, "old_checks", "no more a page", GONE, kind="file")
    db.execute("INSERT INTO pages VALUES ('no more a page', 'forbidden', 403)")
    assert compared(db) == {"broken": ["was unknown"], "mended": []}
    assert db.execute(NEWLY_BROKEN).fetchall() == [
        ("was unknown", "", "page of checks", "forbidden 403", "not_found 404")
    ]


def test_a_url_is_not_repaired_if_the_page_that_named_it_was_not_requested_again(db: duckdb.DuckDBPyConnection) -> None:
    db.execute("UPDATE pages SET state = 'skipped' WHERE url = 'page of old_checks'")
    add(db, "old_checks", "removed", GONE)
    assert compared(db) == {"broken": [], "mended": []}


def test_kinds_that_only_one_crawl_checks_are_not_compared(db: duckdb.DuckDBPyConnection) -> None:
    add(db, "checks", "other-site", GONE)
    add(db, "checks", "image", GONE, "image")
    resources = ComparedChecks(shared=("checks.resources",), unshared=("checks.external",))
    assert compared(db, resources) == {"broken": ["image"], "mended": []}


def test_crawls_without_common_checks_have_nothing_to_compare(db: duckdb.DuckDBPyConnection) -> None:
    db.execute("DROP TABLE checks; DROP TABLE old_checks")
    assert compared(db, ComparedChecks(shared=(), unshared=("checks.external",))) == {"broken": [], "mended": []}


@pytest.mark.parametrize("shared", [True, False])
def test_a_file_that_is_a_page_of_the_other_crawl_is_compared_with_it(
    db: duckdb.DuckDBPyConnection, *, shared: bool
) -> None:
    add(db, "checks", "was a page", GONE, kind="file")
    db.execute("INSERT INTO old_pages VALUES ('was a page', 'fetched', 200)")
    add(db, "old_checks", "is a page", GONE, kind="file")
    db.execute("INSERT INTO pages VALUES ('is a page', 'fetched', 200)")
    add(db, "old_checks", "is broken as a page, too", GONE, kind="file")
    db.execute("INSERT INTO pages VALUES ('is broken as a page, too', 'not_found', 404)")
    checks = BOTH if shared else ComparedChecks(shared=("checks.external",), unshared=("checks.resources",))
    expected = {"broken": ["was a page"], "mended": ["is a page"]} if shared else {"broken": [], "mended": []}
    assert compared(db, checks) == expected
    if shared:
        assert db.execute(REPAIRED).fetchall() == [
            ("is a page", "", "page of old_checks", "not_found 404", "fetched 200")
        ]
