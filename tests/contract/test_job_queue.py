import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.contract.queues import QUEUES, Queue

from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId, JobItem
from wavecrawl.domain.politeness.pace import Pace


@pytest.fixture(name="queue", params=sorted(QUEUES))
def a_queue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Queue]:
    with QUEUES[request.param](tmp_path) as queue:
        yield queue


def job(crawl: CrawlId, number: int, *, path: str = "", starts_at: float = 0.0, urls: int = 25) -> BatchJob:
    items = tuple(
        JobItem(url=f"https://example.com/{n}/{path}", key=f"{n:032x}", depth=n, tries=1) for n in range(urls)
    )
    return BatchJob(
        id=BatchId(crawl=crawl, wave=3, batch=number),
        kind=BatchKind.FETCH,
        host="example.com",
        items=items,
        starts_at=starts_at,
        pace=Pace(interval=0.5, in_flight=1),
    )


def test_every_job_arrives_whole(queue: Queue, crawl: CrawlId) -> None:
    jobs = [job(crawl, number, path="\u00e4\u20ac" * 10) for number in range(23)]
    queue.queue.send(jobs)
    arrived = sorted((delivery.job for delivery in queue.deliveries(23)), key=lambda one: one.id.batch)
    assert arrived == jobs


def test_large_jobs_arrive_too(queue: Queue, crawl: CrawlId) -> None:
    jobs = [job(crawl, number, path="x" * 2_000) for number in range(12)]  # 55 KB each, 660 KB together
    queue.queue.send(jobs)
    assert {delivery.job.items[7].url for delivery in queue.deliveries(12)} == {jobs[0].items[7].url}


def test_jobs_as_large_as_a_plan_makes_them_arrive(queue: Queue, crawl: CrawlId) -> None:
    jobs = [job(crawl, number, path="?" + "\\" * 2_050, urls=58) for number in range(3)]  # 240 KB each
    queue.queue.send(jobs)
    assert sorted((one.job for one in queue.deliveries(3)), key=lambda one: one.id.batch) == jobs


def test_no_job_arrives_a_second_before_its_start(queue: Queue, crawl: CrawlId) -> None:
    start = time.time() + 2.5
    queue.queue.send([job(crawl, 1, starts_at=start), job(crawl, 2)])
    arrived = {delivery.job.id.batch: delivery.at for delivery in queue.deliveries(2)}
    assert arrived[1] > start - 1.0
    assert arrived[2] < arrived[1] or arrived[2] > start  # on a machine that takes so long to deliver any


def test_the_queue_says_how_long_it_can_wait(queue: Queue) -> None:
    assert queue.queue.longest_delay >= 900.0


def test_nothing_to_send_is_no_error(queue: Queue, crawl: CrawlId) -> None:
    queue.queue.send([])
    queue.queue.send([replace(job(crawl, 1), items=())])
    assert [delivery.job.items for delivery in queue.deliveries(1)] == [()]


def test_the_queue_holds_a_job_until_it_is_delivered(queue: Queue, crawl: CrawlId) -> None:
    now = time.time()
    assert not queue.queue.holds(sent_at=now)
    queue.queue.send([job(crawl, 1)])
    assert queue.queue.holds(sent_at=now)
    queue.deliveries(1)
    assert not queue.queue.holds(sent_at=now)
