"""Screenshots in the results of crawls: API, report and WACZ package."""

import base64
import gzip
import io
import json
import re
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.results_service import ResultsService
from tests.support.campaign import slow
from tests.support.crawling import ALL_FILES, Done, build_results, crawl_inline
from tests.support.fake_browser import JPEG, FakeBrowser
from warcio.archiveiterator import ArchiveIterator

from wavecrawl.adapters.analytics.report import pictures
from wavecrawl.adapters.embedded.downloads import DOWNLOADS
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.rendering.settings import RenderSettings, ScreenshotArea, Screenshots

TOOLS = Path(__file__).parents[3] / ".venv-wacz" / "bin"
PATHS = ("/", "/a", "/b?y=2&x=1")
SHOWN = replace(ALL_FILES, render=RenderSettings(screenshots=Screenshots.ALL))
needs_tools = pytest.mark.skipif(not TOOLS.is_dir(), reason="`make .venv-wacz/.done` installs them")


def site() -> Site:
    links = tuple(Link(to=path) for path in PATHS[1:])
    return Site(
        pages=tuple(
            Page(path=path, title=f"Page {path}", text=("Words.",), links=links, etag=f'"{path}"') for path in PATHS
        )
    )


@dataclass(frozen=True, kw_only=True)
class Two:
    """Two crawls of a site whose pages do not change."""

    folder: Path
    first: Done
    second: Done


def crawled_twice(folder: Path) -> Two:
    with SiteServer(site()) as server:
        first, second = (crawl_inline(server.url, folder, SHOWN, browser=FakeBrowser()) for _ in range(2))
    return Two(folder=folder, first=first, second=second)


@pytest.fixture(name="two", scope="module")
def two_crawls(tmp_path_factory: pytest.TempPathFactory) -> Two:
    return crawled_twice(tmp_path_factory.mktemp("shown"))


@pytest.fixture(name="service")
def a_service(two: Two) -> Iterator[ResultsService]:
    service = ResultsService(two.folder)
    yield service
    service.close()


def test_a_page_has_the_url_of_its_screenshot(two: Two, service: ResultsService) -> None:
    for done in (two.first, two.second):
        assert len(done.pages()) == len(PATHS)
        for page in done.pages():
            found = service.ask("GET", f"/v1/crawls/{done.row.id.crawl}/pages/{page['key']}").body
            token = urlsplit(found["screenshot_url"]).path.removeprefix(DOWNLOADS)
            picture = service.store.downloads.download(token)
            assert (picture.content_type, picture.path.read_bytes()) == ("image/jpeg", JPEG)
            assert (
                picture.disposition
                == f'inline; filename="{two.first.row.id.site}-{two.first.row.id.crawl}-{page["key"]}.jpg"'
            )


def test_the_report_shows_them_and_refers_to_no_file(two: Two) -> None:
    for done in (two.first, two.second):
        html = (done.exports / "report.html").read_text()
        pictures = re.findall(r'<img loading="lazy" [^>]*src="data:image/jpeg;base64,([^"]*)">', html)
        assert [base64.b64decode(one) for one in pictures] == [JPEG] * len(PATHS)
        assert "<figcaption>Page /a<br><a href=" in html


def test_the_report_has_a_limit(tmp_path: Path, two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "PICTURE_BYTES", len(JPEG))
    with SiteServer(site()) as server:
        done = crawl_inline(server.url, tmp_path, SHOWN, browser=FakeBrowser())
    html = (done.exports / "report.html").read_text()
    assert html.count("<img ") == 1
    assert "Shows 1 of 3 screenshots." in html
    assert two.first.exports.is_dir()


def test_without_screenshots_the_report_does_not_mention_them(tmp_path: Path) -> None:
    with SiteServer(site()) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
    html = (done.exports / "report.html").read_text()
    assert ("Screenshots" in html, "<img " in html) == (False, False)
    with zipfile.ZipFile(done.exports / "crawl.wacz") as opened:
        assert "archive/screenshots.warc.gz" not in opened.namelist()


def resources(package: Path) -> dict[str, bytes]:
    """Return the content of the resources in a package, by URI, as its index leads to them."""
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(package) as opened:
        for line in gzip.decompress(opened.read("indexes/index.cdx.gz")).decode().splitlines():
            entry = json.loads(line.split(" ", 2)[2])
            if entry["url"].startswith("urn:"):
                warc = opened.read(f"archive/{entry['filename']}")
                start = int(entry["offset"])
                record = next(ArchiveIterator(io.BytesIO(warc[start : start + int(entry["length"])])))
                assert (record.rec_type, entry["mime"]) == ("resource", "image/jpeg")
                assert record.rec_headers.get_header("WARC-Payload-Digest") == entry["digest"]
                found[entry["url"]] = record.content_stream().read()
    return found


