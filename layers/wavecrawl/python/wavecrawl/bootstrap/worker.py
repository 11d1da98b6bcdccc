"""What a worker process is made of. Imported by every worker, so it stays light."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from wavecrawl.adapters.embedded.lock import workers_lock
from wavecrawl.adapters.embedded.worker import Reporter, Work
from wavecrawl.application.fetch_batch import BatchWorkshop, batch_workshop, fetch_batch
from wavecrawl.bootstrap.http_clients import page_client
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import BatchJob, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.signals import Signals


def build_worker(reporter: Reporter, owner: str, root: str, crawl_id: CrawlId) -> Work:
    """Wire what one worker process needs; runs inside it, while the crawl is still being opened."""
    store = LocalStore(Path(root))
    workers_lock(store.folder(crawl_id)).share()

    lock = Lock()
    built: list[BatchWorkshop] = []

    def work(job: BatchJob) -> bool:
        with lock:  # wired with the first batch: by then the root is settled
            if not built:
                built.append(workshop(store, crawl_id, signals=reporter, owner=owner, watch=reporter.watch))
        return fetch_batch(job, built[0])

    return work


def workshop(
    store: LocalStore, crawl_id: CrawlId, *, signals: Signals, owner: str, watch: Callable[[PageRecord], None]
) -> BatchWorkshop:
    """Wire what `fetch_batch` needs. The crawl's root must be settled."""
    crawl = store.crawls.read(crawl_id)
    if crawl is None:
        raise CorruptDataError(f"crawl {crawl_id} is not in {store.root}")
    client = page_client(crawl.settings)
    return batch_workshop(crawl, store, client, signals=signals, owner=owner, watch=watch)
