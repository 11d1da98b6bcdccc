"""Fetch one batch: lease it, claim and fetch each URL at the host's pace, store the records, mark it done."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from time import thread_time

from wavecrawl.application.body_room import PageShare
from wavecrawl.application.fetched_page import Ending, FetchedPage, NextStart
from wavecrawl.application.page_work import PageWork
from wavecrawl.application.run_batch import run_batch
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, JobItem
from wavecrawl.domain.crawl.record import PageRecord


def fetch_batch(job: BatchJob, ports: WorkerPorts, *, deadline: float = inf) -> bool:
    """Fetch a batch. Return False if another worker has or had it: a batch can be delivered more than once.

    `deadline` is when the worker must end, in Unix seconds. URLs that could take longer than that, or than the lease,
    are postponed to a later wave.
    After an error the lease is released, so that another worker can take the batch. Raise BatchStuckError if the batch
    may still be leased.
    """
    return run_batch(job, ports, _Fetching(ports), deadline=deadline)


@dataclass(frozen=True, slots=True)
class _Fetching(PageWork):
    """The request of a page."""

    ports: WorkerPorts
    kind = BatchKind.FETCH

    @property
    def seconds(self) -> float:
        settings = self.ports.settings
        return settings.limits.timeout + settings.max_page_cpu

    def cpu_time(self) -> float:
        return thread_time() + self.ports.pages.cpu_seconds()

    @contextmanager
    def room(self) -> Iterator[PageShare | None]:
        self.ports.pages.wait_for_room()
        with self.ports.pages.room.page() as share:
            yield share

    def do(self, item: JobItem, share: PageShare | None, next_start: NextStart, ending: Ending) -> FetchedPage:
        return self.ports.pages.fetch(item, next_start=next_start, share=share, ending=ending)

    def watch(self, record: PageRecord) -> None:
        self.ports.watch(record)