@slow
def test_the_package_has_those_of_the_pages_whose_content_it_has(two: Two) -> None:
    urls = [page["url"] for page in two.first.pages()]
    assert resources(two.first.exports / "crawl.wacz") == {f"urn:view:{url}": JPEG for url in urls}
    assert resources(two.second.exports / "crawl.wacz") == {}


def test_screenshots_of_whole_pages_have_another_name(tmp_path: Path) -> None:
    whole = replace(SHOWN, render=replace(SHOWN.render, screenshot_area=ScreenshotArea.FULL))
    with SiteServer(site()) as server:
        done = crawl_inline(server.url, tmp_path, whole, browser=FakeBrowser())
        assert f"urn:fullPage:{server.url}" in resources(done.exports / "crawl.wacz")


def test_a_package_that_is_made_again_is_the_same(tmp_path: Path) -> None:
    two = crawled_twice(tmp_path)
    before = (two.first.exports / "crawl.wacz").read_bytes()
    again(two)
    assert (two.first.exports / "crawl.wacz").read_bytes() == before


@slow
def test_results_that_are_made_again_lack_screenshots_that_are_gone(tmp_path: Path) -> None:
    two = crawled_twice(tmp_path)
    gone = next(page for page in two.first.pages() if page["url"].endswith("/a"))
    (tmp_path / gone["screenshot"]).unlink()
    again(two)
    assert len(resources(two.first.exports / "crawl.wacz")) == len(PATHS) - 1
    assert (two.first.exports / "report.html").read_text().count("<img ") == len(PATHS) - 1
    service = ResultsService(tmp_path)
    found = service.ask("GET", f"/v1/crawls/{two.second.row.id.crawl}/pages/{gone['key']}").body
    service.close()
    assert found["screenshot_url"] is None


@slow
def test_a_deleted_page_loses_the_screenshot_that_its_crawl_made(tmp_path: Path) -> None:
    """As its content, it is then not shown by a later crawl that found the page unchanged either."""
    two = crawled_twice(tmp_path)
    first, second = (done.row.id.crawl for done in (two.first, two.second))
    keys = {urlsplit(page["url"]).path: page["key"] for page in two.first.pages()}
    names = {page["key"]: page["screenshot"] for page in two.first.pages()}
    service = ResultsService(tmp_path)
    shown = {}
    try:
        for crawl, path in ((first, "/a"), (second, "/b")):
            assert service.ask("DELETE", f"/v1/crawls/{crawl}/pages/{keys[path]}").status == 204
        for crawl, path in ((second, "/a"), (first, "/b"), (second, "/")):
            page = service.ask("GET", f"/v1/crawls/{crawl}/pages/{keys[path]}").body
            shown[path] = page["screenshot_url"] is not None
        assert shown == {"/a": False, "/b": True, "/": True}
        assert [path for path, key in keys.items() if not (tmp_path / names[key]).exists()] == ["/a"]
        assert service.ask("DELETE", f"/v1/crawls/{first}").status == 204
        page = service.ask("GET", f"/v1/crawls/{second}/pages/{keys['/']}").body
        assert page["screenshot_url"] is not None
        left = {path for path, key in keys.items() if (tmp_path / names[key]).exists()}
        assert left == set(keys) - {"/a", "/b"}  # those that the later crawl shows
        assert service.ask("DELETE", f"/v1/crawls/{second}").status == 204
        assert list(tmp_path.rglob("*.jpg")) == []
    finally:
        service.close()


def again(two: Two) -> None:
    """Make the results of the first crawl again."""
    store = LocalStore(two.folder)
    row = store.crawls.read(two.first.row.id)
    assert row is not None
    build_results(store, row)
    store.close()


@needs_tools
def test_the_formats_own_tools_agree(two: Two, tmp_path: Path) -> None:
    package = two.first.exports / "crawl.wacz"
    done = subprocess.run([TOOLS / "wacz", "validate", "-f", package], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "invalid" not in (done.stdout + done.stderr).lower()
    with zipfile.ZipFile(package) as opened:
        opened.extract("archive/screenshots.warc.gz", tmp_path)
        lines = gzip.decompress(opened.read("indexes/index.cdx.gz")).decode().splitlines()
    warc = tmp_path / "archive" / "screenshots.warc.gz"
    theirs = subprocess.run([TOOLS / "cdxj-indexer", "-s", warc], capture_output=True, text=True, check=True)
    assert [line for line in lines if line.startswith("urn:")] == theirs.stdout.splitlines()
    checked = subprocess.run([TOOLS / "warcio", "check", warc], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
