"""Crawls of the command line that end by `kill -9`."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Any

import psutil
from tests.support.patience import HANG, eventually
from tests.support.paused_site import PausedSite

_PROGRAM = [sys.executable, "-m", "wavecrawl.cli.main"]


def run(*arguments: str) -> dict[str, Any]:
    """Run a command to its end; return the JSON that it prints."""
    done = subprocess.run(
        [*_PROGRAM, *arguments, "--json", "-q"], capture_output=True, text=True, timeout=HANG, check=False
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def end_of(*arguments: str) -> tuple[int, str]:
    """Run a command to its end; return its exit code and what it prints on standard error."""
    done = subprocess.run([*_PROGRAM, *arguments, "-q"], capture_output=True, text=True, timeout=HANG, check=False)
    return done.returncode, done.stderr


def kill_at(server: PausedSite, request: int, *arguments: str) -> None:
    """Start a crawl. Kill it with all its workers during its n-th request."""
    server.pause_at(request)
    process = subprocess.Popen(
        [*_PROGRAM, *arguments, "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
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
