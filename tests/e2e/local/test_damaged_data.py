"""Data folders that are damaged, read-only, or readable by others."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.campaign import ALL, slow
from tests.support.crawling import ALL_FILES, crawl_inline
from tests.support.patience import HANG
from tests.support.plain_site import plain_site
from typer.testing import CliRunner, Result

from wavecrawl.bootstrap.store import DATABASE
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.demo.server import SiteServer

PAGE_SIZE = 4_096  # bytes; SQLite's default


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "300", "NO_COLOR": "1"})


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a folder with a crawl of 60 pages, and the URL of its root."""
    folder = tmp_path_factory.mktemp("crawled")
    with SiteServer(plain_site(60, body_bytes=600)) as server:
        crawl_inline(server.url, folder, ALL_FILES)
        return folder, server.url


@pytest.fixture
def data(crawled: tuple[Path, str], tmp_path: Path) -> Path:
    return shutil.copytree(crawled[0], tmp_path / "data")


@slow
def test_a_damaged_page_of_the_database_is_a_clear_error_or_changes_nothing(
    crawled: tuple[Path, str], data: Path
) -> None:
    url = crawled[1]
    commands = (("list",), ("show", url))
    right = [run(*command, "--data", str(data)).stdout for command in commands]
    content = (data / DATABASE).read_bytes()
    pages = len(content) // PAGE_SIZE
    assert pages > 20
    found = set()
    for number in range(1, pages, 1 if ALL else 4):  # not the first, whose beginning says that this is a database
        damaged = bytearray(content)
        damaged[number * PAGE_SIZE : (number + 1) * PAGE_SIZE] = b"\xa5" * PAGE_SIZE
        (data / DATABASE).write_bytes(damaged)
        for command, expected in zip(commands, right, strict=True):
            result = run(*command, "--data", str(data))
            if result.exit_code != Exit.OK:
                assert result.exit_code == Exit.FAILED, result.output
                assert "damaged" in result.stderr
                assert "Restore" in result.stderr
                found.add(command)
            else:
                assert result.stdout == expected, number
    assert found == set(commands)


def test_a_row_that_cannot_be_read_is_a_clear_error(data: Path) -> None:
    with sqlite3.connect(data / DATABASE) as database:
        database.execute("UPDATE crawl SET packed = ?", (b"\x81\xa1",))
    database.close()
    result = run("list", "--data", str(data))
    assert result.exit_code == Exit.FAILED
    assert "a stored CrawlRow is damaged" in result.stderr


@pytest.mark.parametrize("content", [b"", None], ids=["empty", "missing"])
@pytest.mark.parametrize("command", [("list",), ("crawl", "https://site.example/")], ids=str)
def test_a_database_is_not_created_beside_crawls(data: Path, content: bytes | None, command: tuple[str, ...]) -> None:
    (data / DATABASE).unlink()
    if content is not None:
        (data / DATABASE).write_bytes(content)
    result = run(*command, "--data", str(data))
    assert result.exit_code == Exit.FAILED
    assert f"{data / DATABASE} is missing or empty, but {data} contains crawls. Restore the file" in result.stderr


@pytest.fixture
def read_only(data: Path) -> Iterator[Path]:
    folders = [data, *(path for path in data.rglob("*") if path.is_dir() and not path.is_symlink())]
    for folder in folders:
        folder.chmod(0o555)
    yield data
    for folder in folders:
        folder.chmod(0o755)


def run_unprivileged(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user to whom the permissions of files apply, which they do not to root."""
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    command = [*bound, sys.executable, "-m", "wavecrawl", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=HANG, env={**os.environ, "COLUMNS": "300"}
    )


def test_a_read_only_folder_can_be_listed_shown_and_exported_from(
    crawled: tuple[Path, str], read_only: Path, tmp_path: Path
) -> None:
    out, data = tmp_path / "out", str(read_only)
    listed = run_unprivileged("list", "--data", data)
    assert (listed.returncode, listed.stderr) == (Exit.OK, "")
    assert " 60 " in listed.stdout
    shown = run_unprivileged("show", crawled[1], "--data", data)
    assert (shown.returncode, shown.stderr) == (Exit.OK, "")
    assert "fetched" in shown.stdout
    exported = run_unprivileged("export", "csv", "--to", str(out), "--data", data)
    assert (exported.returncode, exported.stderr) == (Exit.OK, "")
    assert (out / "pages.csv").read_bytes() == next(read_only.rglob("exports/pages.csv")).read_bytes()


def test_changes_that_only_the_log_of_the_database_has_are_read_from_a_read_only_folder(data: Path) -> None:
    writer = sqlite3.connect(data / DATABASE)
    writer.execute("DELETE FROM crawl")
    writer.commit()
    copy = shutil.copytree(data, data.with_name("copy"), ignore=shutil.ignore_patterns("*-shm"))
    writer.close()
    assert (copy / f"{DATABASE}-wal").stat().st_size > 0
    copy.chmod(0o555)
    listed = run_unprivileged("list", "--data", str(copy))
    copy.chmod(0o755)
    assert "Traceback" not in listed.stderr
    assert "completed" not in listed.stdout


@pytest.mark.parametrize(
    "command",
    ["crawl http://127.0.0.1:9/", *(("resume", "cancel", "delete 2", "index", "export markdown") if ALL else ())],
)
def test_what_would_change_a_read_only_folder_says_that_it_is_read_only(read_only: Path, command: str) -> None:
    before = sorted(read_only.rglob("*"))
    result = run_unprivileged(*command.split(), "--data", str(read_only))
    assert result.returncode != Exit.OK
    assert "Traceback" not in result.stderr
    assert any(words in result.stderr for words in ("is read-only", "Permission denied")), result.stderr
    assert sorted(read_only.rglob("*")) == before


def modes(folder: Path) -> set[str]:
    """Return the permissions of a folder and everything in it, with a letter for the kind."""
    paths = [folder, *(path for path in folder.rglob("*") if not path.is_symlink())]
    return {f"{'d' if path.is_dir() else 'f'}{stat.S_IMODE(path.stat().st_mode):o}" for path in paths}


def test_a_data_folder_is_private(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    with SiteServer(plain_site(3, body_bytes=600)) as server:
        crawled = run_unprivileged("crawl", server.url, "--data", str(data), "--workers", "1")
    assert crawled.returncode == Exit.OK, crawled.stderr
    assert modes(data) == {"d700", "f600"}
    previous = os.umask(0o022)
    try:
        exported = run_unprivileged("export", "csv", "--to", str(out), "--data", str(data))
    finally:
        os.umask(previous)
    assert exported.returncode == Exit.OK
    assert modes(out) == {"d755", "f644"}  # files outside of the data folder are the user's
