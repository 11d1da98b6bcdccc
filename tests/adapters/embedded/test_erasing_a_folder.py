"""Erasure of a crawl whose results are being made again: both never write to its folder at the same time."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest
from tests.support.patience import HANG

from wavecrawl.adapters.embedded.erasure import LocalErasure
from wavecrawl.adapters.embedded.lock import PATIENCE, run_lock
from wavecrawl.bootstrap.crawl_process import DONE, command
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError
from wavecrawl.ports.crawls import CrawlRow


@pytest.fixture(name="store")
def a_store(tmp_path: Path) -> Iterator[LocalStore]:
    with closing(LocalStore(tmp_path)) as store:
        yield store


@pytest.fixture(name="crawl")
def an_ended_crawl(store: LocalStore) -> CrawlRow:
    crawl = store.start("https://example.com/", CrawlSettings())
    store.crawls.finish(crawl.id, status=CrawlStatus.COMPLETED, now=8.0)
    store.objects.put(crawl.id, "settings", b"{}")
    return crawl


def test_a_crawl_whose_results_are_being_made_is_not_erased(store: LocalStore, crawl: CrawlRow) -> None:
    lock = run_lock(store.folder(crawl.id))
    with pytest.raises(ConflictError, match=f"results of crawl {crawl.id.crawl} are being made"):
        LocalErasure(store.database, store.root, patience=0.0).erase(crawl.id)
    assert store.objects.get(crawl.id, "settings") == b"{}"
    lock.release()


def test_erasure_waits_for_the_results(store: LocalStore, crawl: CrawlRow) -> None:
    lock = run_lock(store.folder(crawl.id))
    Timer(0.5, lock.release).start()
    LocalErasure(store.database, store.root, patience=PATIENCE).erase(crawl.id)
    assert not store.folder(crawl.id).exists()


def test_the_results_of_a_crawl_that_is_deleted_meanwhile_are_not_made(store: LocalStore, crawl: CrawlRow) -> None:
    lock = run_lock(store.folder(crawl.id))
    process = subprocess.Popen(command(store.root, crawl.id, workers=0, wacz_mb=0))
    try:
        with pytest.raises(subprocess.TimeoutExpired):  # it waits for the lock
            process.wait(3.0)
        store.crawls.delete(crawl.id)
    finally:
        lock.release()
    assert process.wait(HANG) == DONE
    assert not store.results_folder(crawl.id).exists()
