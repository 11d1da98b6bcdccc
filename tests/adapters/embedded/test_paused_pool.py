"""A pool is paused if its next requests are far apart."""

import time

import pytest

from wavecrawl.adapters.embedded.pool import WorkerPool
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId, JobItem
from wavecrawl.domain.politeness.pace import Pace

CRAWL = CrawlId(tenant="t", site="example.com", crawl="c1")
LATER = 3600.0  # seconds


def job(number: int, *, host: str = "example.com", starts_in: float = 0.0, interval: float = 0.0) -> BatchJob:
    return BatchJob(
        id=BatchId(crawl=CRAWL, wave=1, batch=number),
        kind=BatchKind.FETCH,
        host=host,
        items=(JobItem(url=f"https://{host}/", key="0" * 32, depth=0, tries=1),),
        starts_at=time.time() + starts_in,
        pace=Pace(interval=interval, in_flight=1),
    )


@pytest.mark.parametrize(
    ("jobs", "is_paused"),
    [
        ([job(1)], False),
        ([job(1, starts_in=LATER), job(2, starts_in=LATER)], True),
        ([job(1, starts_in=LATER), job(2)], False),
        ([job(1, interval=4.0)], False),
        ([job(1, interval=200.0)], True),
        ([job(1, interval=8.0), job(2, interval=8.0)], True),
        ([job(1, interval=8.0), job(2, interval=8.0, host="other.example")], False),
    ],
    ids=[
        "a host without an interval",
        "all batches start later",
        "one batch starts now",
        "a short interval",
        "a long interval",
        "batches of one host follow each other",
        "several hosts share the time",
    ],
)
def test_a_pool_is_paused_if_its_next_requests_are_far_apart(jobs: list[BatchJob], is_paused: bool) -> None:  # noqa: FBT001
    pool = WorkerPool(
        0,
        lambda: lambda _: None,
        (),
        name="w",
        lease_of=lambda _: 60.0,
        max_attempts=5,
        on_tally=lambda _: None,
        on_death=lambda _: None,
    )
    pool.send(jobs)
    assert pool.is_paused() is is_paused
    pool.close()
