"""crawl.wacz, read by the zip module, by warcio and, if installed, by the format's own tools."""

import errno
import gzip
import hashlib
import io
import json
import os
import struct
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace
from tests.adapters.analytics.conftest import Crawled
from tests.support.campaign import slow
from tests.support.crawling import ALL_FILES, Done, build_results, crawl_inline
from tests.support.fake_media import MemoryAssets
from tests.support.plain_site import plain_site
from warcio.archiveiterator import ArchiveIterator

from wavecrawl.adapters.analytics import build, page_exports
from wavecrawl.adapters.clock import SystemClock
from wavecrawl.adapters.embedded.downloads import Downloads
from wavecrawl.adapters.embedded.folder import FolderArchive
from wavecrawl.adapters.embedded.screenshots import FolderScreenshots
from wavecrawl.adapters.wacz.packer import WaczPacker, read_groups
from wavecrawl.adapters.wacz.surt import surt
from wavecrawl.adapters.wacz.warc_index import index_lines
from wavecrawl.adapters.warc import exchange_records
from wavecrawl.application.wacz_package import Packing, write_package
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.errors import CorruptDataError, PermanentError
from wavecrawl.ports.analytics import CrawlFacts, ReadPage
from wavecrawl.ports.packer import Gone

TOOLS = Path(__file__).parents[3] / ".venv-wacz" / "bin"
FACTS = CrawlFacts(
    crawl="c", site="s", root_url="", root_key="", status="", stopped="", started_at=0.0, finished_at=0.0,
    settings={}, version="", follow_nofollow=False,
)  # fmt: skip
needs_tools = pytest.mark.skipif(not TOOLS.is_dir(), reason="`make .venv-wacz/.done` installs them")


@pytest.fixture(name="wacz")
def the_package(crawled: Crawled) -> Path:
    return crawled.done.exports / "crawl.wacz"


@pytest.fixture(name="opened")
def the_package_opened(wacz: Path) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(wacz) as opened:
        yield opened


def packer_of(root: Path) -> WaczPacker:
    """Return the packer of a data folder."""
    downloads = partial(Downloads, root, signing_key=b"", clock=SystemClock(), base_url="")
    return WaczPacker(FolderArchive(root), FolderScreenshots(root, downloads), MemoryAssets())


def index_of(opened: zipfile.ZipFile) -> list[str]:
    return gzip.decompress(opened.read("indexes/index.cdx.gz")).decode().splitlines()


def entries(opened: zipfile.ZipFile) -> list[dict[str, Any]]:
    return [json.loads(line.split(" ", 2)[2]) for line in index_of(opened)]


