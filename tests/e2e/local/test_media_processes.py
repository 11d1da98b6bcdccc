"""Media with real worker processes: a kill in the media phase, and other numbers of workers, change nothing."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest
from tests.support.campaign import CAMPAIGN
from tests.support.hits import hits
from tests.support.patience import HANG, eventually
from tests.support.paused_site import PausedSite

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Link, Page, Site

PROGRAM = [sys.executable, "-m", "wavecrawl.cli.main"]
OPTIONS = ["--media", "all", "--interval", "0", "--in-flight", "2", "--no-adapt", "--wacz-mb", "0"]
DOCUMENTS = 12
IN_THE_MEDIA_PHASE = 10  # requests from the beginning: some of the documents are stored then, others are not


def site() -> Site:
    """Return a site whose only page links to documents."""
    (manual,) = [page for page in demo_site().pages if page.path == "/files/float-gauge.pdf"]
    paths = [f"/manuals/{number}.pdf" for number in range(DOCUMENTS)]
    root = Page(path="/", title="Manuals", text=("All manuals.",), links=tuple(Link(to=path) for path in paths))
    documents = (
        Page(path=path, content_type="application/pdf", body=(manual.body or b"") + b"%" + path.encode())
        for path in paths
    )
    return Site(pages=(root, *documents), name="Manuals")


@pytest.fixture(name="server")
def a_server() -> Iterator[PausedSite]:
    with PausedSite(site()) as server:
        yield server


def run(*arguments: str) -> Path:
    done = subprocess.run(
        [*PROGRAM, *arguments, "--json", "-q"], capture_output=True, text=True, timeout=HANG, check=False
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return Path(printed["results"])


def kill_at(server: PausedSite, request: int, *arguments: str) -> None:
    """Start a crawl. Kill it with all its workers during its n-th request."""
    server.pause_at(request)
    process = subprocess.Popen(
        [*PROGRAM, *arguments, "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    assert eventually(lambda: server.is_paused or process.poll() is not None)
    assert process.poll() is None, "the crawl ended before its kill"
    family = [process.pid, *(child.pid for child in psutil.Process(process.pid).children(recursive=True))]
    for pid in family:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    server.go_on()
    server.wait_for_disconnects()


def results(exports: Path) -> list[list[tuple[Any, ...]]]:
    media = duckdb.read_parquet(str(exports / "media.parquet")).project("* EXCLUDE (fetched_at)").fetchall()
    return [media, duckdb.read_parquet(str(exports / "media_uses.parquet")).fetchall()]


def test_a_crawl_that_is_killed_while_it_stores_media_is_resumed(server: PausedSite, tmp_path: Path) -> None:
    calm = results(run("crawl", server.url, "--data", str(tmp_path / "calm"), *OPTIONS, "--workers", "1"))
    assert [row[2] for row in calm[0]] == ["fetched"] * DOCUMENTS
    server.forget()

    data = str(tmp_path / "killed")
    kill_at(server, IN_THE_MEDIA_PHASE, "crawl", server.url, "--data", data, *OPTIONS, "--workers", "2")
    assert 0 < len([number for number in range(DOCUMENTS) if hits(server, f"/manuals/{number}.pdf")]) < DOCUMENTS
    assert results(run("resume", "--data", data, "--workers", "2")) == calm
    requests = [hits(server, f"/manuals/{number}.pdf") for number in range(DOCUMENTS)]
    assert min(requests) == 1
    assert sum(requests) <= DOCUMENTS + 2 * 2  # those in flight when it was killed
    stored = list((tmp_path / "killed").glob("tenants/local/media/documents/*.pdf"))
    assert len(stored) == DOCUMENTS


@pytest.mark.parametrize("workers", [2, 4] if CAMPAIGN else [4])
def test_the_number_of_workers_changes_nothing(server: PausedSite, tmp_path: Path, workers: int) -> None:
    one = run("crawl", server.url, "--data", str(tmp_path / "one"), *OPTIONS, "--workers", "1")
    more = run("crawl", server.url, "--data", str(tmp_path / "more"), *OPTIONS, "--workers", str(workers))
    assert results(more) == results(one)
