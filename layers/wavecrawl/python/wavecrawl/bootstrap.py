"""The composition root: settings in, adapters chosen, use cases wired. Nothing else knows which adapter it talks to."""

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from wavecrawl import __version__
from wavecrawl.adapters.analytics.build import DuckDbAnalytics
from wavecrawl.adapters.embedded.clock import SystemClock
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import FolderArchive, FolderObjects, crawl_folder
from wavecrawl.adapters.embedded.local_crawl import LocalSteps
from wavecrawl.adapters.embedded.lock import await_no_workers, run_lock, workers_lock
from wavecrawl.adapters.embedded.pool import WorkerPool
from wavecrawl.adapters.embedded.rows import (
    SqliteCrawls,
    SqliteHostGate,
    SqlitePageMemories,
    SqliteRobotsCache,
)
from wavecrawl.adapters.embedded.state_machine import Progress, run_state_machine
from wavecrawl.adapters.embedded.work import SqliteBatches, SqliteClaims, SqliteWaves
from wavecrawl.adapters.embedded.worker import Reporter, Tally, Work
from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.application.dispatch import Dispatcher
from wavecrawl.application.fetch_batch import BatchWorkshop, fetch_batch
from wavecrawl.application.fetch_page import PageFetcher
from wavecrawl.application.finish_crawl import FinishPorts, finish_crawl
from wavecrawl.application.open_crawl import open_crawl
from wavecrawl.application.read_sitemaps import SitemapReader
from wavecrawl.application.run_wave import Planner, PlannerPorts
from wavecrawl.application.site_rules import SiteRules, site_rules
from wavecrawl.application.start_crawl import start_crawl
from wavecrawl.application.throttle import Throttle
from wavecrawl.domain.job import CrawlId
from wavecrawl.domain.record import Reason
from wavecrawl.domain.settings import CrawlSettings
from wavecrawl.domain.url import Identity
from wavecrawl.errors import CorruptDataError, NotFoundError, WavecrawlError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow, CrawlStatus

LOCAL_TENANT = "local"
DATABASE = "wavecrawl.sqlite"
THREADS_MOST = 64  # connections a page client keeps


@dataclass(frozen=True, slots=True, kw_only=True)
class Watchers:
    """Who is told how a crawl goes on."""

    on_progress: Callable[[Progress], None]
    on_tally: Callable[[Tally], None]
    poll: Callable[[], None]


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
        self.objects = FolderObjects(root)
        self.archive = FolderArchive(root)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def folder(self, crawl: CrawlId) -> Path:
        """Return the folder of a crawl."""
        return crawl_folder(self.root, crawl)

    def exports(self, crawl: CrawlId) -> Path:
        """Return the folder of a crawl's results."""
        return self.folder(crawl) / "exports"

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
        root = Identity(tracking_parameters=settings.tracking_parameters).page_url(url)
        digest = blake2b(root.key.encode(), digest_size=4).hexdigest()
        site = f"{root.host.strip('[]').replace(':', '_')}-{digest}"
        for crawl in self.crawls.newest_first():
            if crawl.status is CrawlStatus.RUNNING and crawl.id.site == site:
                self._take_the_place_of(crawl)
        stamp = datetime.now(tz=UTC).strftime("%Y%m%d-%H%M%S")
        id_ = CrawlId(tenant=LOCAL_TENANT, site=site, crawl=f"{stamp}-{secrets.token_hex(3)}")
        return start_crawl(id_, url, settings, crawls=self.crawls, clock=self.clock)

    def _take_the_place_of(self, crawl: CrawlRow) -> None:
        lock = run_lock(self.folder(crawl.id))  # raises ConflictError where it is alive
        self.crawls.finish(crawl.id, status=CrawlStatus.CANCELLED, now=self.clock.now(), error="superseded")
        lock.release()


def user_agent(settings: CrawlSettings) -> str:
    """Return the User-Agent: product, version, and whom to ask (design 8)."""
    product = f"wavecrawl/{__version__}"
    return f"{product} (+{settings.contact})" if settings.contact else product


def page_client(settings: CrawlSettings) -> RequestsPageClient:
    """Build the page client of one process."""
    return RequestsPageClient(
        user_agent=user_agent(settings), allowed=settings.allowed_addresses, pool_size=THREADS_MOST
    )


