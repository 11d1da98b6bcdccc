"""The queues that the suite of `ports.job_queue` runs over, with access to the deliveries."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import msgspec
from tests.support.emulator import emulated_clients, new_queue

from wavecrawl.adapters.aws.queue import SqsJobQueue, job_from
from wavecrawl.adapters.clock import SystemClock
from wavecrawl.adapters.embedded.pool import WorkerPool
from wavecrawl.adapters.embedded.worker import Reporter
from wavecrawl.domain.crawl.job import BatchJob
from wavecrawl.ports.job_queue import JobQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A delivered job and its time (Unix seconds)."""

    job: BatchJob
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue and its receiving end."""

    queue: JobQueue
    deliveries: Callable[[int], Sequence[Delivery]]  # waits until this many different jobs have arrived


@contextmanager
def process_pool(folder: Path) -> Iterator[Queue]:
    """A pool of one worker that records its jobs."""
    pool = WorkerPool(
        1,
        note_deliveries,
        (str(folder),),
        name="w",
        lease_of=lambda _: 60.0,
        max_attempts=5,
        on_tally=lambda _: None,
        on_death=lambda _: None,
    )

    def deliveries(count: int) -> Sequence[Delivery]:
        pool.wait_for(f"{count} jobs", poll=lambda: None)
        return [msgspec.msgpack.decode(path.read_bytes(), type=Delivery) for path in folder.iterdir()]

    yield Queue(queue=pool, deliveries=deliveries)
    pool.close()


def note_deliveries(reporter: Reporter, _owner: str, folder: str) -> Callable[[BatchJob], object]:
    """Return the worker's function: it writes a file for each job and reports their number."""

    def note(job: BatchJob) -> None:
        path = Path(folder) / f"{job.id.batch}"
        fresh = Path(mkdtemp(dir=Path(folder).parent)) / path.name  # the test reads what is in the folder at any moment
        fresh.write_bytes(msgspec.msgpack.encode(Delivery(job=job, at=time.time())))
        fresh.rename(path)
        reporter.succeed(f"{len(list(path.parent.iterdir()))} jobs")

    return note


@contextmanager
def sqs(_folder: Path) -> Iterator[Queue]:
    """A queue on the emulator."""
    clients = emulated_clients()
    url = new_queue(clients)

    def deliveries(count: int) -> Sequence[Delivery]:
        found: dict[int, Delivery] = {}
        while len(found) < count:
            answer = clients.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1)
            for message in answer.get("Messages", ()):
                job = job_from(message["Body"])
                found[job.id.batch] = Delivery(job=job, at=time.time())
        return list(found.values())

    yield Queue(queue=SqsJobQueue(clients.sqs, url, SystemClock()), deliveries=deliveries)


QUEUES: dict[str, Callable[[Path], AbstractContextManager[Queue]]] = {"embedded": process_pool, "aws-ministack": sqs}
