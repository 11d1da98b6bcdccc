"""A disk that is full during a crawl or its results: a clear error, and `resume` gives the results of a calm crawl."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.campaign import CAMPAIGN, slow
from tests.support.comparing import fingerprint
from tests.support.killed_crawls import end_of, run
from tests.support.patience import HANG
from tests.support.paused_site import PausedSite

from wavecrawl.demo.demo_site import demo_site

OPTIONS = ("--interval", "0", "--no-adapt", "--set", "retry_base=0.05", "--workers", "2")
SIZES = (100, 200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 2_000, 3_000, 3_400) if CAMPAIGN else (400, 3_200)
"""KB of the disks. The data of the crawl take more; of the largest disks, its results alone find no room."""

LARGEST = 400_000
"""Bytes of a file, where their number is limited. The database of the crawl has more."""

UNWRITABLE = 7


def started(data: Path) -> list[Path]:
    """Return the folders of the crawls that have begun."""
    return list(data.glob("tenants/*/sites/*/crawls/*"))


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """Mount a disk of `size` KB at `folder`; skip the test if that is not permitted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user must not mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="module")
def site() -> Iterator[PausedSite]:
    """The demo site without pages that count their failures."""
    demo = demo_site()
    pages = tuple(replace(page, failure=None, delay=0.0) for page in demo.pages)
    with PausedSite(replace(demo, pages=pages)) as server:
        yield server


@pytest.fixture(scope="module")
def expected(site: PausedSite, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The results of an undisturbed crawl."""
    calm = run("crawl", site.url, "--data", str(tmp_path_factory.mktemp("calm")), *OPTIONS)
    return dict(fingerprint(Path(calm["results"]), site.origin))


@slow  # each disk takes three crawls of the command line
@pytest.mark.parametrize("size", SIZES)
def test_a_crawl_resumes_after_its_disk_was_full(
    site: PausedSite, expected: dict[str, object], tmp_path: Path, size: int
) -> None:
    data = tmp_path / "data"
    with small_disk(data, size):
        code, errors = end_of("crawl", site.url, "--data", str(data), *OPTIONS)
        assert code == UNWRITABLE, errors
        assert "Traceback" not in errors
        assert "full" in errors or "space" in errors
        subprocess.run(["mount", "-o", "remount,size=200m", str(data)], check=True)
        command = ["resume"] if started(data) else ["crawl", site.url, *OPTIONS]
        exports = Path(run(*command, "--data", str(data))["results"])
        assert dict(fingerprint(exports, site.origin)) == expected


def test_a_limit_on_the_size_of_files_stops_a_crawl_that_can_be_resumed(site: PausedSite, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wavecrawl.cli.main", "crawl", site.url, "--data", str(tmp_path), *OPTIONS, "-q"]
    stopped = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
        preexec_fn=limit_files,
    )
    assert (stopped.returncode, "Traceback" in stopped.stderr) == (UNWRITABLE, False), stopped.stderr
    assert "cannot be written" in stopped.stderr
    assert "To continue: `wavecrawl resume" in stopped.stderr
    done = run("resume", "--data", str(tmp_path))
    assert done["status"] == "completed"


def limit_files() -> None:
    """Limit the size of the files that this process and its children write."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
