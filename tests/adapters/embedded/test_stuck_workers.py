"""A worker that is stuck is replaced when the lease of its batch ends, and its batches are delivered again."""

import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

import pytest
from tests.support.campaign import slow
from tests.support.patience import HANG

from wavecrawl.adapters.embedded.pool import WorkerPool
from wavecrawl.adapters.embedded.worker import Reporter
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId, JobItem
from wavecrawl.domain.politeness.pace import Pace

CRAWL = CrawlId(tenant="t", site="example.com", crawl="c1")
LEASE = 2.0
"""Seconds until a stuck worker is replaced. Until it is stuck, the lease has no end: it may take long to start."""


def stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
    Event().wait()  # the signal may reach another thread first


def parse_for_ever() -> None:
    """Run C code that neither ends nor lets another thread run."""
    re.match(r"(a+)+$", "a" * 64 + "b")


WAYS: dict[str, Callable[[], None]] = {"stopped": stop, "endless": parse_for_ever}


def stuck_once(reporter: Reporter, owner: str, folder: str, way: str, batches: int) -> Callable[[BatchJob], object]:
    """Return work that notes each delivery. The first delivery of batch 0 never ends."""

    def work(job: BatchJob) -> None:
        notes = Path(folder)
        (notes / f"{job.id.batch} {owner}").touch()
        if job.id.batch == 0 and len(list(notes.glob("0 *"))) == 1:
            WAYS[way]()
        if len({note.name.partition(" ")[0] for note in notes.iterdir()}) == batches:
            reporter.succeed("all")

    return work


def job(number: int, *, length: int = 0) -> BatchJob:
    return BatchJob(
        id=BatchId(crawl=CRAWL, wave=1, batch=number),
        kind=BatchKind.FETCH,
        host="example.com",
        items=(JobItem(url=f"https://example.com/{'x' * length}", key="0" * 32, depth=0, tries=1),),
        starts_at=0.0,
        pace=Pace(interval=0.5, in_flight=1),
    )


def delivered(folder: Path, way: str, jobs: Sequence[BatchJob]) -> tuple[list[str], list[str]]:
    """Deliver jobs to a pool of one worker. Return the deliveries, and the owners whose leases were freed."""
    dead: list[str] = []
    sent: list[BatchJob] = []  # before, the lease is that of writing to a worker
    until = time.monotonic() + HANG

    def lease_of(_: BatchKind) -> float:
        is_stuck = not dead and (folder / "0 w-1").exists()
        return LEASE if is_stuck or not sent else HANG

    def poll() -> None:
        assert time.monotonic() < until, "the worker was not replaced"

    pool = WorkerPool(
        1,
        stuck_once,
        (str(folder), way, len(jobs)),
        name="w",
        lease_of=lease_of,
        max_attempts=5,
        on_tally=lambda _: None,
        on_death=dead.append,
    )
    try:
        sent += jobs
        pool.send(jobs)
        pool.wait_for("all", poll=poll)
    finally:
        pool.close()
    return sorted(note.name for note in folder.iterdir()), dead


@pytest.mark.parametrize("way", sorted(WAYS))
def test_a_stuck_worker_is_replaced_when_its_lease_ends(tmp_path: Path, way: str) -> None:
    deliveries, dead = delivered(tmp_path, way, [job(0)])
    assert dead[0] == "w-1"
    assert deliveries[:2] == ["0 w-1", "0 w-2"]


@slow
def test_jobs_that_a_stopped_worker_cannot_read_are_delivered_elsewhere(tmp_path: Path) -> None:
    deliveries, dead = delivered(tmp_path, "stopped", [job(0), job(1, length=2_000_000), job(2)])
    assert dead[0] == "w-1"
    assert {note.partition(" ")[0] for note in deliveries} == {"0", "1", "2"}
