"""What `wavecrawl crawl` imports, and when: each module costs every crawl."""

import json
import subprocess
import sys

from tests.support.patience import HANG

STARTED = "import wavecrawl.cli.crawl"
FORKED = """
import tempfile
from pathlib import Path
from wavecrawl.bootstrap import local
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings

class Forked(Exception):
    pass

def pool(*_, **__):
    raise Forked

local.WorkerPool = pool
watchers = local.Watchers(on_progress=print, on_tally=print, poll=print)
with tempfile.TemporaryDirectory() as folder:
    store = LocalStore(Path(folder))
    try:
        local.run_local_crawl(
            store, store.start("http://127.0.0.1/", CrawlSettings()), workers=1, watchers=watchers, results=False
        )
    except Forked:
        pass
    store.close()
"""
"""Runs a crawl up to the start of its workers."""

PIPED = """
import os
from wavecrawl.cli.progress import LiveProgress
from wavecrawl.domain.crawl.settings import CrawlSettings

os.environ.pop("FORCE_COLOR", None)
os.environ.pop("TTY_COMPATIBLE", None)
with LiveProgress(CrawlSettings(), quiet=False) as live:
    live.poll()
"""


def _modules_after(code: str) -> set[str]:
    program = f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=HANG)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_a_crawl_imports_nothing_of_the_results_that_other_commands_show() -> None:
    modules = _modules_after(STARTED)
    assert "wavecrawl.bootstrap.local" in modules
    assert modules.isdisjoint(
        {"wavecrawl.ports.results", "wavecrawl.ports.media_results", "wavecrawl.application.explain_url"}
    )


def test_workers_are_forked_after_the_http_client_is_imported() -> None:
    """Each worker would import it otherwise."""
    modules = _modules_after(FORKED)
    assert {"wavecrawl.adapters.http.client", "requests", "wavecrawl.domain.pages.extraction"} <= modules


def test_progress_that_goes_to_a_pipe_imports_no_rich() -> None:
    modules = _modules_after(PIPED)
    assert "wavecrawl.cli.progress" in modules
    assert "rich" not in modules
