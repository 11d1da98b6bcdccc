"""A crawl that was cancelled or failed is resumed: in the end its results are those of an undisturbed crawl."""

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from tests.support.campaign import ALL
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, crawl_inline
from tests.support.random_site import random_site

from wavecrawl.bootstrap.local import Watchers, run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError, CorruptDataError

SITE = random_site(Random(5), 60)
WITH_SIZES = {"pages.csv", "pages.jsonl.gz", "pages.parquet", "report.html", "summary.json"}
"""Results with the compressed sizes of pages, which depend on the port of the server."""

SETTINGS = replace(ALL_FILES, waves=replace(ALL_FILES.waves, max_urls=7))


@pytest.mark.parametrize("status", [CrawlStatus.CANCELLED, CrawlStatus.FAILED] if ALL else [CrawlStatus.FAILED])
def test_a_crawl_that_ended_early_is_resumed(tmp_path: Path, status: CrawlStatus) -> None:
    store = LocalStore(tmp_path / "resumed")
    with SiteServer(SITE) as server:
        row = store.start(server.url, SETTINGS)
        waves: list[object] = []

        def stop(wave: object) -> None:
            waves.append(wave)
            if len(waves) == 3 and status is CrawlStatus.CANCELLED:
                store.crawls.ask_to_cancel(row.id)
            elif len(waves) == 3:
                raise CorruptDataError("a snapshot cannot be read")

        watchers = Watchers(on_progress=stop, on_tally=lambda _: None, poll=lambda: None)
        with suppress(CorruptDataError):
            run_local_crawl(store, row, workers=2, watchers=watchers)
        ended = store.crawls.read(row.id)
        assert ended is not None
        assert ended.status is status
        resumed = store.resume(ended)
        assert (resumed.status, resumed.error, resumed.resumes) == (CrawlStatus.RUNNING, "", 1)
        _, summary = run_local_crawl(store, resumed, workers=2, watchers=watchers)
        found = fingerprint(store.results_folder(row.id), server.origin)
    with SiteServer(SITE) as server:
        expected = fingerprint(crawl_inline(server.url, tmp_path / "whole", SETTINGS).exports, server.origin)
    assert summary is not None
    assert summary.status == "completed"
    compared = set(expected) - WITH_SIZES
    assert {name for name in compared if found[name] != expected[name]} == set()
    ends = [entry.kind for entry in store.event_log.after(row.id, -1, limit=999) if entry.kind in ENDS]
    assert ends == [EventKind.FAILED if status is CrawlStatus.FAILED else EventKind.COMPLETED, EventKind.COMPLETED]
    with pytest.raises(ConflictError, match="is completed; only interrupted, failed and cancelled"):
        store.resume(store.find(None))
    store.close()


ENDS = (EventKind.COMPLETED, EventKind.FAILED)
