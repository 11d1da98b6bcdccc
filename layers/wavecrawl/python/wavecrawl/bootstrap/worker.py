"""The wiring of a worker process. Every worker imports this module, so its imports are few."""

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import structs

from wavecrawl.adapters.embedded.lock import workers_lock
from wavecrawl.adapters.embedded.service_log import has_service_log, write_service_log
from wavecrawl.adapters.embedded.worker import Reporter, Work
from wavecrawl.adapters.pages.parser import BudgetedParser
from wavecrawl.application.check_batch import check_batch
from wavecrawl.application.fetch_batch import fetch_batch
from wavecrawl.application.resource_batch import resource_batch
from wavecrawl.application.site_authentication import authentication_of
from wavecrawl.application.worker_ports import WorkerPorts, worker_ports
from wavecrawl.bootstrap.http_clients import crawl_client
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, CrawlId
from wavecrawl.domain.crawl.measures import Measures, measures_of, time_of
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.url_log import MESSAGE, is_logged, url_fields
from wavecrawl.domain.urls.url import host_of
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.browser import Browser
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_parser import PageParser
from wavecrawl.ports.signals import Signals

if TYPE_CHECKING:
    from wavecrawl.application.render_page import PageRenderer


def build_worker(reporter: Reporter, owner: str, root: str, crawl_id: CrawlId) -> Work:
    """Return the work of one worker process. Called inside it, while the crawl may still be opening."""
    store = LocalStore(Path(root))
    workers_lock(store.folder(crawl_id)).share()

    lock = Lock()
    built: list[LocalWorker] = []

    def work(job: BatchJob) -> bool:
        with lock:  # built with the first batch, when the root is settled
            if not built:
                built.append(LocalWorker(store, crawl_id, reporter, owner=owner))
        return built[0].run(job)

    return work


class LocalWorker:
    """The work of one process for a crawl whose root is settled."""

    def __init__(self, store: LocalStore, crawl_id: CrawlId, reporter: Reporter, *, owner: str) -> None:
        self._store = store
        self._crawl_id = crawl_id
        self._reporter = reporter
        self._lock = Lock()
        self._parser = BudgetedParser()
        reporter.at_end(self._parser.close)
        self._ports = local_worker_ports(
            store,
            crawl_id,
            signals=reporter,
            owner=owner,
            watch=reporter.watch,
            watch_rendered=reporter.watch_rendered,
            watch_media=reporter.watch_media,
            watch_check=reporter.watch_check,
            parser=self._parser,
        )

    def run(self, job: BatchJob) -> bool:
        """Process a batch."""
        waited = max(0.0, self._store.clock.now() - job.starts_at) if job.starts_at else 0.0
        self._reporter.measure(job.host, Measures(waiting=time_of(waited)))
        ports = structs.replace(
            self._ports,
            measure=partial(self._measure, job),
            on_takeover=lambda: self._reporter.measure(job.host, Measures(takeovers=1)),
        )
        if job.kind is BatchKind.FETCH:
            return fetch_batch(job, ports)
        if job.kind is BatchKind.CHECK:
            return check_batch(job, ports)
        if job.kind is BatchKind.RESOURCE:
            return resource_batch(job, ports)
        with self._lock:  # the modules of rendering and media are imported with their first batch
            run = self._rendering if job.kind is BatchKind.RENDER else self._media
        return run(job, ports)

    def _measure(self, job: BatchJob, record: PageRecord, processing: float) -> None:
        host = host_of(record.url) if job.parts else job.host
        self._reporter.measure(host, measures_of(record, job.kind, processing=processing))
        if has_service_log() and is_logged(record.key, self._ports.settings.log_urls):
            write_service_log(MESSAGE, url_fields(record, job.id, processing=processing))

    @cached_property
    def _rendering(self) -> Callable[[BatchJob, WorkerPorts], bool]:
        from wavecrawl.application.render_batch import render_batch  # noqa: PLC0415 - see above
        from wavecrawl.bootstrap.browsers import LazyBrowser  # noqa: PLC0415 - the same

        authentication = authentication_of(_settled(self._store, self._crawl_id), self._store.credentials)
        browser = LazyBrowser(self._ports.settings, authentication, self._store.current_controls.denies)
        self._reporter.at_end(browser.close)
        renderer = local_renderer(self._store, self._crawl_id, browser, self._parser)
        return lambda job, ports: render_batch(job, ports, renderer)

    @cached_property
    def _media(self) -> Callable[[BatchJob, WorkerPorts], bool]:
        from wavecrawl.application.process_media import media_fetcher, process_media  # noqa: PLC0415 - see above
        from wavecrawl.bootstrap.media import media_processor  # noqa: PLC0415 - the same

        crawl = _settled(self._store, self._crawl_id)
        processor = media_processor(crawl.settings.media)
        self._reporter.at_end(processor.close)
        client = crawl_client(crawl, self._store)
        fetcher = media_fetcher(crawl, self._store, client, assets=self._store.media, processor=processor)
        return lambda job, ports: process_media(job, ports, fetcher)


def local_worker_ports(
    store: LocalStore,
    crawl_id: CrawlId,
    *,
    signals: Signals,
    owner: str,
    watch: Callable[[PageRecord], None],
    watch_rendered: Callable[[PageRecord], None] = lambda _: None,
    watch_media: Callable[[PageRecord], None] = lambda _: None,
    watch_check: Callable[[PageRecord], None] = lambda _: None,
    parser: PageParser | None = None,
) -> WorkerPorts:
    """Return what `fetch_batch` needs for a crawl whose root is settled."""
    crawl = _settled(store, crawl_id)
    client = crawl_client(crawl, store)
    return worker_ports(
        crawl,
        store,
        client,
        signals=signals,
        owner=owner,
        watch=watch,
        watch_rendered=watch_rendered,
        watch_media=watch_media,
        watch_check=watch_check,
        parser=parser,
    )


def local_renderer(
    store: LocalStore, crawl_id: CrawlId, browser: Browser, parser: PageParser | None = None
) -> "PageRenderer":
    """Return what `render_batch` needs for a crawl whose root is settled."""
    from wavecrawl.application.render_page import page_renderer  # noqa: PLC0415 - only crawls that render need it

    return page_renderer(_settled(store, crawl_id), store, browser, parser)


def _settled(store: LocalStore, crawl_id: CrawlId) -> CrawlRow:
    crawl = store.crawls.read(crawl_id)
    if crawl is None:
        raise CorruptDataError(f"crawl {crawl_id} is not in {store.root}")
    return crawl
