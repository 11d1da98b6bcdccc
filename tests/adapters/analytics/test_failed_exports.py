"""Exports that cannot be written: the others are, and the crawl ends."""

import errno
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, build_results, crawl_inline
from tests.support.plain_site import plain_site

from wavecrawl.adapters.analytics import build
from wavecrawl.adapters.analytics.page_exports import PagePieces
from wavecrawl.adapters.analytics.part_writer import DuckDbPartWriter
from wavecrawl.adapters.wacz.packer import WaczPacker
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import UnwritableError

PAGES = {"pages.parquet", "pages.jsonl.gz", "pages.csv"}

POINTS = {
    "the first part": (DuckDbPartWriter, "write"),
    "the tables": (build, "load_links"),
    "pages": (PagePieces, "build"),
    "the graph": (build, "write_graph"),
    "the package": (WaczPacker, "pack"),
    "the summary": (build, "write_summary"),
    "the report": (build, "write_report"),
}
"""Functions that write results, in their order."""

ERRORS = {
    "ENOSPC": OSError(errno.ENOSPC, "No space left on device"),
    "EDQUOT": OSError(errno.EDQUOT, "Disk quota exceeded"),
    "EFBIG": OSError(errno.EFBIG, "File too large"),
    "EROFS": OSError(errno.EROFS, "Read-only file system", "/results"),
    "EACCES": PermissionError(errno.EACCES, "Permission denied", "/results"),
    "DuckDB": duckdb.IOException('IO Error: Could not write file "/x/spill": No space left on device'),
    "DuckDB's limit": duckdb.OutOfMemoryException("failed to offload: limit was set by 'max_temp_directory_size'"),
}


def out_of_memory(_: object, folder: Path) -> None:
    """Write a part of a file, then fail as DuckDB does."""
    (folder / "half.part").write_bytes(b"half")
    raise duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block\nPossible solutions: ...")


def without_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "write_edges", out_of_memory)


def without_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PagePieces, "build", no_memory)


def no_memory(*_: object, **__: object) -> None:
    """Fail as a process without memory does."""
    raise MemoryError("no memory")


@pytest.mark.parametrize(
    ("spoil", "missing", "reported"),
    [
        (without_edges, {"edges.parquet"}, "edges.parquet: not created: Out of Memory Error: could not allocate block"),
        (without_pages, PAGES, "pages.parquet, pages.jsonl.gz, pages.csv: not created: no memory"),
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
        whole = crawl_inline(server.url, tmp_path / "whole", ALL_FILES)
        spoil(monkeypatch)
        done = crawl_inline(server.url, tmp_path / "spoiled", ALL_FILES)
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


CASES = [
    *[(point, "ENOSPC") for point in POINTS],
    *[("the graph", error) for error in ERRORS if error != "ENOSPC"],
    ("the tables", "DuckDB"),
    ("the package", "EDQUOT"),
]


def test_results_that_cannot_be_written_leave_nothing_and_are_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SiteServer(plain_site(pages=8, body_bytes=400)) as server:
        whole = crawl_inline(server.url, tmp_path / "whole", ALL_FILES)
        with monkeypatch.context() as context:
            fill(context, "the graph", "ENOSPC")
            with pytest.raises(UnwritableError):
                crawl_inline(server.url, tmp_path / "full", ALL_FILES)
        store = LocalStore(tmp_path / "full")
        (row,) = store.crawls.under_way()
        folder = store.folder(row.id)
        for point, error in CASES:
            with monkeypatch.context() as context:
                fill(context, point, error)
                with pytest.raises(UnwritableError, match=r"cannot be written: .*(Make room|Make it writable)"):
                    build_results(store, row, rebuild=point == "the first part")
            left = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
            assert not {name for name in left if name.split("/")[0].startswith(("exports", "history-"))}, (point, left)
        found = store.crawls.read(row.id)
        assert found is not None
        assert found.status is CrawlStatus.RUNNING
        done = build_results(store, row)
        found = store.crawls.read(row.id)
        store.close()
    assert found is not None
    assert found.status is CrawlStatus.COMPLETED
    assert not done.summary.notices
    assert fingerprint(done.exports, server.url) == fingerprint(whole.exports, server.url)


def fill(monkeypatch: pytest.MonkeyPatch, point: str, error: str) -> None:
    """Let a function that writes results write a part of a file, then fail."""

    def fails(*arguments: object, **_: object) -> None:
        for folder in arguments:
            if isinstance(folder, Path) and folder.is_dir():
                (folder / "half.part").write_bytes(b"half")
        raise ERRORS[error]

    where, name = POINTS[point]
    monkeypatch.setattr(where, name, fails)
