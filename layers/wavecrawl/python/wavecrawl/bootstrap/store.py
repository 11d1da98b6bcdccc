"""One data folder with everything stored in it, and the page client of a process."""

import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wavecrawl.adapters.clock import SystemClock
from wavecrawl.adapters.embedded.batches import SqliteBatches, SqliteWaves
from wavecrawl.adapters.embedded.claims import SqliteClaims
from wavecrawl.adapters.embedded.crawls import SqliteCrawls
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.event_log import SqliteEventLog
from wavecrawl.adapters.embedded.folder import FolderArchive, FolderObjects, crawl_folder
from wavecrawl.adapters.embedded.host_gate import SqliteHostGate
from wavecrawl.adapters.embedded.lock import is_run, is_served, run_lock
from wavecrawl.adapters.embedded.page_memories import SqlitePageMemories
from wavecrawl.adapters.embedded.quiet_events import QuietEvents
from wavecrawl.adapters.embedded.robots_cache import SqliteRobotsCache
from wavecrawl.application.fail_crawl import FailPorts, fail_crawl
from wavecrawl.application.start_crawl import crawl_id_at, site_of, start_crawl
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.events import Events

if TYPE_CHECKING:
    from wavecrawl.adapters.embedded.api_keys import SqliteApiKeys
    from wavecrawl.adapters.embedded.deliveries import SqliteDeliveries
    from wavecrawl.adapters.embedded.erasure import LocalErasure
    from wavecrawl.adapters.embedded.hidden_pages import SqliteHiddenPages
    from wavecrawl.adapters.embedded.rate_limits import SqliteRateLimits
    from wavecrawl.adapters.embedded.repeats import SqliteRepeats
    from wavecrawl.adapters.embedded.tenants import SqliteTenants
    from wavecrawl.adapters.embedded.webhooks import SqliteWebhooks

LOCAL_TENANT = "local"
DATABASE = "wavecrawl.sqlite"


