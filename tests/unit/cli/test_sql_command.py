"""`wavecrawl sql` over a data folder."""

import json
from pathlib import Path
from shutil import copytree

import pytest
from tests.support.sample_tables import FIRST, ROOT, SECOND, key_of, write_sample
from typer.testing import CliRunner, Result

from wavecrawl.adapters.sql_views import VIEWS
from wavecrawl.application.start_crawl import start_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import program
from wavecrawl.domain.crawl.settings import CrawlSettings

TITLES = f"SELECT url, title, is_html, headings FROM pages WHERE crawl = '{FIRST.crawl}' AND status = 200 ORDER BY url"  # noqa: S608 - constants


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    LocalStore(folder).close()
    return folder


@pytest.fixture
def data(sample: Path, tmp_path: Path) -> Path:
    """Return a copy of the sample, which a test may change."""
    copytree(sample, tmp_path, dirs_exist_ok=True)
    return tmp_path


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(program("sql"), ["sql", *arguments], input=stdin)


def test_rows_are_printed_as_a_table(data: Path) -> None:
    printed = run(TITLES, "--data", str(data))
    assert printed.exit_code == Exit.OK, printed.output
    lines = [line.split() for line in printed.stdout.splitlines()]
    assert lines[0] == ["url", "title", "is_html", "headings"]
    assert lines[1][:3] == [ROOT, "Home", "true"]
    assert '[{"level": 1, "text": "A heading"}]' in printed.stdout


def test_each_row_of_a_table_is_one_line(data: Path) -> None:
    printed = run("SELECT 'a' || chr(10) || 'b' AS text, 1 AS number", "--data", str(data))
    assert [line.split() for line in printed.stdout.splitlines()] == [["text", "number"], ["a", "b", "1"]]


def test_rows_are_printed_as_csv(data: Path) -> None:
    printed = run("SELECT title, NULL AS nothing FROM pages WHERE url LIKE '%/new'", "--data", str(data), "-f", "csv")
    assert printed.stdout == "title,nothing\nNew,\n"


def test_rows_are_printed_as_json(data: Path) -> None:
    printed = run("-", "--data", str(data), "--format", "json", "--limit", "2", stdin=TITLES)
    heading = [{"level": 1, "text": "A heading"}]
    assert [json.loads(line) for line in printed.stdout.splitlines()] == [
        {"url": ROOT, "title": "Home", "is_html": True, "headings": heading},
        {"url": f"{ROOT}a", "title": "About", "is_html": True, "headings": heading},
    ]
    assert "only 2 rows are printed" in printed.stderr
    assert len(run(TITLES, "--data", str(data), "-f", "json", "--limit", "0").stdout.splitlines()) == 5


def test_a_bad_query_is_explained(data: Path) -> None:
    printed = run("SELECT nothing FROM pages", "--data", str(data))
    assert printed.exit_code == Exit.BAD_INPUT
    assert 'column "nothing" not found' in printed.stderr


def test_without_a_query_tables_and_views_are_listed() -> None:
    printed = run()
    assert printed.exit_code == Exit.OK
    words = printed.stdout.replace(",", " ").split()
    assert {"pages", "edges", "urls", "texts", "target_status", *VIEWS} <= set(words)


def test_deleted_pages_are_left_out(data: Path) -> None:
    store = LocalStore(data)
    start_crawl(FIRST, ROOT, CrawlSettings(), crawls=store.crawls, objects=store.objects, clock=store.clock)
    store.hidden.hide(FIRST, key_of("a"), now=1.0)
    store.close()
    printed = run("SELECT crawl FROM pages WHERE url LIKE '%/a'", "--data", str(data), "-f", "csv")
    assert printed.stdout == f"crawl\n{SECOND.crawl}\n"
