"""Results and parts that an earlier version wrote, whose files lack columns."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.adapters.analytics.results_service import ResultsService
from tests.support.comparing import fingerprint
from tests.support.crawling import QUICK, Done, build_results, crawl_inline
from tests.support.earlier_files import make_earlier

from wavecrawl.adapters.table_columns import ADDED
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.ports.parts import Table

FEW = replace(QUICK, max_pages=40, waves=WaveSettings(part_pages=10, max_urls=15))


@pytest.fixture(name="server", scope="module")
def a_server() -> Iterator[SiteServer]:
    with SiteServer(demo_site()) as server:
        yield server


def details(folder: Path, done: Done) -> list[dict[str, Any]]:
    """Return everything about each page."""
    service = ResultsService(folder)
    crawl = f"/v1/crawls/{done.row.id.crawl}"
    found = [service.ask("GET", f"{crawl}/pages/{page['key']}").body for page in done.pages()]
    service.close()
    return found


def test_exports_are_queried_with_the_values_of_that_version(server: SiteServer, tmp_path: Path) -> None:
    done = crawl_inline(server.url, tmp_path, FEW)
    expected = details(tmp_path, done)
    assert len(expected) > 5
    make_earlier(done.exports / "pages.parquet", Table.PAGES)
    make_earlier(done.exports / "edges.parquet", Table.EDGES)
    assert details(tmp_path, done) == expected


@pytest.mark.parametrize("which", ["first", "last", "all"])
def test_results_of_parts_are_those_of_that_version(server: SiteServer, tmp_path: Path, which: str) -> None:
    """A crawl that began before an upgrade has parts of both versions."""
    done = crawl_inline(server.url, tmp_path, FEW)
    expected = fingerprint(done.exports, server.origin)
    for table in ADDED:
        parts = sorted((tmp_path / "tables" / table.value).rglob("*.parquet"))
        assert len(parts) > 1
        for path in {"first": parts[:1], "last": parts[-1:], "all": parts}[which]:
            make_earlier(path, table)
    store = LocalStore(tmp_path)
    row = store.crawls.read(done.row.id)
    assert row is not None
    again = build_results(store, row)
    so_far = store.live.so_far(row.id).results
    pages = [so_far.page(row.id, page["key"], links=10) for page in done.pages()]
    store.close()
    assert fingerprint(again.exports, server.origin) == expected
    assert all(page is not None and (page.rendered, page.shell, page.screenshot) == (False, "", "") for page in pages)
