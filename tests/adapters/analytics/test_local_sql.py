"""`wavecrawl.adapters.analytics.sql` over the parts of a small site."""
# ruff: noqa: S608 - the queries are put together from constants

from collections.abc import Iterable
from pathlib import Path
from shutil import copytree

import pytest
from tests.support.campaign import slow
from tests.support.earlier_files import make_earlier
from tests.support.sample_tables import FIRST, OTHER, ROOT, SECOND, key_of, write_sample

from wavecrawl.adapters.analytics.sql import LocalSql
from wavecrawl.adapters.sql_views import VIEWS
from wavecrawl.adapters.table_columns import ADDED, COLUMNS
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import InvalidInputError

Rows = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_sample(folder)
    return folder


def run(root: Path, sql: str, hidden: Iterable[tuple[CrawlId, str]] = ()) -> Rows:
    with LocalSql(root / "tables", lambda: hidden).run(sql) as found:
        return [tuple(row) for row in found.rows]


def of_first(view: str, columns: str, *, order: str = "1, 2") -> str:
    return f"SELECT {columns} FROM {view} WHERE crawl = '{FIRST.crawl}' ORDER BY {order}"


def test_a_url_has_one_row_as_it_was_last(root: Path) -> None:
    found = run(root, of_first("current_urls", "id, state, reason, found_at, wave"))
    assert found == [
        (0, "fetched", "", 1.0, 1),
        (1, "fetched", "", 1.0, 1),
        (2, "redirected", "", 1.0, 1),
        (3, "not_found", "", 1.0, 3),
        (4, "fetched", "", 1.0, 3),
        (5, "skipped", "max_depth", 1.0, 1),
        (6, "fetched", "", 2.0, 3),
        (7, "fetched", "", 6.5, 3),
    ]


def test_links_have_both_urls_and_the_state_of_the_target(root: Path) -> None:
    found = run(root, of_first("links", "source_url, target_url, target_state", order="source_url, position"))
    assert found == [
        (ROOT, ROOT + "a", "fetched"),
        (ROOT, ROOT + "old", "redirected"),
        (ROOT, ROOT + "gone", "not_found"),
        (ROOT, ROOT, "fetched"),
        (ROOT, ROOT + "file", "fetched"),
        (ROOT, ROOT + "deep", None),
        (ROOT + "a", ROOT + "gone", "not_found"),
        (ROOT + "a", ROOT + "elsewhere", None),
        (ROOT + "b", ROOT + "a", "fetched"),
    ]


def test_broken_links_name_the_page_with_the_link(root: Path) -> None:
    found = run(root, of_first("broken_links", "source_url, target_url, text, target_status"))
    assert found == [(ROOT, ROOT + "gone", "gone", 404), (ROOT + "a", ROOT + "gone", "lost", 404)]


def test_pages_of_sitemaps_without_a_link_are_orphans(root: Path) -> None:
    assert run(root, "SELECT url, depth, title FROM orphans") == [(ROOT + "lonely", 2, "Same")]


def test_links_are_counted_once_for_each_pair_of_pages(root: Path) -> None:
    found = run(root, of_first("link_counts", "url, in_links, out_links"))
    assert found == [
        (ROOT, 0, 5),
        (ROOT + "a", 2, 1),
        (ROOT + "b", 0, 1),
        (ROOT + "file", 1, 0),
        (ROOT + "gone", 2, 0),
        (ROOT + "lonely", 0, 0),
        (ROOT + "old", 1, 0),
    ]


def test_changes_are_between_a_crawl_and_the_one_before(root: Path) -> None:
    found = run(root, "SELECT crawl, earlier_crawl, url, change, title, earlier_title FROM changes ORDER BY url")
    both = (SECOND.crawl, FIRST.crawl)
    assert found == [
        (*both, ROOT + "a", "changed", "About us", "About"),
        (*both, ROOT + "b", "not_seen", "", "Same"),
        (*both, ROOT + "file", "not_seen", None, ""),
        (*both, ROOT + "lonely", "not_seen", None, "Same"),
        (*both, ROOT + "new", "new", "New", None),
    ]


