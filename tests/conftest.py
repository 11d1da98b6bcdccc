"""Shared set-up of all tests: network access on loopback only, and a hypothesis profile."""

import atexit
import gc
import os
import signal
import sys
from functools import _lru_cache_wrapper
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from pytest_socket import socket_allow_hosts
from tests.support import unsynced  # noqa: F401 - imported for what it does
from tests.support.campaign import CAMPAIGN, EMULATOR, examples
from tests.support.scheduling import LongFilesFirst
from tests.support.session import session_folder
from tests.support.still_clock import StillClock

# Powertools reads these variables when `wavecrawl.telemetry` is first imported, which can happen in any test.
os.environ.setdefault("POWERTOOLS_METRICS_NAMESPACE", "wavecrawl")
os.environ.setdefault("POWERTOOLS_SERVICE_NAME", "tests")
os.environ["WAVECRAWL_EMBEDDER"] = "none"  # crawls of tests need no vectors, and the model takes half a second to load

# Each worker and child process would compile all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # a background job ignores SIGINT, and its child processes inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)

NOT_MEASURED = (
    "tests/bench/",
    "tests/browser/",
    "tests/e2e/cloud/",
    "tests/e2e/local/test_determinism.py",
    "tests/e2e/local/test_docs_sites.py",
    "tests/e2e/local/test_known_sites.py",
    "tests/e2e/local/test_traps.py",
    "tests/infra/",
    "tests/property/",
    "tests/unit/domain/pages/test_costs.py",
)
"""Tests of which coverage is not measured: many crawls of code that other tests cover, or code in other processes."""

settings.register_profile(
    "wavecrawl",
    deadline=None,  # test machines vary in speed; bench/ measures speed
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not CAMPAIGN,
    print_blob=True,
)
settings.load_profile("wavecrawl")


def pytest_configure() -> None:
    session_folder()  # before the workers start, which inherit its path


def pytest_report_header() -> str:
    return "" if EMULATOR else "left out: the deployed template on the AWS emulator; test it with `make e2e`"


def pytest_collection_finish() -> None:
    """Collect garbage seldom: each time, Python looks at all objects of the modules that the tests import."""
    gc.freeze()
    gc.set_threshold(50_000)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Keep reports of leaks out of the output: DuckDB's bindings report what is alive when a process ends.

    Remove Hypothesis's callback: it keeps modules alive. So do threads that wait for requests: a worker, which has
    reported its results by then, says nothing any more when it ends.
    """
    gc.unfreeze()
    gc.callbacks[:] = [one for one in gc.callbacks if not getattr(one, "__module__", "").startswith("hypothesis")]
    if hasattr(config, "workerinput"):
        atexit.register(os.dup2, os.open(os.devnull, os.O_WRONLY), 2)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LongFilesFirst:
    return LongFilesFirst(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only the campaign runs. Do not measure some tests, as that makes Python half as slow again."""
    if not CAMPAIGN:
        left_out = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        if item.nodeid.startswith(NOT_MEASURED):
            item.add_marker("no_cover")


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Let a later test measure what this one computed and cached: the coverage must not depend on the order."""
    if not item.get_closest_marker("no_cover") or not item.config.getoption("cov_source", None):
        return
    for name, module in list(sys.modules.items()):
        if name.startswith("wavecrawl.domain."):
            for cached in [one for one in vars(module).values() if isinstance(one, _lru_cache_wrapper)]:
                cached.cache_clear()


@pytest.fixture(autouse=True)
def _loopback_only() -> None:
    socket_allow_hosts(["127.0.0.1", "127.0.0.2", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture
def clock() -> StillClock:
    return StillClock()
