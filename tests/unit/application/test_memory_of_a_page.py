"""The most memory that one page takes in a worker, measured in a process of its own."""

import subprocess
import sys

import pytest
from tests.support.campaign import ALL
from tests.support.functions import ROOT
from tests.support.page_memory import PAGES

MOST = 350
"""MB of a process that read one page. Measured: 250. A worker function has 512."""


@pytest.mark.parametrize("page", PAGES if ALL else [*PAGES][::3])
def test_a_page_takes_less_memory_than_a_worker_has(page: str) -> None:
    command = [sys.executable, "-m", "tests.support.page_memory", page]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 30 < int(done.stdout) < MOST
