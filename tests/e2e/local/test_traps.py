"""A crawl of a site full of traps: what it suppresses, and that it does so at any parallelism and after restarts."""

from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest
from tests.support.campaign import CAMPAIGN, MANY_WORKERS, long, slow
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, SILENT, Done, build_results, crawl_inline, table, with_changes
from tests.support.focus_site import FocusSite, focus_site

from wavecrawl.application.run_wave import Planner, WaveResult
from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.focus.settings import Strategy
from wavecrawl.domain.traps.settings import (
    CalendarTrapSettings,
    JsonTrapSettings,
    PaginationTrapSettings,
    SegmentTrapSettings,
    SessionTrapSettings,
    TrapSettings,
)

WHOLE = with_changes(ALL_FILES, {"max_pages": 10_000})
SOME = with_changes(ALL_FILES, {"max_pages": 1_200})


@cache
def site() -> FocusSite:
    """Return the site, which only the worker that crawls it generates."""
    return focus_site()


def paths(rows: list[dict[str, str]], origin: str) -> list[str]:
    return [row["url"].removeprefix(origin) for row in rows]


def crawled(folder: Path, settings: CrawlSettings, *, seed: int = 0) -> tuple[Done, str]:
    with SiteServer(site().site, record=False) as server:
        return crawl_inline(server.url, folder, settings, rng=Random(seed), duplicates=0.3 * seed), server.origin


@pytest.mark.parametrize("strategy", list(Strategy) if CAMPAIGN else [Strategy.BFS])
@slow
def test_traps_are_left_early_and_no_other_page_is_suppressed(tmp_path: Path, strategy: Strategy) -> None:
    done, origin = crawled(tmp_path, with_changes(WHOLE, {"strategy": strategy}))
    ledger = done.ledger()
    fetched = set(paths([row for row in ledger if row["state"] == "fetched"], origin))
    assert fetched >= site().worth
    assert {page.path for page in site().site.pages} - set(site().traps) - fetched - set(site().duplicates) == set()
    in_traps = Counter(site().traps[path] for path in fetched if path in site().traps)
    assert in_traps.total() < 0.05 * len(fetched)  # of 2,395 pages in traps
    assert set(in_traps) == set(site().traps.values())
    suppressed = table(done.exports / "suppressed.csv")
    assert set(paths(suppressed, origin)) <= set(site().traps)
    rules = Counter(row["rule"] for row in suppressed)
    assert set(rules) == {
        "trap_calendar",
        "trap_json",
        "trap_pagination",
        "trap_parameters",
        "trap_segments",
        "trap_session",
    }
    by_url = {row["url"].removeprefix(origin): row for row in suppressed}
    assert by_url["/news?page=12"] == {
        "url": f"{origin}/news?page=12",
        "rule": "trap_pagination",
        "evidence": "3 pages in a row had no new words or links, after 11 pages of the series: "
        f"{origin}/news?page=9 {origin}/news?page=10 {origin}/news?page=11",
        "found_on": f"{origin}/news?page=11",
    }
    assert {rule: done.summary.reasons[rule] for rule in rules} == dict(rules)
    notices = [notice.message for notice in done.summary.notices]
    more = rules["trap_json"] - 1
    assert f"suppressed as a trap (trap_json), and {more} more like it; the evidence is in suppressed.csv" in notices


def test_each_rule_can_be_disabled(tmp_path: Path) -> None:
    rules = TrapSettings(
        calendar=CalendarTrapSettings(enabled=False),
        pagination=PaginationTrapSettings(enabled=False),
        segments=SegmentTrapSettings(enabled=False),
        session=SessionTrapSettings(enabled=False),
        repeated_json=JsonTrapSettings(enabled=False),
    )
    done, _ = crawled(tmp_path, with_changes(SOME, {"traps": rules}))
    assert {row["rule"] for row in table(done.exports / "suppressed.csv")} == {"trap_parameters"}


@slow
def test_a_planner_that_is_restored_before_every_wave_decides_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SiteServer(site().site, record=False) as server:
        kept = fingerprint(crawl_inline(server.url, tmp_path / "kept", SOME).exports, server.origin)
        run_wave = Planner.run_wave

        def forgetful(planner: Planner, *arguments: object, **options: object) -> WaveResult:
            planner._state = None
            return run_wave(planner, *arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(Planner, "run_wave", forgetful)
        shuffled = crawl_inline(server.url, tmp_path / "restored", SOME, rng=Random(3), duplicates=0.3)
        restored = fingerprint(shuffled.exports, server.origin)
    assert len(kept["suppressed.csv"]) > 100
    assert restored["suppressed.csv"] == kept["suppressed.csv"]
    assert restored["ledger.csv"] == kept["ledger.csv"]


@long
def test_one_and_many_workers_suppress_the_same(tmp_path: Path) -> None:
    settings = with_changes(SOME, {"max_pages": 1_500, "strategy": Strategy.BEST_FIRST, "polite.in_flight": 8})
    found = []
    with SiteServer(site().site, record=False) as server:
        for workers in (1, MANY_WORKERS):
            store = LocalStore(tmp_path / str(workers))
            crawl = store.start(server.url, settings)
            row, _ = run_local_crawl(store, crawl, workers=workers, watchers=SILENT, results=False)
            found.append(fingerprint(build_results(store, row).exports, server.origin))
            store.close()
    assert len(found[0]["suppressed.csv"]) > 100
    assert found[0] == found[1]
