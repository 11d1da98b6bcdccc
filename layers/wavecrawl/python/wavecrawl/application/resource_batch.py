"""Fetch one batch of resources of a full archive, at the pace of their hosts, as `fetch_batch` does with pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

from wavecrawl.application.body_room import PageShare
from wavecrawl.application.fetched_page import Ending, FetchedPage, NextStart
from wavecrawl.application.page_work import PageWork
from wavecrawl.application.run_batch import run_batch
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, JobItem
from wavecrawl.domain.crawl.record import PageRecord


def resource_batch(job: BatchJob, ports: WorkerPorts, *, deadline: float = inf) -> bool:
    """Fetch a batch. Return False if another worker has or had it, as `fetch_batch` does."""
    return run_batch(job, ports, _Archiving(ports), deadline=deadline)


@dataclass(frozen=True, slots=True)
class _Archiving(PageWork):
    """The request of a resource."""

    ports: WorkerPorts
    kind = BatchKind.RESOURCE
    hosts_at_once = 8  # as of checks: hardly anything is read of a resource

    @property
    def seconds(self) -> float:
        return self.ports.settings.limits.timeout

    @contextmanager
    def room(self) -> Iterator[PageShare | None]:
        with self.ports.pages.room.page() as share:
            yield share

    def do(
        self,
        item: JobItem,
        share: PageShare | None,
        next_start: NextStart,
        ending: Ending,  # noqa: ARG002 - its time is limited
    ) -> FetchedPage:
        return self.ports.resources.fetch(item, next_start, share)

    def watch(self, record: PageRecord) -> None:
        self.ports.watch_media(record)
