"""`wavecrawl admin backup`: a copy of a data folder that is in use, from which its crawls continue."""

import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.comparing import fingerprint
from tests.support.killed_crawls import run
from tests.support.patience import HANG, eventually
from tests.support.paused_site import PausedSite
from tests.support.plain_site import plain_site

from wavecrawl.adapters.results import read_pages

REQUESTS = 25
"""The number of requests of the crawl before the backup; the site has more pages."""


@pytest.fixture(name="server")
def a_server() -> Iterator[PausedSite]:
    with PausedSite(plain_site(60)) as server:
        yield server


def backed_up(data: Path, archive: Path) -> tuple[int, str]:
    """Return the exit code, and what the command prints on standard error."""
    command = [sys.executable, "-m", "wavecrawl.cli.main", "admin", "backup", str(archive), "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    return done.returncode, done.stderr


def unpacked(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder


def test_a_running_crawl_continues_from_a_backup(server: PausedSite, tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "backup.tar"
    server.pause_at(REQUESTS)
    command = ["crawl", server.url, "--data", str(data)]
    with subprocess.Popen(
        [sys.executable, "-m", "wavecrawl.cli.main", *command, "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as crawl:
        assert eventually(lambda: server.is_paused or crawl.poll() is not None)
        code, message = backed_up(data, archive)
        server.go_on()
        assert crawl.wait(HANG) == 0
    assert code == 0, message
    assert archive.stat().st_mode & 0o777 == 0o600
    assert not list(data.glob(".backup-*"))

    restored = unpacked(archive, tmp_path / "restored")
    again = run("resume", "--data", str(restored))
    assert read_pages(Path(again["results"])).keys() == {server.origin + page.path for page in server.site.pages}
    (exports,) = data.glob("tenants/*/sites/*/crawls/*/exports")
    expected = fingerprint(exports, server.origin)
    result = fingerprint(Path(again["results"]), server.origin)
    assert result.keys() == expected.keys()
    for name, content in expected.items():
        assert result[name] == content, name


def test_a_backup_replaces_no_file(server: PausedSite, tmp_path: Path) -> None:
    data = tmp_path / "data"
    run("crawl", server.url, "--data", str(data), "--max-pages", "2", "--no-index")
    archive = tmp_path / "backup.tar"
    assert backed_up(data, archive)[0] == 0
    size = archive.stat().st_size
    for target, problem in ((archive, "exists; name a new file"), (data / "backup.tar", "name a file outside it")):
        code, message = backed_up(data, target)
        assert code == 2
        assert problem in message
    assert archive.stat().st_size == size
    assert not list(tmp_path.glob("*.part"))
