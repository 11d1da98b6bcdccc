"""Two workers over one store and duplicate messages: no page is served twice."""

from pathlib import Path
from random import Random
from threading import Thread

import pytest
from tests.support.campaign import CAMPAIGN
from tests.support.crawling import QUICK, SILENT, InlinePool, build_results, crawl_inline, with_changes
from tests.support.hits import hits
from tests.support.plain_site import plain_site

from wavecrawl.application.fetch_batch import fetch_batch
from wavecrawl.bootstrap.local import crawl_with
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.bootstrap.worker import local_worker_ports
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import BatchJob

SITE = plain_site(pages=300, body_bytes=600)


@pytest.mark.parametrize("duplicates", [0.0, 0.5, 1.0] if CAMPAIGN else [1.0])
def test_a_page_is_served_once_however_often_its_batch_is_delivered(tmp_path: Path, duplicates: float) -> None:
    with SiteServer(SITE) as server:
        done = crawl_inline(server.url, tmp_path, rng=Random(1), duplicates=duplicates)
        assert {page.path: hits(server, page.path) for page in SITE.pages} == {page.path: 1 for page in SITE.pages}
        assert done.summary.pages == len(SITE.pages)
        assert done.summary.duplicate_records == 0


class RivalPool(InlinePool):
    """A pool that gives every job to two workers at the same time."""

    def __init__(self, rivals: list[LocalStore], row_of: LocalStore) -> None:
        super().__init__(self._both, Random(2))
        self._rivals = rivals
        self._store = row_of
        self.errors: list[Exception] = []
        self.finished_by = [0, 0]

    def _both(self, job: BatchJob) -> None:
        def work(number: int) -> None:
            try:
                store = self._rivals[number]
                ports = local_worker_ports(
                    store, job.id.crawl, signals=self, owner=f"rival {number}", watch=lambda _: None
                )
                self.finished_by[number] += fetch_batch(job, ports)
            except Exception as error:  # noqa: BLE001 - shown by the test
                self.errors.append(error)

        threads = [Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_two_workers_with_stores_of_their_own_share_the_work(tmp_path: Path) -> None:
    with SiteServer(SITE) as server:
        store = LocalStore(tmp_path)
        rivals = [LocalStore(tmp_path), LocalStore(tmp_path)]
        pool = RivalPool(rivals, store)
        row = crawl_with(pool, store, store.start(server.url, with_changes(QUICK, {"polite.in_flight": 3})), SILENT)
        done = build_results(store, row)
        for one in (store, *rivals):
            one.close()
        assert pool.errors == []
        assert {page.path: hits(server, page.path) for page in SITE.pages} == {page.path: 1 for page in SITE.pages}
        assert done.summary.pages == len(SITE.pages)
        assert sum(pool.finished_by) >= 1
