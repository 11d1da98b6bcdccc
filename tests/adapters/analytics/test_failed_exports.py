"""Exports that cannot be written: the others are, and the crawl ends."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from tests.support.crawling import QUICK, crawl_inline
from tests.support.plain_site import plain_site

from wavecrawl.adapters.analytics import build
from wavecrawl.adapters.analytics.page_exports import PagePieces
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.states import CrawlStatus

PAGES = {"pages.parquet", "pages.jsonl.gz", "pages.csv"}
FULL = "No space left on device"


def out_of_memory(_: object, folder: Path) -> None:
    """Write a part of a file, then fail as DuckDB does."""
    (folder / "half.part").write_bytes(b"half")
    raise duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block\nPossible solutions: ...")


def disk_full(*_: object, **__: object) -> None:
    """Fail as a full disk does."""
    raise OSError(28, "No space left on device")


def without_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "write_edges", out_of_memory)


def without_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "write_graph", disk_full)


def without_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "write_report", disk_full)


def without_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PagePieces, "build", disk_full)


@pytest.mark.parametrize(
    ("spoil", "missing", "reported"),
    [
        (without_edges, {"edges.parquet"}, "edges.parquet: not created: Out of Memory Error: could not allocate block"),
        (without_graph, {"graph.json"}, f"graph.json: not created: {FULL}"),
        (without_report, {"report.html"}, f"report.html: not created: {FULL}"),
        (without_pages, PAGES, f"pages.parquet, pages.jsonl.gz, pages.csv: not created: {FULL}"),
    ],
)
def test_an_export_that_fails_leaves_the_others_a_notice_and_an_ended_crawl(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[pytest.MonkeyPatch], None],
    missing: set[str],
    reported: str,
) -> None:
    site = plain_site(pages=8, body_bytes=400)
    with SiteServer(site) as server:
        whole = crawl_inline(server.url, tmp_path / "whole", QUICK)
        spoil(monkeypatch)
        done = crawl_inline(server.url, tmp_path / "spoiled", QUICK)
    assert {path.name for path in whole.exports.iterdir()} - {path.name for path in done.exports.iterdir()} == missing
    assert not whole.summary.notices
    (notice,) = done.summary.notices
    assert f"{notice.subject}: {notice.message}" == reported
    assert done.summary.pages == 8
    assert (done.exports / "ledger.csv").read_bytes().count(b"\n") == 9
    store = LocalStore(tmp_path / "spoiled")
    row = store.crawls.read(done.row.id)
    store.close()
    assert row is not None
    assert row.status is CrawlStatus.COMPLETED
