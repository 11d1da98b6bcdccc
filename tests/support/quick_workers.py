"""Worker processes that start quickly: forks of one process that has imported what they need.

A pool starts its workers as new processes if its own process has threads, as one with a test's server has. Their
imports take more time than most crawls of tests.
"""

import multiprocessing
import os
from functools import cache
from multiprocessing.context import BaseContext

_IMPORTED = ("wavecrawl.bootstrap.worker", "wavecrawl.adapters.http.client", "tests.support.unsynced")
_OF_TEST = "PYTEST_CURRENT_TEST"


def quick_context(kind: str) -> BaseContext:
    """Return the context of a kind: a substitute for `multiprocessing.get_context` in `adapters.embedded.pool`.

    New processes are forks, unless the environment of this one has changed.
    """
    if kind == "spawn" and _environment() == _AT_FIRST:
        return _forks()
    return multiprocessing.get_context(kind)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != _OF_TEST}


_AT_FIRST = _environment()
"""The environment when the tests are collected, and of the process of which the workers are forks."""


@cache
def _forks() -> BaseContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_IMPORTED))
    return context
