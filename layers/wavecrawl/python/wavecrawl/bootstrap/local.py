"""Running a crawl on one machine."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from wavecrawl.adapters.embedded.folds import FoldProcess
from wavecrawl.adapters.embedded.local_crawl import LocalSteps, Pool, Waits, open_patiently
from wavecrawl.adapters.embedded.lock import PATIENCE, FolderLock, await_no_workers, run_lock
from wavecrawl.adapters.embedded.pool import WorkerPool
from wavecrawl.adapters.embedded.reading_ahead import ReadingAhead
from wavecrawl.adapters.embedded.service_log import has_service_log, write_service_log
from wavecrawl.adapters.embedded.state_machine import Progress, run_state_machine
from wavecrawl.adapters.embedded.worker import Tally
from wavecrawl.adapters.unwritable import unwritable_reported
from wavecrawl.application.crawl_events import Announcer, publish_ending
from wavecrawl.application.earlier_sitemaps import EarlierSitemaps
from wavecrawl.application.fail_crawl import fail_crawl
from wavecrawl.application.finish_crawl import Building, finish_crawl
from wavecrawl.application.fold_wave import fold_ports
from wavecrawl.application.make_files import make_files
from wavecrawl.application.open_crawl import open_crawl
from wavecrawl.application.planner_ports import planner_ports
from wavecrawl.application.read_sitemaps import SitemapReader
from wavecrawl.application.run_batch import lease_of
from wavecrawl.application.run_wave import Planner
from wavecrawl.application.shown_errors import shown_error
from wavecrawl.application.site_rules import SiteRules, site_rules
from wavecrawl.application.sitemap_requests import NoteWait, wait_notes
from wavecrawl.application.stop_signal import StopSignal
from wavecrawl.application.wacz_package import MOST_MB, Packing
from wavecrawl.bootstrap.browsers import renders
from wavecrawl.bootstrap.fold_process import command as fold_command
from wavecrawl.bootstrap.http_clients import crawl_client, import_page_client
from wavecrawl.bootstrap.latest import link_latest
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.bootstrap.worker import build_worker
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.result_files import ResultFile, missing_files
from wavecrawl.domain.crawl.url_log import MESSAGE
from wavecrawl.domain.politeness.waits import Wait
from wavecrawl.errors import PermanentError, RootFailedError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.knowledge import CHUNKS
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.parts import Folds, NoFolds

PART_SECONDS = 10.0
"""Seconds after which a part of the results ends. In AWS, where each part is billed, they are `waves.part_seconds`."""


class Watchers(msgspec.Struct, frozen=True, kw_only=True):
    """Callbacks for the progress of a crawl."""

    on_progress: Callable[[Progress], None]
    on_tally: Callable[[Tally], None]
    poll: Callable[[], None]
    on_wait: Callable[[str], None] = lambda _: None  # called with the reason why the crawl does not start yet
    on_pause: Callable[[bool], None] = lambda _: None  # called with whether the crawl is paused
    on_sitemap_wait: NoteWait = lambda _: None  # called with the reason why no sitemap is read yet, by any thread


def default_workers() -> int:
    """Return one worker process per core, but at least two."""
    return max(2, len(os.sched_getaffinity(0)))


def run_local_crawl(
    store: LocalStore,
    crawl: CrawlRow,
    *,
    workers: int,
    watchers: Watchers,
    results: bool = True,
    wacz_mb: int = MOST_MB,
    patience: float = 0.0,
) -> tuple[CrawlRow, CrawlSummary | None]:
    """Crawl to the end, from wherever the crawl stands, and finish it as `finish_local_crawl` does.

    Return the crawl with its root settled, and the summary of its results. No other process can run it meanwhile. Raise
    ConflictError if another process still runs it after `patience` seconds. A crawl that fails for good is marked
    failed; one that is interrupted, or meets a TransientError, stays as it is and can be resumed.
    """
    with unwritable_reported(store.folder(crawl.id)), _alone(store, crawl, patience) as lock:
        with FoldProcess(lambda: fold_command(store.root, crawl.id)) if results else nullcontext(NoFolds()) as folds:
            crawl = _run_alone(store, crawl, workers=workers, watchers=watchers, folds=folds, on_fork=lock.release)
        try:
            return crawl, finish_local_crawl(store, crawl, results=results, wacz_mb=wacz_mb)
        except RootFailedError as error:
            _fail(store, crawl, error)
            raise


@contextmanager
def _alone(store: LocalStore, crawl: CrawlRow, patience: float) -> Iterator[FolderLock]:
    """Hold the lock of a crawl; raise ConflictError if another process still has it after `patience` seconds."""
    folder = store.folder(crawl.id)
    lock = run_lock(folder, patience=patience)
    try:
        await_no_workers(folder)
        store.keep_cause(crawl.id, "")  # of an earlier run
        yield lock
    finally:
        lock.release()


def _run_alone(
    store: LocalStore,
    crawl: CrawlRow,
    *,
    workers: int,
    watchers: Watchers,
    folds: Folds,
    on_fork: Callable[[], None],
) -> CrawlRow:
    """Crawl with the lock held; mark the crawl failed if a permanent error occurs."""
    try:
        can_render = renders(crawl.settings)
        if crawl.settings.media.include:
            require_media()
        store.batches.release(crawl.id)
        store.database.rest()
        import_page_client()  # once for all workers
        pool = WorkerPool(
            workers,
            build_worker,
            (str(store.root), crawl.id),
            name=f"{crawl.id.crawl}-{os.getpid()}",
            lease_of=lambda kind: max(lease_of(kind, crawl.settings), 2 * crawl.settings.limits.timeout),
            max_attempts=crawl.settings.waves.max_attempts,
            on_tally=watchers.on_tally,
            on_death=lambda owner: store.batches.release(crawl.id, owner=owner),
            on_fork=on_fork,
        )
        return crawl_with(pool, store, crawl, watchers, folds, renders=can_render)
    except PermanentError as error:
        _fail(store, crawl, error)
        raise


def require_media() -> None:
    """Raise InvalidInputError if media cannot be processed."""
    from wavecrawl.bootstrap import media  # noqa: PLC0415 - few crawls store media

    media.require_media()


def _fail(store: LocalStore, crawl: CrawlRow, error: PermanentError) -> None:
    store.keep_cause(crawl.id, str(error))
    fail_crawl(crawl.id, store, error=shown_error(error), pages=lambda: store.pages_so_far(crawl))


def finish_local_crawl(
    store: LocalStore, crawl: CrawlRow, *, results: bool = True, rebuild: bool = False, wacz_mb: int = MOST_MB
) -> CrawlSummary | None:
    """Build the results of a crawl, and mark it finished; without `results`, only mark it.

    `rebuild`: whether its parts are made again from the page records. `wacz_mb`: largest crawl.wacz, in MB; 0 = none is
    made.
    """
    if results:
        summary = _finish_with_results(store, crawl, rebuild=rebuild, wacz_mb=wacz_mb)
    else:
        summary = finish_crawl(crawl, store, None)
    if summary is not None:
        link_latest(store)
    over = store.crawls.read(crawl.id) or crawl
    publish_ending(over, log=store.event_log, events=store.events, pages=lambda: store.pages_so_far(crawl))
    return summary


def _finish_with_results(store: LocalStore, crawl: CrawlRow, *, rebuild: bool, wacz_mb: int) -> CrawlSummary | None:
    from wavecrawl.adapters.analytics.database import one_instance  # noqa: PLC0415 - loaded when it is needed

    with _scratch_of(store, crawl) as scratch, one_instance(scratch / "spill"):
        building = _building(store, crawl, scratch, rebuild=rebuild, wacz_mb=wacz_mb)
        with _kept(store.results_folder(crawl.id) / CHUNKS, scratch):
            return finish_crawl(crawl, store, building)


def make_local_files(
    store: LocalStore, crawl: CrawlRow, wanted: Collection[ResultFile], *, wacz_mb: int = MOST_MB
) -> Sequence[Notice]:
    """Make result files of an ended crawl, as far as they are missing; return a notice for each that cannot be made.

    A process that asks for files of the crawl meanwhile waits. Raise ConflictError if it waited for `PATIENCE` seconds.
    """
    if not missing_files(store.result_names(crawl.id)).intersection(wanted):
        return ()
    lock = run_lock(store.folder(crawl.id), patience=PATIENCE)
    try:
        now = store.crawls.read(crawl.id)
        if now is None or not now.status.has_ended:  # it was deleted or resumed meanwhile
            return ()
        with _scratch_of(store, crawl) as scratch:
            return make_files(now, store, _building(store, crawl, scratch, wacz_mb=wacz_mb), wanted)
    finally:
        lock.release()


@contextmanager
def _scratch_of(store: LocalStore, crawl: CrawlRow) -> Iterator[Path]:
    """Create a folder for temporary files in that of a crawl."""
    folder = store.folder(crawl.id)
    with unwritable_reported(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with unwritable_reported(folder), TemporaryDirectory(prefix="parts-", dir=folder) as scratch:
        yield Path(scratch)


def _building(
    store: LocalStore, crawl: CrawlRow, scratch: Path, *, rebuild: bool = False, wacz_mb: int = MOST_MB
) -> Building:
    from wavecrawl.adapters.analytics.build import DuckDbAnalytics  # noqa: PLC0415 - loaded when it is needed
    from wavecrawl.adapters.analytics.part_writer import DuckDbPartWriter  # noqa: PLC0415 - the same
    from wavecrawl.adapters.wacz.packer import WaczPacker  # noqa: PLC0415 - the same

    return Building(
        analytics=DuckDbAnalytics(must_fit=True),
        folding=fold_ports(store, DuckDbPartWriter(), scratch=scratch),
        folder=store.results_folder(crawl.id),
        packing=Packing(
            packer=WaczPacker(store.archive, store.screenshots, store.media), most_bytes=wacz_mb * 1_000_000
        ),
        existing=lambda: store.result_names(crawl.id),
        rebuild=rebuild,
        fetch=lambda earlier, name, _: store.result(earlier, name),
    )


@contextmanager
def _kept(export: Path, folder: Path) -> Iterator[None]:
    """Keep an export that is not made from the parts of a crawl while its results are replaced."""
    copy = folder / export.name
    if export.is_file():
        copy.hardlink_to(export)
    yield
    if copy.is_file() and not export.exists():
        copy.replace(export)


def crawl_with(
    pool: Pool,
    store: LocalStore,
    crawl: CrawlRow,
    watchers: Watchers,
    folds: Folds | None = None,
    *,
    renders: bool = False,
) -> CrawlRow:
    """Crawl to the end with these workers, then close them; return the crawl with its root settled.

    `renders`: whether the workers have a browser.
    """
    client = crawl_client(crawl, store)
    stop = StopSignal(crawl, store.crawls, store.waves, store.clock)
    waits = Waits(
        crawl=crawl.id,
        crawls=store.crawls,
        clock=store.clock,
        stop=stop,
        poll=watchers.poll,
        on_pause=watchers.on_pause,
        all_stopped=lambda: store.current_controls.now().stopped,
    )
    try:
        crawl = open_patiently(lambda: _open(store, crawl, client), waits, watchers.on_wait)
        rules = site_rules(crawl, client=client, cache=store.robots, clock=store.clock)
        archive = ReadingAhead(store.root, batches=store.batches, waves=store.waves)
        ports = planner_ports(
            store,
            queue=pool,
            signals=pool,
            folds=folds or NoFolds(),
            part_seconds=PART_SECONDS,
            archive=archive,
            renders=renders,
            log_url=partial(write_service_log, MESSAGE) if has_service_log() else None,
        )
        planner = Planner(crawl, rules, ports)

        def poll() -> None:
            archive.read_on(crawl.id, planner.state.wave)
            watchers.poll()

        steps = LocalSteps(
            crawl=crawl,
            planner=planner,
            sitemaps=_sitemap_reader(store, crawl, rules, client, watchers.on_sitemap_wait),
            pool=pool,
            waits=waits,
            poll=poll,
        )
        run_state_machine(steps, watchers.on_progress)
    finally:
        client.close()
        pool.close()
    return crawl


def _open(store: LocalStore, crawl: CrawlRow, client: PageClient) -> CrawlRow:
    return open_crawl(
        store.crawls.read(crawl.id) or crawl,  # it may have been cancelled
        crawls=store.crawls,
        client=client,
        cache=store.robots,
        clock=store.clock,
        announcer=Announcer(log=store.event_log, events=store.events),
    )


def _sitemap_reader(
    store: LocalStore, crawl: CrawlRow, rules: SiteRules, client: PageClient, on_wait: NoteWait
) -> SitemapReader:
    store_wait = wait_notes(crawl.id, store.waves, store.objects)

    def note_wait(wait: Wait) -> None:
        store_wait(wait)
        on_wait(wait)

    return SitemapReader(
        crawl.id,
        rules,
        client=client,
        objects=store.objects,
        hosts=store.hosts,
        clock=store.clock,
        earlier=EarlierSitemaps(crawl.id, store.crawls, store.objects),
        note_wait=note_wait,
    )
