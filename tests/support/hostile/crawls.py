"""Whole crawls of mixed hostile sites in a process of its own: `python -m tests.support.hostile.crawls`.

It reads the URL of a site from each line, crawls the site with one worker process, and writes a line of JSON.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import asdict, replace
from tests.support.crawling import SILENT
from tests.support.functions import ROOT
from tests.support.hostile.reading import BRIEF, SETTINGS

from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.errors import RootFailedError

MAX_SECONDS = 4.0

MIXED = replace(
    SETTINGS,
    max_seconds=MAX_SECONDS,
    max_retries=1,
    limits=replace(SETTINGS.limits, timeout=BRIEF),
    sitemaps=SitemapSettings(timeout=BRIEF, max_bytes=300_000, max_files=20),
)
"""Pauses and delays have their defaults, so that nothing but `max_seconds` ends a crawl that must wait."""


class Crawled(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a crawl."""

    status: str
    seconds: float
    worker_mb: float  # largest peak memory of a worker process so far


def crawl(url: str) -> Crawled:
    """Crawl a site to its end in this process and a worker process."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        store = LocalStore(Path(folder))
        try:
            row, _ = run_local_crawl(store, store.start(url, MIXED), workers=1, watchers=SILENT, results=False)
            status = str((store.crawls.read(row.id) or row).status)
        except RootFailedError:
            status = "failed"
        finally:
            store.close()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    return Crawled(status=status, seconds=time.monotonic() - started, worker_mb=peak)


class Crawler:
    """The other process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def crawl(self, url: str) -> Crawled:
        """Crawl a site in the other process."""
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("the process has no pipes")
        self._process.stdin.write(f"{url}\n")
        self._process.stdin.flush()
        return Crawled(**json.loads(self._process.stdout.readline()))


@contextmanager
def crawler() -> Iterator[Crawler]:
    """Run the other process."""
    command = [sys.executable, "-m", "tests.support.hostile.crawls"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Crawler(process)


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(asdict(crawl(line.strip()))) + "\n")
        sys.stdout.flush()
