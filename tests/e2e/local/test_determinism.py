"""The result of a crawl is the same at any parallelism."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support import changing_site
from tests.support.campaign import ALL, CAMPAIGN, MANY_WORKERS, long, slow
from tests.support.comparing import fingerprint
from tests.support.crawling import (
    ALL_FILES,
    SILENT,
    Done,
    build_results,
    crawl_inline,
    on_loopback,
    table,
    with_changes,
)
from tests.support.hits import hits
from tests.support.page_memories import histories, move_back
from tests.support.plain_site import plain_site

from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.focus.settings import Strategy

DEMO = with_changes(ALL_FILES, {"polite.in_flight": 8})
CUT = with_changes(DEMO, {"max_pages": 61})  # in the middle of depth 2
FULL = with_changes(CUT, {"max_frontier": 20})
SEEDS = (0, 1, 2) if CAMPAIGN else (0, 2)
"""Of orders of deliveries. The larger a seed, the more messages are delivered twice."""

BEST = with_changes(CUT, {"strategy": Strategy.BEST_FIRST, "focus.terms": ("radar gauge",)})


@pytest.fixture(name="server")
def a_server() -> Iterator[SiteServer]:
    with SiteServer(demo_site()) as server:
        yield server


def by_processes(server: SiteServer, folder: Path, settings: CrawlSettings, workers: int) -> Done:
    server.forget()  # flaky pages fail again
    store = LocalStore(folder)
    crawl = store.start(server.url, settings)
    row, _ = run_local_crawl(store, crawl, workers=workers, watchers=SILENT, results=False)
    done = build_results(store, row)
    store.close()
    return done


@pytest.mark.parametrize(
    "settings",
    [DEMO, CUT, FULL, BEST] if ALL else [DEMO],
    ids=lambda one: f"{one.strategy} {one.max_pages} {one.max_frontier}",
)
def test_several_workers_export_the_same_as_one(server: SiteServer, tmp_path: Path, settings: CrawlSettings) -> None:
    alone = fingerprint(by_processes(server, tmp_path / "1", settings, 1).exports, server.origin)
    assert alone["pages.csv"]
    for workers in (2, MANY_WORKERS) if CAMPAIGN else (MANY_WORKERS,):
        others = fingerprint(by_processes(server, tmp_path / str(workers), settings, workers).exports, server.origin)
        assert others.keys() == alone.keys()
        for name, content in alone.items():
            assert others[name] == content, f"{name} with {workers} workers"


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(CUT, id="cut by max_pages"),
        *([pytest.param(DEMO, id="whole"), pytest.param(BEST, id="best first")] if ALL else []),
    ],
)
def test_order_and_repeats_of_deliveries_change_nothing(
    server: SiteServer, tmp_path: Path, settings: CrawlSettings
) -> None:
    found: list[dict[str, Any]] = []
    for seed in SEEDS:
        server.forget()
        folder = tmp_path / str(seed)
        done = crawl_inline(server.url, folder, settings, rng=Random(seed), duplicates=0.2 * seed)
        assert done.summary.duplicate_records == 0
        found.append(fingerprint(done.exports, server.origin))
    expected, *others = found
    assert expected["pages.csv"]
    assert others == [expected] * (len(SEEDS) - 1)


def test_a_cap_is_reached_to_the_page(tmp_path: Path) -> None:
    site = plain_site(pages=90, body_bytes=500)
    with SiteServer(site) as server:
        done = crawl_inline(server.url, tmp_path, with_changes(DEMO, {"max_pages": 50}))
        assert done.summary.pages == 50
        assert done.summary.stopped == "max_pages"
        assert sum(hits(server, page.path) for page in site.pages) == 50


@long
def test_one_and_many_workers_see_the_same_changes(tmp_path: Path) -> None:
    port = 0
    found: dict[int, list[Any]] = {}
    for workers in (1, MANY_WORKERS):
        folder = tmp_path / str(workers)
        for version, settings in enumerate(changing_site.SETTINGS):
            with SiteServer(changing_site.changing_site(version), port=port) as server:
                port = server.port
                done = by_processes(server, folder, on_loopback(settings), workers)
                found.setdefault(workers, []).append(fingerprint(done.exports, server.origin))
            found[workers].append(histories(folder, done.row.id))
            move_back(folder, done.row.id, seconds=100.0)
        assert len(table(done.exports / "ledger.csv")) > 150
    assert found[1] == found[MANY_WORKERS]


@slow
def test_order_and_repeats_change_nothing_in_a_second_crawl(tmp_path: Path) -> None:
    site = plain_site(60)
    found: list[dict[str, Any]] = []
    for seed in SEEDS:
        folder = tmp_path / str(seed)
        with SiteServer(site) as server:
            first = crawl_inline(server.url, folder, ALL_FILES, rng=Random(seed))
        move_back(folder, first.row.id, seconds=100.0)  # clocks may differ by a second
        pages = tuple(replace(page, text=("Changed.",)) if not n % 7 else page for n, page in enumerate(site.pages))
        with SiteServer(replace(site, pages=pages), port=server.port) as server:
            done = crawl_inline(server.url, folder, ALL_FILES, rng=Random(seed), duplicates=0.2 * seed)
        assert done.summary.states == {"fetched": 9, "unchanged": 51}
        found.append(fingerprint(done.exports, server.origin))
    expected, *others = found
    assert expected["pages.csv"]
    assert others == [expected] * (len(SEEDS) - 1)
