"""Result files that are created when they are first needed: the same files, once, whole, and kept up to date."""

import json
import shutil
import zipfile
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.comparing import fingerprint
from tests.support.crawling import ALL_FILES, Done, build_results, crawl_inline

from wavecrawl.adapters.analytics.build import DuckDbAnalytics
from wavecrawl.application.file_problems import file_problem
from wavecrawl.bootstrap.local import make_local_files
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.result_files import FILES, ResultFile
from wavecrawl.errors import CorruptDataError
from wavecrawl.library import open_crawl
from wavecrawl.ports.analytics import AnalyticsInputs

ALL = tuple(ResultFile)
NAMES = {name for names in FILES.values() for name in names}
READ = "stored data of the crawl cannot be read; the operator's log names the cause"
LATER = replace(ALL_FILES, files_at_once=(ResultFile.LLMS,))


@pytest.fixture(name="server", scope="module")
def a_site() -> Iterator[SiteServer]:
    with SiteServer(demo_site()) as server:
        yield server


@pytest.fixture(name="crawled", scope="module")
def a_crawl(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Done:
    return crawl_inline(server.url, tmp_path_factory.mktemp("later"), LATER)


@pytest.fixture(name="copy")
def a_copy(crawled: Done, tmp_path: Path) -> Iterator[tuple[LocalStore, Done]]:
    """A copy of the crawl's data folder, in which a test may make files."""
    root = crawled.folder.parents[5]
    shutil.copytree(root, tmp_path / "data", symlinks=True)
    store = LocalStore(tmp_path / "data")
    row = crawled.row
    yield store, replace(crawled, row=row, exports=store.results_folder(row.id), folder=store.folder(row.id))
    store.close()


class KilledError(BaseException):
    """The end of a process."""


def names_of(done: Done) -> set[str]:
    return {path.name for path in done.exports.iterdir()}


def test_the_end_of_a_crawl_creates_what_queries_need_and_what_the_settings_name(crawled: Done) -> None:
    assert names_of(crawled) & NAMES == {"llms.txt"}
    assert {"summary.json", "report.html", "pages.parquet", "pages.csv", "issues.csv", "orphans.csv"} < names_of(
        crawled
    )
    assert {"sitemap.xml", "edges.parquet", "ledger.csv"} < names_of(crawled)


def test_later_files_are_those_that_the_end_of_the_crawl_would_have_created(
    copy: tuple[LocalStore, Done], server: SiteServer, tmp_path: Path
) -> None:
    store, done = copy
    before = {path.name: path.stat().st_mtime_ns for path in done.exports.iterdir()}
    assert make_local_files(store, done.row, [ResultFile.GRAPH]) == ()
    assert names_of(done) & NAMES == {"llms.txt", "graph.json", "graph.bin.gz"}
    assert make_local_files(store, done.row, ALL) == ()
    assert names_of(done) >= NAMES
    assert {name: (done.exports / name).stat().st_mtime_ns for name in before} == before
    with SiteServer(demo_site()) as other:
        at_once = crawl_inline(other.url, tmp_path / "once", ALL_FILES)
        expected = fingerprint(at_once.exports, other.origin)
    found = fingerprint(done.exports, server.origin)
    assert found.keys() == expected.keys()
    for name in expected.keys() - {"summary.json", "report.html"}:  # these name the settings and the files
        assert found[name] == expected[name], name
    pages = [json.loads(line)["url"] for line in _pages_of(done.exports / "crawl.wacz")[1:]]
    assert len(pages) == len(_pages_of(at_once.exports / "crawl.wacz")) - 1 > 1


def _pages_of(package: Path) -> list[bytes]:
    with zipfile.ZipFile(package) as opened:
        return opened.read("pages/pages.jsonl").splitlines()


def test_two_who_ask_at_once_wait_for_the_same_files(
    copy: tuple[LocalStore, Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, done = copy
    built: list[set[ResultFile]] = []
    add = DuckDbAnalytics.add

    def counted(self: DuckDbAnalytics, inputs: AnalyticsInputs, files: Collection[ResultFile], **rest: Any) -> object:
        built.append({*files})
        return add(self, inputs, files, **rest)

    monkeypatch.setattr(DuckDbAnalytics, "add", counted)
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(make_local_files, store, done.row, [ResultFile.GRAPH]) for _ in range(3)]
        assert [one.result() for one in asked] == [(), (), ()]
    assert built == [{ResultFile.GRAPH}]


def test_what_was_made_is_made_again_with_the_results(copy: tuple[LocalStore, Done]) -> None:
    store, done = copy
    make_local_files(store, done.row, [ResultFile.GRAPH])
    (done.exports / "graph.json").write_text("stale")
    build_results(store, done.row)
    assert names_of(done) & NAMES == {"llms.txt", "graph.json", "graph.bin.gz"}
    assert json.loads((done.exports / "graph.json").read_text())["nodes"]


def test_a_process_that_ends_early_leaves_no_half_of_a_file(
    copy: tuple[LocalStore, Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, done = copy

    def dies(_: duckdb.DuckDBPyConnection, folder: Path, **__: object) -> None:
        (folder / "graph.bin.gz").write_bytes(b"half")
        raise KilledError

    before = names_of(done)
    with monkeypatch.context() as patched:
        patched.setattr("wavecrawl.adapters.analytics.build.write_graph_file", dies)
        with pytest.raises(KilledError):
            make_local_files(store, done.row, [ResultFile.GRAPH])
    assert names_of(done) == before
    assert make_local_files(store, done.row, [ResultFile.GRAPH]) == ()
    assert names_of(done) == before | {"graph.json", "graph.bin.gz"}


def test_a_file_that_cannot_be_made_has_a_reason_until_it_is_made(copy: tuple[LocalStore, Done]) -> None:
    store, done = copy
    warcs = done.folder / "warc"
    warcs.rename(done.folder / "moved")
    (notice,) = make_local_files(store, done.row, [ResultFile.WACZ, ResultFile.GRAPH])
    assert notice.subject == "crawl.wacz"
    assert file_problem(done.row, "crawl.wacz", store.objects) == notice.message
    assert file_problem(done.row, "graph.json", store.objects) == ""
    (done.folder / "moved").rename(warcs)
    assert make_local_files(store, done.row, [ResultFile.WACZ]) == ()
    assert file_problem(done.row, "crawl.wacz", store.objects) == ""


def test_an_error_is_the_reason_of_each_file_and_is_kept_beside_those_of_other_files(
    copy: tuple[LocalStore, Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, done = copy

    def fails(*_: object, **__: object) -> object:
        raise CorruptDataError("a part cannot be read")

    with monkeypatch.context() as patched:
        patched.setattr(DuckDbAnalytics, "add", fails)
        for file in (ResultFile.GRAPH, ResultFile.SUPPRESSED):
            with pytest.raises(CorruptDataError):
                make_local_files(store, done.row, [file])
    names = ("graph.json", "graph.bin.gz", "suppressed.csv")
    assert {file_problem(done.row, name, store.objects) for name in names} == {READ}
    make_local_files(store, done.row, [ResultFile.GRAPH])
    assert [file_problem(done.row, name, store.objects) for name in names] == ["", "", READ]


def test_the_library_makes_a_file_and_the_tables_when_they_are_asked_for(copy: tuple[LocalStore, Done]) -> None:
    store, done = copy
    with open_crawl(store.root) as crawl:
        assert json.loads(crawl.file("graph.json").read_text())["nodes"]
        assert crawl.file("pages.csv").is_file()
        with crawl.duckdb() as tables:
            assert tables.execute("SELECT count(*) FROM result_urls").fetchall()[0][0] > len(done.pages())
