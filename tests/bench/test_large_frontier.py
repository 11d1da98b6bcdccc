"""What bench/large_frontier.py measures for millions of URLs, by the bytes per URL of a small crawl."""

import subprocess
import sys
from pathlib import Path

from bench.large_frontier import NEW, store_crawl
from bench.planner_memory import NoNetwork, planner_of
from bench.sites import ROOT
from infra.config import Config
from infra.constructs.large_crawls import MEMORY_MB
from tests.support.campaign import long

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.planner_memory import MEBIBYTE, fits


def test_a_million_pages_fit_the_default_function_and_ten_million_urls_the_task(tmp_path: Path) -> None:
    urls = 2 * NEW
    store_crawl(tmp_path, urls)
    store = LocalStore(tmp_path)
    planner = planner_of(store, store.find(None), NoNetwork())
    assert len(planner.state.frontier) == urls
    a_url = planner.state.bytes / urls
    store.close()
    assert 80 < a_url < 140, "65 characters of six in ten URLs, and the key and the codes of each"
    assert fits(round(2_400_000 * a_url), Config().planner_memory * MEBIBYTE)
    assert fits(round(7_000_000 * a_url), Config().planner_memory * MEBIBYTE), "as docs/scaling.md says"
    assert fits(round(10_000_000 * a_url), MEMORY_MB * MEBIBYTE)
    assert fits(round(100_000_000 * a_url), MEMORY_MB * MEBIBYTE), "as docs/scaling.md says"


@long
def test_the_process_that_plans_a_million_pages_is_smaller_than_the_function(tmp_path: Path) -> None:
    results = tmp_path / "results.md"
    results.write_text("", encoding="utf-8")
    command = [sys.executable, "-m", "bench.large_frontier", "--quick", "--results", str(results)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
