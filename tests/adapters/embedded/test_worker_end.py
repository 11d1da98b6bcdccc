"""A worker whose pool has ended already ends, too, without a word."""

import multiprocessing
from collections.abc import Callable

import pytest
from tests.support.patience import HANG

from wavecrawl.adapters.embedded.worker import Reporter, worker_main
from wavecrawl.domain.crawl.job import BatchJob


def no_work(_reporter: Reporter, *_: object) -> Callable[[BatchJob], None]:
    return lambda _job: None


def test_a_worker_that_starts_after_the_end_of_its_pool_ends_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    of_pool, of_worker = multiprocessing.Pipe()
    of_pool.close()
    worker = multiprocessing.get_context("spawn").Process(target=worker_main, args=(of_worker, no_work, ()))
    worker.start()
    of_worker.close()
    worker.join(HANG)
    assert (worker.exitcode, capfd.readouterr().err) == (0, "")
