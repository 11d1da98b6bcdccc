"""The pace of real crawls, as a real server sees it. Only lower bounds of times are checked: load makes no difference.

The server sees the look at the root before the first page may be requested. So the time since then is at least that of
all turns, whatever delays the processes.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.campaign import slow
from tests.support.patience import HANG
from tests.support.plain_site import plain_site

from wavecrawl.demo.server import SiteServer

PAGES = 25
FILES = (".txt", ".xml")  # robots.txt and sitemaps


def crawl(url: str, data: Path, *more: str) -> "subprocess.Popen[str]":
    options = ["--data", str(data), "--json", "--quiet", "--no-index", "--max-pages", str(PAGES), *more]
    command = [sys.executable, "-m", "wavecrawl", "crawl", url, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process: "subprocess.Popen[str]") -> None:
    _, errors = process.communicate(timeout=HANG)
    assert process.returncode == 0, errors


@pytest.mark.parametrize("interval", [0.05, pytest.param(0.2, marks=slow)])
def test_a_crawl_takes_at_least_the_time_of_its_turns(interval: float, tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=PAGES, body_bytes=200)) as server:
        finished(crawl(server.url, tmp_path, "--set", f"polite.interval={interval}"))
        began = min(served.started for served in server.log if served.method == "HEAD")
        asked = [served for served in server.log if served.method == "GET" and not served.path.endswith(FILES)]
    pages = sorted(served.started for served in asked)
    assert len(pages) >= PAGES
    assert pages[-1] - began >= (len(pages) - 1) * interval