def run_local_crawl(store: LocalStore, crawl: CrawlRow, *, workers: int, watchers: Watchers) -> CrawlSummary:
    """Run a crawl to its end, from wherever it stands, and return what it found.

    Raise ConflictError where another process runs it. A crawl that fails for good is marked so; one that is
    interrupted stays as it is, and can be resumed.
    """
    folder = store.folder(crawl.id)
    lock = run_lock(folder)
    try:
        await_no_workers(folder)
        store.batches.release(crawl.id)
        return _run(store, crawl, workers, watchers)
    except WavecrawlError as error:
        store.crawls.finish(crawl.id, status=CrawlStatus.FAILED, now=store.clock.now(), error=str(error))
        raise
    finally:
        lock.release()


def _run(store: LocalStore, crawl: CrawlRow, workers: int, watchers: Watchers) -> CrawlSummary:
    client = page_client(crawl.settings)
    try:
        crawl = open_crawl(crawl, crawls=store.crawls, client=client, cache=store.robots, clock=store.clock)
        rules = site_rules(crawl, client=client, cache=store.robots, clock=store.clock)
        stopped = _crawl_pages(store, crawl, rules, client, workers, watchers)
    finally:
        client.close()
    return finish_local_crawl(store, crawl, stopped)


def finish_local_crawl(store: LocalStore, crawl: CrawlRow, stopped: Reason) -> CrawlSummary:
    """Derive the results of a crawl from its records, and mark it finished."""
    ports = FinishPorts(
        crawls=store.crawls,
        batches=store.batches,
        archive=store.archive,
        objects=store.objects,
        memories=store.memories,
        analytics=DuckDbAnalytics(),
        clock=store.clock,
    )
    return finish_crawl(crawl, ports, stopped=stopped, folder=store.exports(crawl.id), version=__version__)


def _crawl_pages(
    store: LocalStore,
    crawl: CrawlRow,
    rules: SiteRules,
    client: RequestsPageClient,
    workers: int,
    watchers: Watchers,
) -> Reason:
    pool = WorkerPool(
        workers,
        build_worker,
        (str(store.root), crawl.id),
        name=f"{crawl.id.crawl}-{os.getpid()}",
        on_tally=watchers.on_tally,
        on_death=lambda owner: store.batches.release(crawl.id, owner=owner),
    )
    try:
        dispatcher = Dispatcher(
            batches=store.batches,
            waves=store.waves,
            hosts=store.hosts,
            queue=pool,
            signals=pool,
            clock=store.clock,
        )
        ports = PlannerPorts(
            batches=store.batches,
            archive=store.archive,
            objects=store.objects,
            memories=store.memories,
            hosts=store.hosts,
            clock=store.clock,
            dispatcher=dispatcher,
        )
        steps = LocalSteps(
            crawl=crawl,
            crawls=store.crawls,
            planner=Planner(crawl, rules, ports),
            sitemaps=SitemapReader(
                crawl.id, rules, client=client, objects=store.objects, hosts=store.hosts, clock=store.clock
            ),
            pool=pool,
            poll=watchers.poll,
        )
        return run_state_machine(steps, watchers.on_progress)
    finally:
        pool.close()


def build_worker(reporter: Reporter, owner: str, root: str, crawl_id: CrawlId) -> Work:
    """Wire what one worker process needs; runs inside it."""
    store = LocalStore(Path(root))
    workers_lock(store.folder(crawl_id)).share()
    crawl = store.crawls.read(crawl_id)
    if crawl is None:
        raise CorruptDataError(f"crawl {crawl_id} is not in {root}")
    client = page_client(crawl.settings)
    rules = site_rules(crawl, client=client, cache=store.robots, clock=store.clock)
    shop = BatchWorkshop(
        batches=store.batches,
        waves=store.waves,
        claims=store.claims,
        memories=store.memories,
        archive=store.archive,
        signals=reporter,
        clock=store.clock,
        throttle=Throttle(store.clock),
        pages=PageFetcher(
            client=client, links=rules.links, robots=rules.robots, archive=store.archive, settings=crawl.settings
        ),
        settings=crawl.settings,
        owner=owner,
        watch=reporter.watch,
    )
    return lambda job: fetch_batch(job, shop)
