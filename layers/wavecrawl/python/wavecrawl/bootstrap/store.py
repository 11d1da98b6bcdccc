"""The ports over one data folder: each adapter is imported and built when it is first used."""

import secrets
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from sys import maxsize
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from wavecrawl.adapters.clock import SystemClock
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import crawl_folder
from wavecrawl.adapters.embedded.lock import is_run, is_served, run_lock
from wavecrawl.adapters.embedded.logged_events import LoggedEvents
from wavecrawl.adapters.embedded.quiet_events import QuietEvents
from wavecrawl.adapters.memory_files import MEDIA
from wavecrawl.application.crawls import resume_crawl
from wavecrawl.application.fail_crawl import fail_crawl
from wavecrawl.application.operator_controls import CurrentControls, require_allowed
from wavecrawl.application.start_crawl import crawl_id_at, site_of, start_crawl
from wavecrawl.bootstrap.lazy import LazyPackage
from wavecrawl.bootstrap.local_settings import DEFAULTS, LOCAL_TENANT, LocalSettings
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.errors import InvalidInputError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.events import Events
from wavecrawl.ports.meter import NoMeter
from wavecrawl.ports.parts import Table
from wavecrawl.ports.spending import NoSpending

if TYPE_CHECKING:
    from wavecrawl.adapters import embedded
    from wavecrawl.adapters.analytics.live_results import LiveResults
    from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
    from wavecrawl.adapters.analytics.results import DuckDbResults
    from wavecrawl.adapters.embedded import (  # noqa: F401 - modules of `embedded`
        api_keys,
        batches,
        claims,
        controls,
        crawls,
        credential_files,
        deliveries,
        downloads,
        erasure,
        event_log,
        exports,
        folder,
        hidden_pages,
        host_gate,
        launcher,
        live_measures,
        media_assets,
        memory_files,
        parts,
        rate_limits,
        repeats,
        robots_cache,
        schedules,
        screenshots,
        secret_file,
        sites,
        tenants,
        uploads,
        url_lists,
        webhooks,
    )
    from wavecrawl.adapters.embedded.index_jobs import IndexJobs
    from wavecrawl.adapters.pages.parser import BudgetedParser
    from wavecrawl.application.index_site import RemovedAtOnce
    from wavecrawl.ports.knowledge import KnowledgePorts
else:
    embedded = LazyPackage("wavecrawl.adapters.embedded")

DATABASE = "wavecrawl.sqlite"
SIGNING_KEY = "signing.key"
"""The file in the data folder with the key that signs cursors and downloads."""

_CAUSE = "failure.txt"
"""The file in the folder of a failed crawl with the cause, which may name paths."""

MOST_LIVE_BYTES = 2_000_000_000
"""Maximum size of the temporary files that queries of running crawls read, and of the parts that they are made of."""

Adapter = TypeVar("Adapter")


def _built(build: "Callable[[LocalStore], Adapter]") -> "cached_property[Adapter]":
    return cached_property(build)


