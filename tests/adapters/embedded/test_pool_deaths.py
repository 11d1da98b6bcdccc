"""A batch that kills its worker process does not take other batches with it more than once."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Condition

from tests.support.patience import HANG

from wavecrawl.adapters.embedded.pool import WorkerPool
from wavecrawl.adapters.embedded.worker import Reporter
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId
from wavecrawl.domain.politeness.pace import Pace

CRAWL = CrawlId(tenant="local", site="site", crawl="crawl")
DEATHS = 3
COMPANY = 0.5
"""Seconds that the deadly batch waits for another batch, from its second attempt on. Then none may come."""


def deadly_work(reporter: Reporter, _owner: str, folder: str) -> Callable[[BatchJob], None]:
    """Return the work of a process: batch 0 kills it three times; batch 1 lasts as long as batch 0 does."""
    log, running, changed = Path(folder), set[int](), Condition()

    def work(job: BatchJob) -> None:
        number = job.id.batch
        with changed:
            running.add(number)
            changed.notify_all()
            deaths = len(list(log.glob("death *")))
            if number == 0 and deaths < DEATHS:
                together = changed.wait_for(lambda: len(running) > 1, timeout=COMPANY if deaths else HANG)
                (log / f"death {deaths} {'together' if together else 'alone'}").touch()
                os._exit(1)
            changed.wait_for(lambda: number == 0 or 0 not in running)
            running.discard(number)
        (log / f"done {number}").touch()
        if {"done 0", "done 1"}.issubset(path.name for path in log.iterdir()):
            reporter.succeed("over")

    return work


def job(number: int) -> BatchJob:
    return BatchJob(
        id=BatchId(crawl=CRAWL, wave=1, batch=number),
        kind=BatchKind.FETCH,
        host="site.example",
        items=(),
        starts_at=0.0,
        pace=Pace(interval=0.04, in_flight=1),
    )


def test_a_batch_that_failed_runs_alone_in_its_process(tmp_path: Path) -> None:
    pool = WorkerPool(
        1,
        deadly_work,
        (str(tmp_path),),
        name="w",
        lease_of=lambda _: 60.0,
        max_attempts=5,
        on_tally=lambda _: None,
        on_death=lambda _: None,
    )
    pool.send([job(0), job(1)])
    pool.wait_for("over", poll=lambda: None)
    pool.close()
    deaths = sorted(path.name for path in tmp_path.glob("death *"))
    assert deaths == ["death 0 together", "death 1 alone", "death 2 alone"]
