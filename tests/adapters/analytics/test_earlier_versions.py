"""Results and parts that an earlier version wrote, whose files lack columns."""

from pathlib import Path
from shutil import copytree
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.adapters.analytics.results_service import ResultsService
from tests.support.campaign import ALL, slow
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, Done, build_results, crawl_inline
from tests.support.earlier_files import make_earlier, make_earlier_pages

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.graph.issue import IssueName
from wavecrawl.domain.graph.issue_settings import IssueSettings
from wavecrawl.ports.parts import Table

_OF_NEW_COLUMNS = tuple(
    kind
    for kind in IssueName
    if kind.startswith("missing_") or kind in ("image_without_alt", "meta_refresh", "broken_fragment")
)
FEW = replace(
    ALL_FILES,
    max_pages=25,
    waves=WaveSettings(part_pages=10, max_urls=15),
    issues=IssueSettings(off=_OF_NEW_COLUMNS),
)


class Crawled(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl of a site with this origin, and the root folder of its data."""

    root: Path
    origin: str
    done: Done

    @property
    def exports(self) -> Path:
        return self.root / self.done.exports.relative_to(self.done.folder.parents[5])


@pytest.fixture(name="original", scope="module")
def a_crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    root = tmp_path_factory.mktemp("original")
    with SiteServer(demo_site()) as server:
        return Crawled(root=root, origin=server.origin, done=crawl_inline(server.url, root, FEW))


@pytest.fixture(name="crawled")
def a_copy_of_the_crawl(original: Crawled, tmp_path: Path) -> Crawled:
    copytree(original.root, tmp_path, dirs_exist_ok=True)
    return replace(original, root=tmp_path)


def details(folder: Path, done: Done) -> list[dict[str, Any]]:
    """Return everything about each page."""
    service = ResultsService(folder)
    crawl = f"/v1/crawls/{done.row.id.crawl}"
    found = [service.ask("GET", f"{crawl}/pages/{page['key']}").body for page in done.pages()]
    service.close()
    return found


@slow
def test_exports_are_queried_with_the_values_of_that_version(crawled: Crawled) -> None:
    expected = details(crawled.root, crawled.done)
    assert len(expected) > 5
    make_earlier_pages(crawled.exports / "pages.parquet")
    make_earlier(crawled.exports / "edges.parquet", Table.EDGES)
    assert any(page["headings"] for page in expected)
    assert details(crawled.root, crawled.done) == [page | {"not_indexable": None} for page in expected]


@pytest.mark.parametrize("which", ["first", "last", "all"] if ALL else ["last"])
def test_results_of_parts_are_those_of_that_version(crawled: Crawled, which: str) -> None:
    """A crawl that began before an upgrade has parts of both versions."""
    done = crawled.done
    expected = fingerprint(done.exports, crawled.origin)
    for table in (Table.PAGES, Table.EDGES, Table.TEXTS):  # the crawl has no media
        parts = sorted((crawled.root / "tables" / table.value).rglob("*.parquet"))
        assert len(parts) > 1
        for path in {"first": parts[:1], "last": parts[-1:], "all": parts}[which]:
            make_earlier(path, table)
    store = LocalStore(crawled.root)
    row = store.crawls.read(done.row.id)
    assert row is not None
    again = build_results(store, row)
    so_far = store.live.so_far(row.id).results
    pages = [so_far.page(row.id, page["key"], links=10) for page in done.pages()]
    store.close()
    assert fingerprint(again.exports, crawled.origin) == expected
    assert all(page is not None and (page.rendered, page.shell, page.screenshot) == (False, "", "") for page in pages)
