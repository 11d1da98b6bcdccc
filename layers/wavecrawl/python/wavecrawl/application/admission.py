"""Admission: a tenant's crawls run up to a limit; further ones are queued and start when others end."""

import logging
from collections.abc import Collection, Iterable
from typing import Protocol

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.shown_errors import shown_error
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.tenants import Tenants

logger = logging.getLogger(__name__)


def running_limit(tenant: str, *, tenants: Tenants, operator: OperatorSettings) -> int:
    """Return how many crawls of a tenant may run at the same time."""
    row = tenants.read(tenant)
    return (row.max_running_crawls if row else None) or operator.max_running_crawls


def queue_places(rows: Iterable[CrawlRow], crawls: Crawls) -> dict[CrawlId, int]:
    """Return the place of each queued crawl in the queue of its tenant; 1 starts next. All must be of one tenant."""
    queued = {row.id for row in rows if row.status is CrawlStatus.QUEUED}
    if not queued:
        return {}
    queue = crawls.queue(next(iter(queued)).tenant)
    return {id_: place for place, id_ in enumerate(queue, 1) if id_ in queued}


class Executions(Protocol):
    """The executions of the state machine."""

    def launch(self, crawl: CrawlId, *, resumes: int) -> None:
        """Start the execution of a crawl that was resumed `resumes` times, unless that was done before.

        Raise ConflictError if an execution that is not of this crawl has its name.
        """
        ...

    def make_results(self, crawl: CrawlId, *, now: float) -> None:
        """Start an execution that makes the results of an ended crawl again."""
        ...

    def make_files(self, crawl: CrawlId, files: Collection[ResultFile], *, now: float) -> None:
        """Start an execution that makes result files of an ended crawl, unless one is making these."""
        ...


class AdmittingLauncher:
    """`ports.launcher.Launcher` that starts queued crawls through `executions`, oldest first, up to the limit.

    It must be called after a crawl was queued, and after one has ended. A crawl stays in the queue until its state
    machine was started. So if a process dies in between, the next call continues where it stopped.
    """

    def __init__(
        self, *, crawls: Crawls, tenants: Tenants, executions: Executions, operator: OperatorSettings, clock: Clock
    ) -> None:
        self._crawls = crawls
        self._tenants = tenants
        self._executions = executions
        self._operator = operator
        self._clock = clock

    def launch(self, crawl: CrawlId) -> None:
        """Start the queued crawls of the crawl's tenant, as far as the limit allows."""
        queue = self._crawls.queue(crawl.tenant)
        most = running_limit(crawl.tenant, tenants=self._tenants, operator=self._operator) if queue else 0
        for queued in queue:
            status = self._crawls.admit(queued, most=most, now=self._clock.now())
            if status is CrawlStatus.QUEUED:
                return
            row = self._crawls.read(queued) if status is CrawlStatus.RUNNING else None
            if row is not None:
                self._start(queued, resumes=row.resumes)
                self._crawls.launched(queued, resumes=row.resumes)

    def _start(self, crawl: CrawlId, *, resumes: int) -> None:
        """Start a crawl's execution. If it never can, the crawl fails, so that it does not hold its site for ever."""
        try:
            self._executions.launch(crawl, resumes=resumes)
        except ConflictError as error:
            logger.warning("crawl %s cannot be started: %s", crawl, error)
            self._crawls.finish(crawl, status=CrawlStatus.FAILED, now=self._clock.now(), error=shown_error(error))

    def make_results(self, crawl: CrawlId) -> None:
        """Make the results of an ended crawl again."""
        self._executions.make_results(crawl, now=self._clock.now())

    def make_files(self, crawl: CrawlId, files: Collection[ResultFile]) -> None:
        """Make result files of an ended crawl."""
        self._executions.make_files(crawl, files, now=self._clock.now())