def test_the_slowest_pages_have_their_place(root: Path) -> None:
    found = run(root, of_first("slowest_pages", "place, url, elapsed"))
    assert found[:2] == [(1, ROOT + "a", 1.5), (2, ROOT, 0.3)]
    assert len(found) == 5


def test_crawls_are_listed_with_their_neighbours(root: Path) -> None:
    found = run(root, "SELECT site, crawl, pages, bytes, earlier_crawl, later_crawl FROM crawls ORDER BY crawl")
    assert found == [
        (FIRST.site, FIRST.crawl, 5, 96_000, None, SECOND.crawl),
        (OTHER.site, OTHER.crawl, 1, 1_000, None, None),
        (SECOND.site, SECOND.crawl, 3, 4_000, FIRST.crawl, None),
    ]


def test_deleted_pages_are_left_out_of_their_crawl(root: Path) -> None:
    hidden = [(FIRST, key_of("a"))]
    per_crawl = "SELECT crawl, count(*) FROM {} WHERE {} = '{}' GROUP BY crawl"
    for table, column in {"pages": "key", "urls": "key", "edges": "source_key"}.items():
        before = run(root, per_crawl.format(table, column, key_of("a")))
        after = run(root, per_crawl.format(table, column, key_of("a")), hidden)
        assert FIRST.crawl in [crawl for crawl, _ in before]
        assert set(after) == {row for row in before if row[0] != FIRST.crawl}
    assert run(root, "SELECT count(*) FROM texts", [(FIRST, key_of(""))]) == [(0,)]


def test_a_folder_without_parts_has_empty_tables(tmp_path: Path) -> None:
    for name in ("pages", "edges", "urls", "texts", *VIEWS):
        assert run(tmp_path, f"SELECT count(*) FROM {name}") == [(0,)]


@pytest.mark.parametrize(
    "statement",
    [
        "COPY pages TO 'x.csv'",
        "CREATE TABLE x AS SELECT 1",
        "SELECT 1; SELECT 2",
        "PRAGMA version",
        "INSTALL httpfs",
        "SET memory_limit = '1GB'",
        "ATTACH 'x.db'",
        "",
        "selec 1",
        "SELECT * FROM nowhere",
        "SELECT CAST(url AS INTEGER) FROM pages",
    ],
)
def test_only_one_query_can_be_run(root: Path, statement: str) -> None:
    with pytest.raises(InvalidInputError, match="quer"):
        run(root, statement)