def test_everything_is_stored_as_it_is_and_summed_up(opened: zipfile.ZipFile) -> None:
    assert opened.testzip() is None
    assert {info.compress_type for info in opened.infolist()} == {zipfile.ZIP_STORED}
    described = json.loads(opened.read("datapackage.json"))
    assert (described["profile"], described["wacz_version"]) == ("data-package", "1.1.1")
    names = [one["path"] for one in described["resources"]]
    assert sorted([*names, "datapackage.json", "datapackage-digest.json"]) == sorted(opened.namelist())
    for one in described["resources"]:
        data = opened.read(one["path"])
        assert (one["bytes"], one["hash"]) == (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")
    digest = json.loads(opened.read("datapackage-digest.json"))
    assert digest["hash"] == f"sha256:{hashlib.sha256(opened.read('datapackage.json')).hexdigest()}"


def test_the_warcs_are_those_of_the_crawl(crawled: Crawled, opened: zipfile.ZipFile) -> None:
    stored = {f"archive/{path.name}": path.read_bytes() for path in (crawled.done.folder / "warc").glob("*.warc.gz")}
    assert stored
    assert {name: opened.read(name) for name in opened.namelist() if name.startswith("archive/")} == stored


def test_each_line_of_the_index_leads_to_its_record(opened: zipfile.ZipFile) -> None:
    found = entries(opened)
    for entry in found:
        warc = opened.read(f"archive/{entry['filename']}")
        start = int(entry["offset"])
        (record,) = ArchiveIterator(io.BytesIO(warc[start : start + int(entry["length"])]))
        assert record.rec_type == "response"
        assert record.rec_headers.get_header("WARC-Target-URI") == entry["url"]
        assert record.rec_headers.get_header("WARC-Payload-Digest") == entry["digest"]
        assert record.http_headers.get_statuscode() == entry["status"]
    responses = sum(
        record.rec_type == "response"
        for name in opened.namelist()
        if name.startswith("archive/")
        for record in ArchiveIterator(io.BytesIO(opened.read(name)))
    )
    assert len(found) == responses


def test_the_index_is_sorted_and_its_blocks_can_be_read_alone(opened: zipfile.ZipFile) -> None:
    lines = index_of(opened)
    assert lines == sorted(lines)
    write_package = opened.read("indexes/index.cdx.gz")
    header, *firsts = opened.read("indexes/index.idx").decode().splitlines()
    assert json.loads(header.removeprefix("!meta 0 ")) == {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}
    read: list[str] = []
    for first in firsts:
        key, _, place = first.partition(" {")
        at = json.loads("{" + place)
        block = gzip.decompress(write_package[at["offset"] : at["offset"] + at["length"]]).decode().splitlines()
        assert block[0].startswith(f"{key} {{")
        read += block
    assert read == lines


def test_pages_are_those_that_were_read_the_root_first(crawled: Crawled, opened: zipfile.ZipFile) -> None:
    header, *lines = opened.read("pages/pages.jsonl").decode().splitlines()
    assert json.loads(header)["format"] == "json-pages-1.0"
    pages = [json.loads(line) for line in lines]
    expected = {
        page["final_url"] or page["url"]
        for page in crawled.done.pages()
        if page["state"] == "fetched" and page["content_type"] in ("text/html", "application/xhtml+xml")
    }
    assert {page["url"] for page in pages} >= expected
    assert pages[0]["url"] == crawled.done.row.root_url
    assert {page["url"] for page in pages} <= {entry["url"] for entry in entries(opened)}
    assert all(page["ts"].endswith("Z") for page in pages)


def test_it_is_the_same_but_for_times_when_it_is_made_again(crawled: Crawled, wacz: Path, tmp_path: Path) -> None:
    root = crawled.done.folder.parents[5]
    names = sorted(path.name.removesuffix(".warc.gz") for path in (crawled.done.folder / "warc").iterdir())
    batches = []
    for name in names:
        wave, batch, attempt = map(int, name.split("-"))
        batches.append((BatchId(crawl=crawled.done.row.id, wave=wave, batch=batch), attempt))
    summary = crawled.done.summary
    facts = CrawlFacts(
        crawl=summary.crawl,
        site=summary.site,
        root_url=summary.root_url,
        root_key="",
        status=summary.status,
        stopped="",
        started_at=summary.timing.started_at.timestamp(),
        finished_at=summary.timing.finished_at.timestamp(),
        settings={},
        version=summary.version,
        follow_nofollow=False,
    )
    wacz_packer = packer_of(root)
    with zipfile.ZipFile(wacz) as made:
        _, *lines = made.read("pages/pages.jsonl").splitlines()
    pages = [json.loads(line) for line in lines]
    read = [
        ReadPage(
            key=page["id"],
            url=page["url"],
            title=page["title"],
            fetched_at=datetime.fromisoformat(page["ts"]).timestamp(),
        )
        for page in pages
    ]
    wacz_packer.pack(batches, facts, tmp_path, read, most=10**9)
    assert (tmp_path / "crawl.wacz").read_bytes() == wacz.read_bytes()
    assert 0.5 < wacz_packer.size(batches, most=10**9) / wacz.stat().st_size < 1


def test_a_page_that_had_not_changed_is_no_page_and_indexed_unless_the_response_was_304(tmp_path: Path) -> None:
    pages = (
        Page(path="/", title="One", text=("Words.",), etag='"1"', links=(Link(to="/plain"),)),
        Page(path="/plain", title="Two", text=("More words.",)),
    )
    with SiteServer(Site(pages=pages)) as server:
        crawl_inline(server.url, tmp_path, ALL_FILES)
        second = crawl_inline(server.url, tmp_path, ALL_FILES)
    with zipfile.ZipFile(second.exports / "crawl.wacz") as opened:
        found = {(entry["url"].rpartition("/")[2], entry["mime"], entry["status"]) for entry in entries(opened)}
        assert ("plain", "warc/revisit", "200") in found
        assert not {status for _, _, status in found if status == "304"}
        assert len(opened.read("pages/pages.jsonl").splitlines()) == 1


class OfSize:
    """A packer whose package has a given size. It counts its calls."""

    def __init__(self, size: int) -> None:
        self._size = size
        self.packed = 0

    def size(self, _batches: object, *, most: int) -> int:  # noqa: ARG002 - as `Packer`
        return self._size

    def pack(self, _batches: object, _crawl: CrawlFacts, _folder: Path, _pages: object, *, most: int) -> Gone:  # noqa: ARG002 - as `Packer`
        self.packed += 1
        return Gone()


@pytest.mark.parametrize(
    ("most", "made", "notices"), [(10, 1, []), (9, 0, ["crawl.wacz"]), (0, 0, [])], ids=["fits", "too large", "off"]
)
def test_beyond_its_size_there_is_a_notice_instead(tmp_path: Path, most: int, made: int, notices: list[str]) -> None:
    sized = OfSize(10)
    reported = write_package(Packing(packer=sized, most_bytes=most), [], FACTS, tmp_path, [])
    assert (sized.packed, [notice.subject for notice in reported]) == (made, notices)


def cut_short(warc: Path) -> None:
    """Cut off the end of a WARC, as a disk that loses its last blocks does."""
    warc.write_bytes(warc.read_bytes()[:-5])


def overwrite(warc: Path) -> None:
    """Overwrite the first bytes of a WARC."""
    warc.write_bytes(b"this is no gzip" + warc.read_bytes())


@pytest.mark.parametrize("spoil", [cut_short, overwrite, Path.unlink])
@slow
def test_results_whose_package_cannot_be_made_are_there_and_say_why(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    with SiteServer(Site(pages=(Page(path="/", title="One", text=("Words.",)),))) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
    before = {path.name for path in done.exports.iterdir()}
    spoil(next((done.folder / "warc").iterdir()))
    again = rebuild(tmp_path, done)
    assert {path.name for path in done.exports.iterdir()} == before - {"crawl.wacz"}
    assert again.summary.pages == 1
    (notice,) = again.summary.notices
    assert (notice.subject, notice.message[:13]) == ("crawl.wacz", "not created: ")
    assert escape(notice.message) in (done.exports / "report.html").read_text(encoding="utf-8")
    assert json.loads((done.exports / "summary.json").read_text())["notices"][0]["message"] == notice.message


@pytest.mark.parametrize("spoil", [cut_short, overwrite])
def test_records_that_cannot_be_read_leave_the_results_as_they_were(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    with SiteServer(Site(pages=(Page(path="/", title="One", text=("Words.",)),))) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
    before = {path.name: path.read_bytes() for path in done.exports.iterdir()}
    spoil(next((done.folder / "records").iterdir()))
    with pytest.raises(CorruptDataError, match="record"):
        rebuild(tmp_path, done)
    assert {path.name: path.read_bytes() for path in done.exports.iterdir()} == before


def test_a_package_that_finds_the_disk_full_leaves_nothing(crawled: Crawled, tmp_path: Path) -> None:
    def full(_: str) -> ReadPage:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    root = crawled.done.folder.parents[5]
    with pytest.raises(OSError, match="No space left"):
        packer_of(root).pack([], FACTS, tmp_path, map(full, ["page"]), most=10**9)
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_becomes_too_large_leaves_nothing(crawled: Crawled, tmp_path: Path) -> None:
    root = crawled.done.folder.parents[5]
    page = ReadPage(key="k", url="https://example.com/", title="T" * 2_000, fetched_at=1.0)
    with pytest.raises(PermanentError, match="larger than its limit"):
        packer_of(root).pack([], FACTS, tmp_path, [page], most=2_000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("most", [10**9, 10**12])
def test_readers_find_each_member_by_its_entry_in_the_directory(crawled: Crawled, tmp_path: Path, most: int) -> None:
    root = crawled.done.folder.parents[5]
    page = ReadPage(key="k", url="http://a.example/", title="", fetched_at=0.0)
    packer_of(root).pack([], FACTS, tmp_path, [page], most=most)
    data = (tmp_path / "crawl.wacz").read_bytes()
    with zipfile.ZipFile(tmp_path / "crawl.wacz") as package:
        assert package.namelist() != []
        for info in package.infolist():
            name, extra = struct.unpack_from("<HH", data, info.header_offset + 26)  # APPNOTE 4.3.7
            # ReplayWeb.page takes the header of an entry without extra fields to have none, too.
            assert bool(info.extra) or not extra
            start = info.header_offset + 30 + name + extra
            assert data[start : start + info.file_size] == package.read(info)


def test_a_package_says_how_many_screenshots_and_media_it_lacks(crawled: Crawled, tmp_path: Path) -> None:
    """Someone deleted them: the packer's stores have none."""
    root = crawled.done.folder.parents[5]
    url = "https://site.example/"
    shown = ReadPage(key="a", url=url, title="", fetched_at=1.0, screenshot="gone.jpg")
    images = [ReadPage(key=key, url=url + key, title="", fetched_at=1.0, is_page=False, asset="0" * 64) for key in "bc"]
    facts = replace(FACTS, settings=to_builtins(replace(ALL_FILES, complete_wacz=True)))
    batch = BatchId(crawl=crawled.done.row.id, wave=1, batch=0)
    packing = Packing(packer=packer_of(root), most_bytes=10**9)
    (notice,) = write_package(packing, [(batch, 1)], facts, tmp_path, [shown, *images])
    assert notice.message == "it lacks what is no longer stored: 1 screenshot, 2 media files"


def test_a_package_says_which_unchanged_pages_it_lacks(tmp_path: Path) -> None:
    site = Site(pages=(Page(path="/", title="One", text=("Words.",)),))
    complete = replace(ALL_FILES, complete_wacz=True)
    with SiteServer(site) as server:
        first = crawl_inline(server.url, tmp_path, ALL_FILES)
        second = crawl_inline(server.url, tmp_path, complete)
        assert [notice for notice in second.summary.notices if notice.subject == "crawl.wacz"] == []
        for path in (first.folder / "warc").iterdir():
            path.unlink()
        third = crawl_inline(server.url, tmp_path, complete)
    (message,) = [notice.message for notice in third.summary.notices if notice.subject == "crawl.wacz"]
    assert message == "it lacks what is no longer stored: 1 unchanged page"
    with zipfile.ZipFile(third.exports / "crawl.wacz") as opened:
        assert len(opened.read("pages/pages.jsonl").splitlines()) == 1


def test_a_torn_warc_is_called_corrupt(crawled: Crawled) -> None:
    data = next((crawled.done.folder / "warc").iterdir()).read_bytes()
    with pytest.raises(CorruptDataError):
        list(index_lines([data[:-1]], filename="torn"))
    with pytest.raises(CorruptDataError):
        list(index_lines([data[:30], b"this is no gzip"], filename="broken"))


def test_the_size_of_pieces_changes_nothing(crawled: Crawled) -> None:
    data = next((crawled.done.folder / "warc").iterdir()).read_bytes()
    whole = list(index_lines([data], filename="a"))
    assert whole
    for size in (1, 7, 4_096):
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
        assert list(index_lines(pieces, filename="a")) == whole


def test_a_status_line_may_have_no_reason_phrase() -> None:
    """RFC 9112, section 4: the phrase may be empty."""
    exchange = Exchange(url="https://example.com/", status=204, headers=(("Content-Type", "text/html"),))
    (line,) = index_lines([exchange_records(exchange).data], filename="a")
    assert '"status": "204"' in line


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.Example.com/", "com,example)/"),
        ("http://www2.example.com/A/b/", "com,example)/a/b"),
        ("https://example.com:8443/x?b=2&a=1&A=0", "com,example:8443)/x?a=0&a=1&b=2"),
        ("http://127.0.0.1:80/", "1,0,0,127:80)/"),
        ("https://example.com/%7Euser//x?", "com,example)/~user/x"),
        ("https://example.com/a%20b/%C3%A4?q=%25", "com,example)/a%20b/%c3%a4?q=%25"),
    ],
)
def test_keys_are_sort_friendly(url: str, key: str) -> None:
    assert surt(url) == key


@needs_tools
def test_the_formats_own_tool_finds_it_valid(wacz: Path) -> None:
    done = subprocess.run([TOOLS / "wacz", "validate", "-f", wacz], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "invalid" not in (done.stdout + done.stderr).lower()


@needs_tools
def test_the_index_is_what_the_formats_own_indexer_makes(crawled: Crawled, opened: zipfile.ZipFile) -> None:
    warcs = sorted((crawled.done.folder / "warc").iterdir())
    done = subprocess.run([TOOLS / "cdxj-indexer", "-s", *warcs], capture_output=True, text=True, check=True)
    theirs = [line for line in done.stdout.splitlines() if line]
    assert index_of(opened) == theirs


@needs_tools
def test_keys_are_those_of_the_reference() -> None:
    urls: list[str] = []
    letters = st.text(alphabet="aAbZ09-_.~%/&=?+;:@!$'()*,ä ", max_size=12)

    @given(letters, letters, st.sampled_from(["example.com", "www.example.com", "WWW3.a.example:8080", "127.0.0.1:81"]))
    def collect(path: str, query: str, host: str) -> None:
        assume(not {".", ".."} & set(path.split("/")))  # the crawler resolves them
        url = f"http://{host}/{quote(path, safe='/%&=+;:@!$()*,')}?{quote(query, safe='/%&=+;:@!$()*,?')}"
        urls.extend((url, f"urn:view:{url}", f"urn:fullPage:{url.partition('?')[0]}"))

    collect()
    script = "import json, surt, sys; print(json.dumps([surt.surt(url) for url in json.load(sys.stdin)]))"
    done = subprocess.run(
        [TOOLS / "python", "-c", script], input=json.dumps(urls), capture_output=True, text=True, check=True
    )
    theirs = json.loads(done.stdout)
    assert [(url, surt(url)) for url in urls] == list(zip(urls, theirs, strict=True))


def test_results_can_be_rebuilt_with_their_package(tmp_path: Path) -> None:
    with SiteServer(Site(pages=(Page(path="/", title="One", text=("Words.",)),))) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
    before = (done.exports / "crawl.wacz").read_bytes()
    rebuild(tmp_path, done)
    assert (done.exports / "crawl.wacz").read_bytes() == before


def test_pages_are_the_same_lines_however_many_are_written_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SiteServer(plain_site(pages=8, body_bytes=400)) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
    before, table, parquet = done.pages(), (done.exports / "pages.csv").read_bytes(), parquet_rows(done)
    monkeypatch.setattr(page_exports, "_MOST_PAGES", 3)
    rebuild(tmp_path, done)
    assert len(before) == 8
    assert done.pages() == before
    assert (done.exports / "pages.csv").read_bytes() == table
    assert parquet_rows(done) == parquet


@slow
def test_results_are_the_same_bytes_whether_they_are_large_or_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SiteServer(demo_site()) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
    small = {path.name: path.read_bytes() for path in done.exports.iterdir()}
    monkeypatch.setattr(build, "SMALL", 0)
    rebuild(tmp_path, done)
    assert {path.name: path.read_bytes() for path in done.exports.iterdir()} == small


def rebuild(folder: Path, done: Done) -> Done:
    """Build the results of a crawl again, from its records."""
    store = LocalStore(folder)
    row = store.crawls.read(done.row.id)
    assert row is not None
    again = build_results(store, row, rebuild=True)
    store.close()
    return again


def parquet_rows(done: Done) -> list[tuple[object, ...]]:
    """Return the rows of pages.parquet."""
    return duckdb.connect().execute("SELECT * FROM read_parquet(?)", [str(done.exports / "pages.parquet")]).fetchall()


def extra_fields(wacz: Path) -> dict[str, int]:
    """Return the length of the extra fields in front of each member (APPNOTE 4.3.7)."""
    data = wacz.read_bytes()
    with zipfile.ZipFile(wacz) as opened:
        places = {one.filename: one.header_offset + 28 for one in opened.infolist()}
    return {name: int.from_bytes(data[place : place + 2], "little") for name, place in places.items()}


def test_only_members_that_may_be_large_have_fields_that_replay_tools_do_not_read(tmp_path: Path) -> None:
    packer = packer_of(tmp_path)
    packer.pack([], FACTS, tmp_path, [], most=zipfile.ZIP64_LIMIT)
    small = extra_fields(tmp_path / "crawl.wacz")
    assert small.keys() >= {"pages/pages.jsonl", "datapackage.json"}
    assert set(small.values()) == {0}
    packer.pack([], FACTS, tmp_path, [], most=zipfile.ZIP64_LIMIT + 1_000_000)
    assert set(extra_fields(tmp_path / "crawl.wacz").values()) == {
        24
    }  # ZIP64, and the field without content that the directory has too


@pytest.mark.parametrize(
    ("megabytes", "expected"),
    [
        ([0] * 9, [8, 1]),
        ([30, 30, 4, 1], [3, 1]),
        ([500, 1, 500, 500], [1, 1, 1, 1]),
        ([], []),
    ],
)
def test_few_large_assets_are_in_memory_at_the_same_time(megabytes: list[int], expected: list[int]) -> None:
    def asset(size: int) -> ReadPage:
        return ReadPage(key="k", url="u", title="", fetched_at=0.0, asset="h", asset_bytes=size * 1_000_000)

    assert [len(group) for group in read_groups(map(asset, megabytes))] == expected
