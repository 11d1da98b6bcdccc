"""Render one batch: lease it, claim and render each fetched page, store the records, mark it done."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from time import thread_time

from wavecrawl.application.body_room import PageShare
from wavecrawl.application.fetched_page import Ending, FetchedPage, NextStart
from wavecrawl.application.page_work import PageWork
from wavecrawl.application.render_page import PageRenderer
from wavecrawl.application.run_batch import run_batch
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, JobItem
from wavecrawl.domain.crawl.record import PageRecord


def render_batch(job: BatchJob, ports: WorkerPorts, renderer: PageRenderer, *, deadline: float = inf) -> bool:
    """Render a batch. Return False if another worker has or had it, as `fetch_batch` does.

    Pages start at the host's pace like requests do, as they load further files of it.
    """
    return run_batch(job, ports, _Rendering(ports, renderer), deadline=deadline)


@dataclass(frozen=True, slots=True)
class _Rendering(PageWork):
    """The rendering of a fetched page."""

    ports: WorkerPorts
    renderer: PageRenderer
    kind = BatchKind.RENDER

    @property
    def seconds(self) -> float:
        settings = self.ports.settings
        return settings.render.longest + settings.max_page_cpu

    def cpu_time(self) -> float:
        return thread_time() + self.renderer.cpu_seconds()

    @contextmanager
    def room(self) -> Iterator[PageShare | None]:
        with self.renderer.room():
            yield None

    def do(
        self,
        item: JobItem,
        share: PageShare | None,  # noqa: ARG002 - the browser has its own limits
        next_start: NextStart,  # noqa: ARG002 - the browser sends the requests
        ending: Ending,
    ) -> FetchedPage:
        return self.renderer.render(item, ending=ending)

    def give_up(self, item: JobItem, now: float) -> FetchedPage:  # noqa: ARG002 - the time of the fetch stays
        return self.renderer.give_up(item)

    def watch(self, record: PageRecord) -> None:
        self.ports.watch_rendered(record)
