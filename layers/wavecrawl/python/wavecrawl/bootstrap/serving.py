"""The service on one machine: the ports of the API over a data folder, and what works behind them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wavecrawl.adapters.embedded.exports import FolderExports
from wavecrawl.adapters.embedded.launcher import LocalLauncher
from wavecrawl.adapters.embedded.lock import FolderLock, serve_lock
from wavecrawl.adapters.embedded.scheduler import LocalScheduler
from wavecrawl.adapters.embedded.schedules import SqliteSchedules
from wavecrawl.adapters.embedded.secret_file import secret_file
from wavecrawl.adapters.embedded.sites import SqliteSites
from wavecrawl.application.api_keys import create_key
from wavecrawl.application.fail_crawl import fail_crawl
from wavecrawl.application.start_site import SitePorts, start_scheduled
from wavecrawl.application.wacz_package import MOST_MB
from wavecrawl.bootstrap import crawl_process
from wavecrawl.bootstrap.delivering import delivery_thread
from wavecrawl.bootstrap.store import LOCAL_TENANT, LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.tenants.role import Role

if TYPE_CHECKING:
    from wavecrawl.adapters.analytics.results import DuckDbResults

SIGNING_KEY = "signing.key"
"""The file in the data folder that holds the secret of cursors and downloads."""


class Background(Protocol):
    """Something that works while the API answers. `start` returns at once; `stop` when the work under way is over."""

    def start(self) -> None:
        """Begin."""
        ...

    def stop(self) -> None:
        """End."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """What whoever serves decides: `web.service.ServiceSettings`, and how crawls are run."""

    base_url: str = "http://127.0.0.1:8787"  # where clients find the API, without a slash at the end
    most_crawls: int = 2  # at once
    workers: int = 2  # processes of each
    wacz_mb: int = MOST_MB  # how large crawl.wacz may be; 0 = it is never made
    tenant: str = LOCAL_TENANT
    contact: str = ""
    allowed_addresses: tuple[str, ...] = ()
    lease: float = 360.0
    max_body_bytes: int = 65_536
    requests_a_minute: int = 600
    cors_origins: tuple[str, ...] = field(default=())


class LocalService:
    """`web.service.Service` over a data folder. What works in the background is listed in `background`."""

    def __init__(self, root: Path, settings: ServeSettings) -> None:
        self.store = store = LocalStore(root)
        self.settings = settings
        self.operator_keys: tuple[str, ...] = ()  # all keys stand in the table
        self.clock = store.clock
        self.crawls = store.crawls
        self.erasure = store.erasure
        self.waves = store.waves
        self.batches = store.batches
        self.claims = store.claims
        self.archive = store.archive
        self.memories = store.memories
        self.hidden = store.hidden
        self.tenants = store.tenants
        self.keys = store.keys
        self.rate_limits = store.rate_limits
        self.repeats = store.repeats
        self.event_log = store.event_log
        self.webhooks = store.webhooks
        self.deliveries = store.deliveries
        self.deliveries_queue = store.deliveries_queue
        self.sites = SqliteSites(store.database)
        self.schedules = SqliteSchedules(store.database, store.clock)
        self.launcher = LocalLauncher(
            command=partial(crawl_process.command, root, workers=settings.workers, wacz_mb=settings.wacz_mb),
            unfinished=lambda: [row.id for row in self.crawls.under_way()],
            give_up=self._give_up,
            most=settings.most_crawls,
        )
        deliveries = delivery_thread(store, contact=settings.contact, allowed=settings.allowed_addresses)
        self._lock: FolderLock | None = None
        self.background: Sequence[Background] = (self.launcher, self._scheduler(), deliveries)

    @cached_property
    def signing_key(self) -> bytes:
        """The secret of this data folder, made when it is first needed."""
        return secret_file(self.store.root / SIGNING_KEY)

    @cached_property
    def results(self) -> "DuckDbResults":
        """What answers questions about results."""
        from wavecrawl.bootstrap.local_results import local_results  # noqa: PLC0415 - DuckDB is loaded when it is needed

        return local_results(self.store)

    @cached_property
    def exports(self) -> FolderExports:
        """Results."""
        base_url = self.settings.base_url
        return FolderExports(self.store.root, signing_key=self.signing_key, clock=self.clock, base_url=base_url)

    def first_key(self) -> str | None:
        """Return a new key of role admin where the folder has none of its own tenant, None where it has."""
        tenant = self.settings.tenant
        if self.keys.of_tenant(tenant):
            return None
        return create_key(tenant, role=Role.ADMIN, name="first key", keys=self.keys, now=self.clock.now()).secret

    def start(self) -> None:
        """Begin the work in the background; raise ConflictError where another process does it in this folder."""
        self._lock = serve_lock(self.store.root)  # two would tell each webhook twice, and take each other's crawls up
        for one in self.background:
            one.start()

    def stop(self) -> None:
        """End it, the last first, and close the store."""
        for one in reversed(self.background):
            one.stop()
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        self.store.close()

    def _give_up(self, crawl: CrawlId, error: str) -> None:
        row = self.crawls.read(crawl)
        if row is not None:
            fail_crawl(crawl, self.store.fail_ports, error=error, pages=lambda: self.store.pages_so_far(row))

    def _scheduler(self) -> LocalScheduler:
        ports = SitePorts(
            sites=self.sites,
            schedules=self.schedules,
            crawls=self.crawls,
            tenants=self.tenants,
            launcher=self.launcher,
            clock=self.clock,
        )
        return LocalScheduler(self.schedules, lambda id_: start_scheduled(id_, ports, self.settings), self.clock)
