"""Workers that each have a Chromium make the same results, however many they are."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.campaign import CAMPAIGN, slow
from tests.support.chromium import executable
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, SILENT, build_results, crawl_inline
from tests.support.shell_site import APP, scripted_site, shop_browser

from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.rendering.settings import RenderSettings

SETTINGS = replace(ALL_FILES, render=RenderSettings(learn_after=1, sample_every=0, settle=100.0, timeout=200.0))


@slow  # a browser for each worker
@pytest.mark.parametrize("workers", [1, 2, 4] if CAMPAIGN else [4])
def test_any_number_of_workers_with_a_browser_export_the_same(tmp_path: Path, workers: int) -> None:
    """The fake browser makes the same pages as the scripts do, and shows what is expected."""
    executable()
    with SiteServer(scripted_site()) as server:
        expected = crawl_inline(server.url, tmp_path / "expected", SETTINGS, browser=shop_browser())
        assert expected.summary.rendered > len(APP)
        server.forget()
        store = LocalStore(tmp_path / "workers")
        started = store.start(server.url, SETTINGS)
        row, _ = run_local_crawl(store, started, workers=workers, watchers=SILENT, results=False)
        done = build_results(store, row)
        store.close()
        assert fingerprint(done.exports, server.origin) == fingerprint(expected.exports, server.origin)
