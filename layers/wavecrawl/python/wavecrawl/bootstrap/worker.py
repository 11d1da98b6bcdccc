"""The wiring of a worker process. Every worker imports this module, so its imports are few."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from wavecrawl.adapters.embedded.lock import workers_lock
from wavecrawl.adapters.embedded.worker import Reporter, Work
from wavecrawl.application.fetch_batch import fetch_batch
from wavecrawl.application.worker_ports import WorkerPorts, worker_ports
from wavecrawl.bootstrap.http_clients import page_client
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import BatchJob, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.signals import Signals


def build_worker(reporter: Reporter, owner: str, root: str, crawl_id: CrawlId) -> Work:
    """Return the work of one worker process. Called inside it, while the crawl may still be opening."""
    store = LocalStore(Path(root))
    workers_lock(store.folder(crawl_id)).share()

    lock = Lock()
    built: list[WorkerPorts] = []

    def work(job: BatchJob) -> bool:
        with lock:  # built with the first batch, when the root is settled
            if not built:
                built.append(local_worker_ports(store, crawl_id, signals=reporter, owner=owner, watch=reporter.watch))
        return fetch_batch(job, built[0])

    return work


def local_worker_ports(
    store: LocalStore, crawl_id: CrawlId, *, signals: Signals, owner: str, watch: Callable[[PageRecord], None]
) -> WorkerPorts:
    """Return what `fetch_batch` needs for a crawl whose root is settled."""
    crawl = store.crawls.read(crawl_id)
    if crawl is None:
        raise CorruptDataError(f"crawl {crawl_id} is not in {store.root}")
    client = page_client(crawl.settings)
    return worker_ports(crawl, store, client, signals=signals, owner=owner, watch=watch)
