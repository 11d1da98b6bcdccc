"""A crawl that is resumed while workers of its last run are still alive."""

from pathlib import Path

import pytest
from tests.support.crawling import SILENT

from wavecrawl.adapters.embedded import lock
from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError


def test_a_crawl_whose_old_workers_do_not_end_has_not_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "_WORKERS_END", 0.0)
    store = LocalStore(tmp_path)
    crawl = store.start("https://example.com/", CrawlSettings())
    alive = lock.workers_lock(store.folder(crawl.id))
    alive.share()
    with pytest.raises(ConflictError, match="still running"):
        run_local_crawl(store, crawl, workers=1, watchers=SILENT)
    after = store.crawls.read(crawl.id)
    assert after is not None
    assert (after.status, after.error) == (CrawlStatus.RUNNING, "")
    lock.run_lock(store.folder(crawl.id)).release()  # no process holds the lock
    alive.release()
    store.close()