class LocalStore:
    """Everything stored in one data folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.database = Database(root / DATABASE)
        self.clock = SystemClock()
        self.crawls = SqliteCrawls(self.database)
        self.batches = SqliteBatches(self.database)
        self.waves = SqliteWaves(self.database)
        self.claims = SqliteClaims(self.database)
        self.memories = SqlitePageMemories(self.database)
        self.hosts = SqliteHostGate(self.database)
        self.robots = SqliteRobotsCache(self.database)
        self.event_log = SqliteEventLog(self.database)
        self.events: Events = QuietEvents(self.database, self._direct_events)
        self.objects = FolderObjects(root)
        self.archive = FolderArchive(root)

    # What a service or the results need besides is loaded when it is asked for: a crawl does without.

    @cached_property
    def tenants(self) -> "SqliteTenants":
        """The tenants."""
        from wavecrawl.adapters.embedded.tenants import SqliteTenants  # noqa: PLC0415 - see above

        return SqliteTenants(self.database)

    @cached_property
    def keys(self) -> "SqliteApiKeys":
        """Their keys."""
        from wavecrawl.adapters.embedded.api_keys import SqliteApiKeys  # noqa: PLC0415 - see above

        return SqliteApiKeys(self.database)

    @cached_property
    def rate_limits(self) -> "SqliteRateLimits":
        """How often keys were used of late."""
        from wavecrawl.adapters.embedded.rate_limits import SqliteRateLimits  # noqa: PLC0415 - see above

        return SqliteRateLimits(self.database)

    @cached_property
    def repeats(self) -> "SqliteRepeats":
        """What was answered to requests that may come again."""
        from wavecrawl.adapters.embedded.repeats import SqliteRepeats  # noqa: PLC0415 - see above

        return SqliteRepeats(self.database)

    @cached_property
    def hidden(self) -> "SqliteHiddenPages":
        """The pages that were deleted."""
        from wavecrawl.adapters.embedded.hidden_pages import SqliteHiddenPages  # noqa: PLC0415 - see above

        return SqliteHiddenPages(self.database)

    @cached_property
    def erasure(self) -> "LocalErasure":
        """What deletes crawls."""
        from wavecrawl.adapters.embedded.erasure import LocalErasure  # noqa: PLC0415 - see above

        return LocalErasure(self.database, self.root)

    @cached_property
    def webhooks(self) -> "SqliteWebhooks":
        """Who is told of what happens."""
        from wavecrawl.adapters.embedded.webhooks import SqliteWebhooks  # noqa: PLC0415 - see above

        return SqliteWebhooks(self.database)

    @cached_property
    def deliveries(self) -> "SqliteDeliveries":
        """What they are told."""
        from wavecrawl.adapters.embedded.deliveries import SqliteDeliveries  # noqa: PLC0415 - see above

        return SqliteDeliveries(self.database)

    @property
    def deliveries_queue(self) -> "SqliteDeliveries":
        """The deliveries, which are their own queue."""
        return self.deliveries

    def _direct_events(self) -> Events:
        from wavecrawl.application.deliveries import DirectEvents, NewDeliveryPorts  # noqa: PLC0415 - see above

        return DirectEvents(
            NewDeliveryPorts(
                webhooks=self.webhooks, deliveries=self.deliveries, queue=self.deliveries, clock=self.clock
            )
        )

    @property
    def fail_ports(self) -> FailPorts:
        """What failing a crawl needs."""
        return FailPorts(crawls=self.crawls, log=self.event_log, events=self.events, clock=self.clock)

    def pages_so_far(self, crawl: CrawlRow) -> int:
        """Return how many pages a crawl has fetched. Its snapshots may be what it failed of: they are not asked."""
        return self.waves.progress(crawl.id).fetched

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def folder(self, crawl: CrawlId) -> Path:
        """Return the folder of a crawl."""
        return crawl_folder(self.root, crawl)

    def exports(self, crawl: CrawlId) -> Path:
        """Return the folder of a crawl's results."""
        return self.folder(crawl) / "exports"

    def is_interrupted(self, crawl: CrawlRow) -> bool:
        """Tell whether a crawl that has not ended is run by nobody, nor waits for `wavecrawl serve` to take it up."""
        if crawl.status is not CrawlStatus.RUNNING or is_run(self.folder(crawl.id)) or is_served(self.root):
            return False
        now = self.crawls.read(crawl.id)  # it may have ended meanwhile: its status is final before its lock is free
        return now is not None and now.status is CrawlStatus.RUNNING

    def find(self, name: str | None) -> CrawlRow:
        """Return the crawl of that id, or the newest one; raise NotFoundError where there is none."""
        crawls = self.crawls.newest_first()
        for crawl in crawls:
            if name in (None, crawl.id.crawl):
                return crawl
        what = f"no crawl {name!r}" if name else "no crawl yet"
        known = f"; there are: {', '.join(crawl.id.crawl for crawl in crawls[:5])}" if crawls else ""
        raise NotFoundError(f"{what} in {self.root}{known}")

    def start(self, url: str, settings: CrawlSettings) -> CrawlRow:
        """Write down a new crawl. One of the same site that was left unfinished by a dead process gives way to it."""
        site = site_of(url, settings)
        for crawl in self.crawls.newest_first():
            if crawl.status is CrawlStatus.RUNNING and crawl.id.site == site:
                self._take_the_place_of(crawl)
        id_ = CrawlId(tenant=LOCAL_TENANT, site=site, crawl=crawl_id_at(self.clock.now(), secrets.token_hex(3)))
        return start_crawl(id_, url, settings, crawls=self.crawls, clock=self.clock)

    def _take_the_place_of(self, crawl: CrawlRow) -> None:
        lock = run_lock(self.folder(crawl.id))  # raises ConflictError where it is alive
        fail_crawl(
            crawl.id,
            self.fail_ports,
            error="superseded",
            pages=lambda: self.pages_so_far(crawl),
            status=CrawlStatus.CANCELLED,
        )
        lock.release()
