"""SQL over a real crawl agrees with the crawl's exports."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.support.media_site import MediaSite, html, png
from typer.testing import CliRunner, Result

from wavecrawl.adapters.table_columns import COLUMNS
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.ports.parts import Table

QUICK = ["--interval", "0", "--no-adapt", "--set", "retry_base=0", "--workers", "1", "--wacz-mb", "0", "--quiet"]
MEDIA = ["--media", "documents"]


@pytest.fixture(name="data", scope="module")
def a_crawled_demo_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    with SiteServer(demo_site()) as server:
        assert run("crawl", server.url, "--data", str(folder), *QUICK, *MEDIA).exit_code == Exit.OK
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def rows(data: Path, query: str) -> set[tuple[Any, ...]]:
    done = run("sql", query, "--data", str(data), "--format", "json", "--limit", "0")
    assert done.exit_code == Exit.OK, done.output
    found = [tuple(json.loads(line).values()) for line in done.stdout.splitlines()]
    assert len(found) == len(set(found)) > 0
    return set(found)


def exported(data: Path, query: str) -> set[tuple[Any, ...]]:
    """Return the rows of a query over an export, whose path stands for `{}`."""
    folder = next(data.glob("tenants/*/sites/*/crawls/*/exports"))
    with duckdb.connect() as db:
        return set(db.execute(query.format(folder)).fetchall())


@pytest.fixture(name="checked", scope="module")
def a_site_with_checked_resources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checked")
    with MediaSite({"/": html("<title>a</title><img src=/a.png alt=a>"), "/a.png": png(1)}) as site:
        assert run("crawl", site.url, "--data", str(folder), *QUICK, "--check-resources").exit_code == Exit.OK
    return folder


@pytest.mark.parametrize("table", Table)
def test_the_columns_of_a_table_are_those_of_its_files(data: Path, checked: Path, table: Table) -> None:
    columns = [(name, _as_described(kind)) for name, kind in COLUMNS[table].items()]
    parts = [path for folder in (data, checked) for path in folder.glob(f"tables/{table}/*/*/*/*.parquet")]
    assert parts  # more than one if the crawl took long
    for path in parts:
        with duckdb.connect() as db:
            found = db.execute("DESCRIBE FROM read_parquet(?, hive_partitioning = false)", [str(path)]).fetchall()
        assert [row[:2] for row in found] == columns


def _as_described(kind: str) -> str:
    """Return a type as DuckDB describes it: it quotes names that are also words of SQL."""
    return duckdb.connect().execute(f"SELECT typeof(NULL::{kind})").fetchall()[0][0]  # type: ignore[no-any-return]  # a row is Any


def test_the_urls_and_their_states_are_those_of_the_ledger(data: Path) -> None:
    ledger = "SELECT url, state, coalesce(reason, '') FROM read_csv('{}/ledger.csv', all_varchar = true)"
    assert rows(data, "SELECT url, state, reason FROM current_urls") == exported(data, ledger)


def test_orphans_and_broken_links_are_those_of_the_issues(data: Path) -> None:
    issues = "SELECT url, coalesce(related, '') FROM read_csv('{}/issues.csv', all_varchar = true) WHERE kind = "
    assert rows(data, "SELECT target_url, source_url FROM broken_links") == exported(data, f"{issues}'broken_link'")
    orphans = {(url,) for url, _ in exported(data, f"{issues}'orphan'")}
    assert rows(data, "SELECT url FROM orphans") == orphans


def test_links_are_counted_as_in_the_pages_apart_from_redirects(data: Path) -> None:
    pages = "SELECT url, in_links FROM '{}/pages.parquet' WHERE state = 'fetched'"
    assert rows(data, "SELECT url, in_links FROM link_counts WHERE state = 'fetched'") == exported(data, pages)


def test_the_media_of_pages_are_those_of_the_export(data: Path) -> None:
    uses = "SELECT page, url, source, text, position, hash FROM read_parquet('{}/media_uses.parquet')"
    assert rows(data, "SELECT page_url, url, source, text, position, hash FROM media_of_pages") == exported(data, uses)
    media = "SELECT url, state, hash, size, pages FROM read_parquet('{}/media.parquet')"
    assert rows(data, "SELECT url, state, hash, size, pages FROM current_media") == exported(data, media)
