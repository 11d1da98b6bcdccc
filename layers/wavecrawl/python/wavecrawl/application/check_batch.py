"""Check one batch of URLs that are not crawled as pages: find out whether each can be fetched, without its content."""

from dataclasses import dataclass
from math import inf

from wavecrawl.application.body_room import PageShare
from wavecrawl.application.fetched_page import Ending, FetchedPage, NextStart
from wavecrawl.application.page_work import PageWork
from wavecrawl.application.run_batch import run_batch
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, JobItem
from wavecrawl.domain.crawl.record import PageRecord


def check_batch(job: BatchJob, ports: WorkerPorts, *, deadline: float = inf) -> bool:
    """Check a batch. Return False if another worker has or had it, as `fetch_batch` does."""
    return run_batch(job, ports, _Checking(ports), deadline=deadline)


@dataclass(frozen=True, slots=True)
class _Checking(PageWork):
    """The check of a URL."""

    ports: WorkerPorts
    kind = BatchKind.CHECK
    hosts_at_once = 8  # a check has no body to store and to read: it mostly waits for its host

    @property
    def seconds(self) -> float:
        return self.ports.settings.checks.longest

    def do(
        self,
        item: JobItem,
        share: PageShare | None,  # noqa: ARG002 - see above
        next_start: NextStart,
        ending: Ending,  # noqa: ARG002 - its time is limited
    ) -> FetchedPage:
        return FetchedPage(record=self.ports.checker.check(item, next_start))

    def watch(self, record: PageRecord) -> None:
        self.ports.watch_check(record)