class LocalStore:
    """`ports.all_ports.Ports` over a data folder, and `api.backend.Backend` for `wavecrawl serve`."""

    operator_keys: tuple[str, ...] = ()  # all keys are in the database

    def __init__(self, root: Path, settings: LocalSettings = DEFAULTS) -> None:
        self.root = root
        self.settings = settings
        self.database = Database(root / DATABASE)
        self.clock = SystemClock()
        self.meter = NoMeter()
        self.spending = NoSpending()

    crawls = _built(lambda store: embedded.crawls.SqliteCrawls(store.database))
    waves = _built(lambda store: embedded.batches.SqliteWaves(store.database))
    batches = _built(lambda store: embedded.batches.SqliteBatches(store.database))
    claims = _built(lambda store: embedded.claims.SqliteClaims(store.database))
    hosts = _built(lambda store: embedded.host_gate.SqliteHostGate(store.database))
    robots = _built(lambda store: embedded.robots_cache.SqliteRobotsCache(store.database))
    hidden = _built(lambda store: embedded.hidden_pages.SqliteHiddenPages(store.database))
    event_log = _built(lambda store: embedded.event_log.SqliteEventLog(store.database))
    sites = _built(lambda store: embedded.sites.SqliteSites(store.database))
    schedules = _built(lambda store: embedded.schedules.SqliteSchedules(store.database, store.clock))
    tenants = _built(lambda store: embedded.tenants.SqliteTenants(store.database))
    controls = _built(lambda store: embedded.controls.SqliteControls(store.database))
    current_controls = _built(lambda store: CurrentControls(store.controls, store.clock))
    keys = _built(lambda store: embedded.api_keys.SqliteApiKeys(store.database))
    rate_limits = _built(lambda store: embedded.rate_limits.SqliteRateLimits(store.database))
    repeats = _built(lambda store: embedded.repeats.SqliteRepeats(store.database))
    webhooks = _built(lambda store: embedded.webhooks.SqliteWebhooks(store.database))
    deliveries = _built(lambda store: embedded.deliveries.SqliteDeliveries(store.database))
    deliveries_queue = _built(lambda store: store.deliveries)  # the table of deliveries is their queue too
    credentials = _built(lambda store: embedded.credential_files.CredentialFiles(store.root))
    objects = _built(lambda store: embedded.folder.FolderObjects(store.root))
    archive = _built(lambda store: embedded.folder.FolderArchive(store.root))
    exports = _built(lambda store: embedded.exports.FolderExports(store.root, store.downloads))
    screenshots = _built(lambda store: embedded.screenshots.FolderScreenshots(store.root, lambda: store.downloads))
    media = _built(
        lambda store: embedded.media_assets.LocalMediaAssets(store.database, store.root, lambda: store.downloads)
    )
    url_lists = _built(
        lambda store: embedded.url_lists.LocalUrlLists(store.database, store.root, lambda: store.uploads)
    )
    parts = _built(lambda store: embedded.parts.FolderParts(store.root))
    erasure = _built(lambda store: embedded.erasure.LocalErasure(store.database, store.root))
    measures = _built(lambda _: embedded.live_measures.LiveMeasures())
    signing_key = _built(lambda store: embedded.secret_file.secret_file(store.root / SIGNING_KEY))

    @cached_property
    def memories(self) -> "ParquetPageMemories":
        """What sites remember of their pages."""
        from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories  # noqa: PLC0415 - as all adapters

        return ParquetPageMemories(
            embedded.memory_files.FolderMemoryFiles(self.root), lambda: Path(tempfile.gettempdir())
        )

    @cached_property
    def knowledge(self) -> "KnowledgePorts":
        """The knowledge index, with the embedder and the vector store that the environment names."""
        from wavecrawl.bootstrap.knowledge import knowledge_ports  # noqa: PLC0415 - as all adapters

        return knowledge_ports(self.root)

    @cached_property
    def index_removals(self) -> "RemovedAtOnce":
        """What removes texts from the knowledge index."""
        from wavecrawl.application.index_site import RemovedAtOnce  # noqa: PLC0415 - as all adapters

        return RemovedAtOnce(self.knowledge)

    @cached_property
    def media_memories(self) -> "ParquetPageMemories":
        """What sites remember of their media URLs."""
        from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories  # noqa: PLC0415 - as all adapters

        files = embedded.memory_files.FolderMemoryFiles(self.root, MEDIA)
        return ParquetPageMemories(files, lambda: Path(tempfile.gettempdir()), table=Table.MEDIA)

    @cached_property
    def events(self) -> Events:
        """The events of crawls, for webhooks."""
        return LoggedEvents(QuietEvents(self.database, self._direct_events))

    def _direct_events(self) -> Events:
        from wavecrawl.application.deliveries import DirectEvents  # noqa: PLC0415 - see above

        return DirectEvents(self)

    @cached_property
    def downloads(self) -> "embedded.downloads.Downloads":
        """The signed URLs that `wavecrawl serve` responds to."""
        return embedded.downloads.Downloads(
            self.root,
            signing_key=self.signing_key,
            clock=self.clock,
            base_url=self.settings.base_url,
            viewer=self.settings.viewer_url,
        )

    @cached_property
    def uploads(self) -> "embedded.uploads.Uploads":
        """The signed URLs to which files are uploaded."""
        return embedded.uploads.Uploads(
            self.root, signing_key=self.signing_key, clock=self.clock, base_url=self.settings.base_url
        )

    @cached_property
    def parser(self) -> "BudgetedParser":
        """The parser of stored pages."""
        from wavecrawl.adapters.pages.parser import BudgetedParser  # noqa: PLC0415 - few processes need it

        return BudgetedParser()

    @cached_property
    def results(self) -> "DuckDbResults":
        """Queries of results."""
        from wavecrawl.adapters.analytics.opened_exports import OpenedExports  # noqa: PLC0415 - loads DuckDB
        from wavecrawl.adapters.analytics.results import DuckDbResults  # noqa: PLC0415

        def paths_of(wanted: Sequence[tuple[CrawlId, str]]) -> list[Path | None]:
            return [self.result(crawl, name) for crawl, name in wanted]

        return DuckDbResults(OpenedExports(paths_of, self.hidden.of))

    @cached_property
    def live(self) -> "LiveResults":
        """Queries of parts, with a folder of their own until `close`."""
        from wavecrawl.adapters.analytics.live_results import LiveResults  # noqa: PLC0415 - loads DuckDB
        from wavecrawl.application.results_so_far import inputs_so_far  # noqa: PLC0415

        def files_of(crawl: CrawlId, tables: Sequence[Table], numbers: Sequence[int]) -> dict[Table, list[Path]]:
            return {table: self.parts.files(crawl, table, numbers) for table in tables}

        return LiveResults(
            self.parts.numbers,
            files_of,
            partial(inputs_so_far, ports=self),
            self.hidden.of,
            folder=Path(self._scratch.name),
            most_bytes=MOST_LIVE_BYTES,
            most_part_bytes=MOST_LIVE_BYTES,
        )

    @cached_property
    def _scratch(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="wavecrawl-so-far-")

    @cached_property
    def launcher(self) -> "embedded.launcher.LocalLauncher":
        """The processes of the crawls that `wavecrawl serve` runs."""
        from wavecrawl.bootstrap.crawl_process import command  # noqa: PLC0415 - imports this module

        settings = self.settings
        return embedded.launcher.LocalLauncher(
            command=lambda crawl: command(self.root, crawl, workers=settings.workers, wacz_mb=settings.wacz_mb),
            results_command=lambda crawl, files: command(
                self.root, crawl, workers=0, wacz_mb=settings.wacz_mb, files=files
            ),
            unfinished=lambda: [row.id for row in self.crawls.under_way()],
            admit=self._admit,
            give_up=self._give_up,
            most=settings.most_crawls,
            most_paused=settings.most_paused,
            on_measures=self.measures.add,
            on_end=self._on_end,
        )

    @cached_property
    def index_requests(self) -> "IndexJobs":
        """The processes in which `wavecrawl serve` indexes sites."""
        from wavecrawl.bootstrap.indexing import index_jobs  # noqa: PLC0415 - imports this module

        return index_jobs(self)

    def _on_end(self, crawl: CrawlId) -> None:
        from wavecrawl.bootstrap.indexing import request_if_due  # noqa: PLC0415 - imports this module

        request_if_due(crawl, self)

    def _admit(self, crawl: CrawlId) -> CrawlStatus | None:
        from wavecrawl.application.admission import running_limit  # noqa: PLC0415 - see above

        most = running_limit(crawl.tenant, tenants=self.tenants, operator=self.settings)
        status = self.crawls.admit(crawl, most=most, now=self.clock.now())
        row = self.crawls.read(crawl) if status is CrawlStatus.RUNNING else None
        if row is not None:
            self.crawls.launched(crawl, resumes=row.resumes)
        return status

    def _give_up(self, crawl: CrawlId, error: str) -> None:
        row = self.crawls.read(crawl)
        if row is not None:
            fail_crawl(crawl, self, error=error, pages=lambda: self.pages_so_far(row))

    def pages_so_far(self, crawl: CrawlRow) -> int:
        """Return how many pages a crawl has fetched. Reads no snapshots, as a crawl may have failed because of them."""
        return self.waves.progress(crawl.id).fetched

    def close(self) -> None:
        """Close the database, end child processes, and delete temporary files."""
        self.database.close()
        if "parser" in self.__dict__:
            self.parser.close()
        if "_scratch" in self.__dict__:
            self._scratch.cleanup()

    def folder(self, crawl: CrawlId) -> Path:
        """Return the folder of a crawl."""
        return crawl_folder(self.root, crawl)

    def results_folder(self, crawl: CrawlId) -> Path:
        """Return the folder of a crawl's results."""
        return self.folder(crawl) / "exports"

    def result(self, crawl: CrawlId, name: str) -> Path | None:
        """Return the path of a file of a crawl's results, None if it does not exist."""
        path = self.results_folder(crawl) / name
        return path if path.is_file() else None

    def result_names(self, crawl: CrawlId) -> frozenset[str]:
        """Return the names of the files of a crawl's results."""
        folder = self.results_folder(crawl)
        return frozenset(path.name for path in folder.iterdir()) if folder.is_dir() else frozenset()

    def keep_cause(self, crawl: CrawlId, cause: str) -> None:
        """Store why a crawl failed, for the operator of this machine; "" = forget it. Tenants get `CrawlRow.error`."""
        path = self.folder(crawl) / _CAUSE
        with suppress(OSError):  # the error that is being reported counts more
            if cause:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(cause, encoding="utf-8", errors="backslashreplace")
            else:
                path.unlink(missing_ok=True)

    def cause(self, crawl: CrawlRow) -> str:
        """Return why a crawl failed, for the operator of this machine; "" if it did not fail."""
        path = self.folder(crawl.id) / _CAUSE
        return path.read_text(encoding="utf-8") if crawl.error and path.is_file() else crawl.error

    def is_interrupted(self, crawl: CrawlRow) -> bool:
        """Return whether a crawl has not ended, but no process runs it and no `wavecrawl serve` will."""
        if crawl.status.has_ended or is_run(self.folder(crawl.id)) or is_served(self.root):
            return False
        now = self.crawls.read(crawl.id)  # it may have just ended: its status is final before its lock is released
        return now is not None and not now.status.has_ended

    def find(self, name: str | None) -> CrawlRow:
        """Return the crawl with this id, or with an id that begins so; without a name the newest one.

        Raise NotFoundError if there is none, InvalidInputError if several ids begin so.
        """
        crawls = self.crawls.newest_first()
        found = [one for one in crawls if name == one.id.crawl]
        found = found or [one for one in crawls if one.id.crawl.startswith(name or "")]
        if len(found) == 1 or (found and name is None):
            return found[0]
        if found:
            ids = ", ".join(one.id.crawl for one in found[:5])
            raise InvalidInputError(f"{len(found)} crawls begin with {name!r} in {self.root}: {ids}; name more of it")
        what = f"no crawl {name!r}" if name else "no crawl yet"
        known = f"; there are: {', '.join(crawl.id.crawl for crawl in crawls[:5])}" if crawls else ""
        raise NotFoundError(f"{what} in {self.root}{known}")

    def known_site(self, name: str | None) -> str:
        """Return the id of a site that this machine's own tenant has crawled, by default that of its newest crawl.

        `name`: id, URL or host, with its port if it has one. Raise NotFoundError if there is none.
        """
        own = [crawl for crawl in self.crawls.newest_first() if crawl.id.tenant == LOCAL_TENANT]
        for crawl in own:
            if name in (None, crawl.id.site, *_names(crawl.start_url), *_names(crawl.root_url or crawl.start_url)):
                return crawl.id.site
        known = f"; there are: {', '.join(list(dict.fromkeys(crawl.start_url for crawl in own))[:5])}" if own else ""
        raise NotFoundError(
            f"no crawl of site {name!r} in {self.root}{known}" if name else f"no crawl yet in {self.root}"
        )

    def on_sent(self, count: int) -> None:
        """Ignore bytes that left this machine: nothing is billed."""

    def start(self, url: str, settings: CrawlSettings, *, trigger: Trigger = Trigger.COMMAND_LINE) -> CrawlRow:
        """Create a crawl. An unfinished crawl of the same site, whose process is dead, is cancelled."""
        require_allowed(url, self.controls.read())
        site = site_of(url, settings)
        for crawl in self.crawls.newest_first():
            if not crawl.status.has_ended and crawl.id.owned_site == (LOCAL_TENANT, site):
                self._take_the_place_of(crawl)
        now = self.clock.now()
        name = f"{int(now % 1 * 16**4):04x}{secrets.token_hex(3)}"  # so that crawls of the same second sort by time too
        id_ = CrawlId(tenant=LOCAL_TENANT, site=site, crawl=crawl_id_at(now, name))
        if settings.url_list:
            self._give_list(id_, settings.url_list)
        return start_crawl(
            id_,
            url,
            settings,
            crawls=self.crawls,
            objects=self.objects,
            clock=self.clock,
            authenticated=self.credentials.read(LOCAL_TENANT, site) is not None,
            triggered_by=trigger,
        )

    def _give_list(self, crawl: CrawlId, list_: str) -> None:
        from wavecrawl.application.tenants import tenant_of  # noqa: PLC0415 - few crawls need it
        from wavecrawl.application.uploaded_lists import give_list  # noqa: PLC0415 - the same

        own = tenant_of(LOCAL_TENANT, tenants=self.tenants, own=LOCAL_TENANT)
        give_list(crawl, list_, tenant=own, lists=self.url_lists, now=self.clock.now())

    def resume(self, crawl: CrawlRow) -> CrawlRow:
        """Return an unfinished crawl, or a failed or cancelled one that was resumed, to be run by this process."""
        if crawl.status.has_ended:
            resume_crawl(crawl.id, self.crawls)
        self.crawls.admit(crawl.id, most=maxsize, now=self.clock.now())
        row = self.crawls.read(crawl.id) or crawl
        self.crawls.launched(crawl.id, resumes=row.resumes)
        return row

    def _take_the_place_of(self, crawl: CrawlRow) -> None:
        lock = run_lock(self.folder(crawl.id))  # raises ConflictError if its process is alive
        fail_crawl(
            crawl.id,
            self,
            error="superseded",
            pages=lambda: self.pages_so_far(crawl),
            status=CrawlStatus.CANCELLED,
        )
        lock.release()


def _names(url: str) -> tuple[str, ...]:
    """Return what people call the site of a URL: the URL with and without its last slash, and its host."""
    return url, url.rstrip("/"), urlsplit(url).netloc