@pytest.mark.parametrize("function", ["read_text", "read_csv", "read_blob", "glob"])
def test_other_files_cannot_be_read(root: Path, tmp_path: Path, function: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    for path in (secret, root / "tables" / ".." / "secret.txt"):
        with pytest.raises(InvalidInputError, match="disabled by configuration"):
            run(root, f"SELECT * FROM {function}('{path}')")


def test_a_query_has_limited_memory(root: Path) -> None:
    sql = LocalSql(root / "tables", lambda: (), memory_mb=32)
    wide = "SELECT sum(length(s)) FROM (SELECT list(repeat('x', 1000) || i)::VARCHAR AS s FROM range(1000000) t(i))"
    with pytest.raises(InvalidInputError, match="memory"), sql.run(wide) as found:
        list(found.rows)


@pytest.mark.parametrize("old", [(FIRST,), (SECOND, OTHER), (FIRST, SECOND, OTHER)])
@slow
def test_columns_that_an_earlier_version_did_not_have_are_null(
    root: Path, tmp_path: Path, old: tuple[CrawlId, ...]
) -> None:
    """Whichever files are read first."""
    copytree(root, tmp_path, dirs_exist_ok=True)
    for table in ADDED:
        for crawl in old:
            for path in (tmp_path / "tables" / table.value).rglob(f"crawl={crawl.crawl}/*.parquet"):
                make_earlier(path, table)
    names = {crawl.crawl for crawl in old}
    for view, column in (("pages", "rendered"), ("links", "found_in")):
        rows = run(tmp_path, f"SELECT crawl, count(*), count({column}) FROM {view} GROUP BY crawl ORDER BY crawl")
        whole = run(root, f"SELECT crawl, count(*) FROM {view} GROUP BY crawl ORDER BY crawl")
        assert len(whole) > 1
        assert rows == [(crawl, count, 0 if crawl in names else count) for crawl, count in whole]
    for name in VIEWS:
        query = f"SELECT count(*) FROM {name}"
        assert run(tmp_path, query) == run(root, query)


@pytest.mark.parametrize("left", [0, 0.5, 1], ids=["empty", "cut off", "without its end"])
def test_a_damaged_file_is_left_out_and_named_and_the_others_are_read(root: Path, tmp_path: Path, left: float) -> None:
    copy = tmp_path / "data"
    copytree(root, copy)
    counts = "SELECT crawl, count(*) FROM {} GROUP BY ALL ORDER BY 1"
    urls, pages = (run(copy, counts.format(table)) for table in ("urls", "pages"))
    path = min((copy / "tables" / "pages").glob(f"*/*/crawl={SECOND.crawl}/*.parquet"))
    content = path.read_bytes()
    path.write_bytes(content[: min(int(len(content) * left), len(content) - 8)] if left else b"")
    with LocalSql(copy / "tables", list).run(counts.format("pages")) as found:
        rest = [tuple(row) for row in found.rows]
    assert rest != pages
    assert rest[0] == pages[0]
    assert str(path.relative_to(copy / "tables")) in found.note
    assert run(copy, counts.format("urls")) == urls
    assert str(copy) not in found.note


def test_only_files_of_tables_that_a_query_names_are_opened(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "data"
    copytree(root, copy)
    damaged = min((copy / "tables" / "edges").rglob("*.parquet"))
    damaged.write_bytes(b"")
    sql = LocalSql(copy / "tables", list)
    with sql.run("SELECT count(*) FROM orphans") as found:  # a view over pages, urls and edges
        assert str(damaged.relative_to(copy / "tables")) in found.note
    with sql.run("SELECT count(*) FROM slowest_pages") as found:
        assert found.note == ""


def test_a_query_that_names_no_table_sees_all_of_them(root: Path) -> None:
    assert {name for (name,) in run(root, "SHOW TABLES")} == {"hidden", *COLUMNS, *VIEWS}


def test_a_query_that_reads_damaged_data_names_the_file(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "data"
    copytree(root, copy)
    cut, path, *_ = sorted((copy / "tables" / "pages").rglob("*.parquet"))
    cut.write_bytes(cut.read_bytes()[:-8])  # has no end: it is left out, and is not the cause
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[-8:-4], "little")  # of the description, which stays as it is
    path.write_bytes(content[:4] + b"\xff" * (len(content) - end - 4) + content[-end:])
    with pytest.raises(InvalidInputError) as failed:
        run(copy, "SELECT * FROM pages")
    assert str(failed.value).endswith(
        f"\n{path} is damaged. Restore it from a backup, or move it away to query the other files"
    )
    with pytest.raises(InvalidInputError) as wrong:
        run(copy, "SELECT title::INTEGER FROM urls")
    assert "damaged" not in str(wrong.value)
    path.unlink()
    assert run(copy, "SELECT count(*) > 0 FROM urls") == [(True,)]


def test_a_table_of_which_every_file_is_damaged_has_no_rows(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "data"
    copytree(root, copy)
    files = sorted((copy / "tables" / "pages").rglob("*.parquet"))
    assert files
    for path in files:
        path.write_bytes(b"PAR1")
    assert run(copy, "SELECT count(*) FROM pages") == [(0,)]
    assert run(copy, "SELECT count(*) > 0 FROM urls") == [(True,)]
