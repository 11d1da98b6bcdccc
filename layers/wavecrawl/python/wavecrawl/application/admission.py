"""Admission: a tenant's crawls run up to a limit; further ones are queued and start when others end."""

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import Crawls
from wavecrawl.ports.launcher import Launcher
from wavecrawl.ports.tenants import Tenants


def running_limit(tenant: str, *, tenants: Tenants, operator: OperatorSettings) -> int:
    """Return how many crawls of a tenant may run at the same time."""
    row = tenants.read(tenant)
    return (row.max_running_crawls if row else None) or operator.max_running_crawls


class AdmittingLauncher:
    """`ports.launcher.Launcher` that starts queued crawls through `executions`, oldest first, up to the limit.

    It must be called after a crawl was queued, and after one has ended. A crawl stays in the queue until its state
    machine was started. So if a process dies in between, the next call continues where it stopped.
    """

    def __init__(
        self, *, crawls: Crawls, tenants: Tenants, executions: Launcher, operator: OperatorSettings, clock: Clock
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
            if status is CrawlStatus.RUNNING:
                self._executions.launch(queued)
            self._crawls.launched(queued)
