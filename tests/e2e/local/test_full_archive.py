"""Full archives: what a browser needs is stored once, deduplicated across pages and crawls, and in the package."""

import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.crawling import ALL_FILES, Done, crawl_inline
from tests.support.media_site import MediaSite, html, png
from warcio.archiveiterator import ArchiveIterator

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.archive.settings import ArchiveContent, ArchiveSettings
from wavecrawl.domain.brand.settings import BrandSettings
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeSettings
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings

CSS = "text/css"
FULL = replace(
    ALL_FILES,
    brand=BrandSettings(enabled=False),
    archive=ArchiveSettings(content=ArchiveContent.FULL),
    files_at_once=(ResultFile.WACZ,),
    max_retries=0,
)
HEAD = "<link rel=stylesheet href=/site.css><link rel=icon href=/icon.png><script src=/app.js></script>"
CONTENT: dict[str, tuple[str, bytes] | int | str] = {
    "/": html(f"{HEAD}<a href=/b>b</a><img srcset='/small.png 320w, /wide.png 1600w' src=/logo.png>"),
    "/b": html(f"{HEAD}<img src=/logo.png><img src=/gone.png><link rel=stylesheet href=/moved.css>"),
    "/site.css": (CSS, b"@import 'more.css'; @font-face { src: url(font.woff2) } p { background: url('bg.png') }"),
    "/more.css": (CSS, b"@import url(site.css); h1 { background: url(deep/h1.png) }"),
    "/moved.css": "/styles/new.css",
    "/styles/new.css": (CSS, b"p { background: url(new.png) }"),
    "/styles/new.png": png(8),
    "/font.woff2": ("font/woff2", b"wOF2 a font"),
    "/app.js": ("text/javascript", b"document.title = 'x'"),
    "/icon.png": png(1),
    "/logo.png": png(2),
    "/small.png": png(3),
    "/wide.png": png(4),
    "/bg.png": png(5),
    "/deep/h1.png": png(6),
}
RESOURCES = {path for path in CONTENT if path not in ("/", "/b", "/moved.css")} | {"/moved.css"}


@pytest.fixture(name="site")
def the_site() -> Iterator[MediaSite]:
    with MediaSite(CONTENT) as server:
        yield server


def package_of(done: Done) -> zipfile.ZipFile:
    return zipfile.ZipFile(done.exports / "crawl.wacz")


def records(opened: zipfile.ZipFile) -> Iterator[tuple[str, str, bytes]]:
    """Yield type, path and content of each record that replay can show."""
    for name in opened.namelist():
        if name.startswith("archive/"):
            for record in ArchiveIterator(io.BytesIO(opened.read(name))):
                if record.rec_type in ("response", "revisit", "resource"):
                    url = str(record.rec_headers.get_header("WARC-Target-URI"))
                    yield (
                        record.rec_type,
                        "/" + url.partition("//")[2].partition("/")[2],
                        record.content_stream().read(),
                    )


def stored(opened: zipfile.ZipFile) -> dict[str, list[bytes]]:
    """Return the bodies of the responses by path."""
    found: dict[str, list[bytes]] = {}
    for kind, path, body in records(opened):
        if kind == "response":
            found.setdefault(path, []).append(body)
    return found


def indexed(opened: zipfile.ZipFile) -> dict[str, dict[str, Any]]:
    """Return the index by path."""
    lines = gzip.decompress(opened.read("indexes/index.cdx.gz")).decode().splitlines()
    entries = [json.loads(line.split(" ", 2)[2]) for line in lines]
    return {"/" + one["url"].partition("//")[2].partition("/")[2]: one for one in entries}


def media(done: Done) -> dict[str, tuple[str, str]]:
    """Return state and reason of each media URL, by path."""
    rows = duckdb.connect().read_parquet(str(done.exports / "media.parquet")).project("url, state, reason").fetchall()
    return {"/" + url.partition("//")[2].partition("/")[2]: (state, reason) for url, state, reason in rows}


def test_a_full_archive_stores_each_resource_once(site: MediaSite, tmp_path: Path) -> None:
    done = crawl_inline(site.url, tmp_path, FULL)

    with package_of(done) as opened:
        found = stored(opened)
        assert found.keys() == {*CONTENT, "/gone.png"}
        assert {path: len(bodies) for path, bodies in found.items()} == dict.fromkeys(found, 1)
        assert found["/font.woff2"] == [b"wOF2 a font"]
        assert found.keys() <= indexed(opened).keys()
        pages = opened.read("pages/pages.jsonl").decode().splitlines()[1:]
    assert len(pages) == 2
    requested = [path for path in RESOURCES if len(site.requests(path)) != 1]
    assert requested == []
    assert media(done)["/gone.png"] == ("not_found", "status")
    assert media(done)["/moved.css"] == ("fetched", "")


def test_without_the_option_nothing_else_is_requested(site: MediaSite, tmp_path: Path) -> None:
    done = crawl_inline(site.url, tmp_path, replace(FULL, archive=ArchiveSettings()))

    with package_of(done) as opened:
        assert stored(opened).keys() == {"/", "/b"}
    assert not (done.exports / "media.parquet").exists()


def test_a_second_crawl_stores_nothing_again_and_its_package_has_everything(site: MediaSite, tmp_path: Path) -> None:
    first = crawl_inline(site.url, tmp_path, FULL)
    site.log.clear()
    second = crawl_inline(site.url, tmp_path, FULL)

    assert {status for path in RESOURCES for _, status in site.requests(path)} == {302, 304}
    bodies = [
        record.content_stream().read()
        for path in (second.folder / "warc").iterdir()
        for record in ArchiveIterator(io.BytesIO(path.read_bytes()))
        if record.rec_type in ("response", "revisit")
    ]
    assert {body for body in bodies if body} == {b"<!DOCTYPE html><title>404</title><h1>404 Not Found</h1>\n"}
    with package_of(second) as opened, package_of(first) as before:
        assert stored(opened) == {**stored(before), "/moved.css": [b"", b""]}  # each crawl has the redirect
        assert indexed(opened).keys() == indexed(before).keys()
    assert {path for path, (state, _) in media(second).items() if state == "unchanged"} == RESOURCES - {
        "/styles/new.css"
    }


def test_a_resource_that_changed_is_stored_again(site: MediaSite, tmp_path: Path) -> None:
    crawl_inline(site.url, tmp_path, FULL)
    site.content["/app.js"] = ("text/javascript", b"document.title = 'y'")
    second = crawl_inline(site.url, tmp_path, FULL)

    with package_of(second) as opened:
        assert stored(opened)["/app.js"] == [b"document.title = 'y'"]


def test_a_later_full_archive_has_the_resources_of_unchanged_pages(site: MediaSite, tmp_path: Path) -> None:
    crawl_inline(site.url, tmp_path, replace(FULL, archive=ArchiveSettings()))
    second = crawl_inline(site.url, tmp_path, FULL)

    with package_of(second) as opened:
        assert stored(opened).keys() == {*CONTENT, "/gone.png"}


def limited(**limits: Any) -> CrawlSettings:
    return replace(FULL, archive=ArchiveSettings(content=ArchiveContent.FULL, **limits))


def test_the_number_of_resources_is_limited(site: MediaSite, tmp_path: Path) -> None:
    done = crawl_inline(site.url, tmp_path, limited(max_resources=2))

    found = media(done)
    assert [path for path, (state, _) in found.items() if state == "fetched"] == ["/site.css", "/icon.png"]
    assert found["/app.js"] == found["/logo.png"] == found["/font.woff2"] == ("skipped", "max_resources")


def test_what_stylesheets_load_has_the_reason_for_which_the_crawl_stopped(site: MediaSite, tmp_path: Path) -> None:
    done = crawl_inline(site.url, tmp_path, replace(FULL, max_requests=9))

    found = media(done)
    assert found.pop("/site.css") == ("fetched", "")
    assert found["/bg.png"] == ("skipped", "max_requests")
    assert set(found.values()) == {("skipped", "max_requests")}


def test_a_large_resource_is_left_out_with_its_reason(site: MediaSite, tmp_path: Path) -> None:
    site.content["/logo.png"] = ("image/png", bytes(3_000))
    done = crawl_inline(site.url, tmp_path, limited(max_resource_mb=0.002))

    assert media(done)["/logo.png"] == ("skipped", "too_large")
    with package_of(done) as opened:
        assert "/logo.png" not in stored(opened)
        assert "/app.js" in stored(opened)


def test_the_bytes_of_all_resources_are_limited(site: MediaSite, tmp_path: Path) -> None:
    site.content["/site.css"] = (CSS, b"p { background: url(bg.png) } /*" + bytes(3_000) + b"*/")
    done = crawl_inline(site.url, tmp_path, limited(max_mb=0.002))

    found = media(done)
    assert found["/site.css"] == ("fetched", "")
    assert found["/bg.png"] == ("skipped", "archive_full")
    assert any(one.subject == "archive.max_mb" for one in done.summary.notices)


def test_a_resource_at_a_private_address_is_not_requested(site: MediaSite, tmp_path: Path) -> None:
    with MediaSite({"/secret.js": ("text/javascript", b"secret")}) as inside:
        secret = inside.url.replace("127.0.0.1", "127.0.0.2") + "secret.js"
        site.content["/site.css"] = (
            CSS,
            f"@import '{secret}'; p {{ background: url(http://10.0.0.1/x.png) }}".encode(),
        )
        site.content["/app.js"] = secret
        done = crawl_inline(site.url, tmp_path, replace(FULL, allowed_addresses=("127.0.0.1",)))

    assert inside.log == []
    assert media(done)["/x.png"] == ("failed", "blocked_address")
    assert media(done)["/secret.js"] == ("failed", "blocked_address")
    assert media(done)["/app.js"] == ("failed", "blocked_address")


def test_robots_txt_and_scope_apply_to_resources(site: MediaSite, tmp_path: Path) -> None:
    site.content["/robots.txt"] = ("text/plain", b"User-agent: *\nDisallow: /deep/\n")
    done = crawl_inline(site.url, tmp_path, replace(FULL, scope=ScopeSettings(exclude=("*.woff2",))))

    assert media(done)["/deep/h1.png"] == ("robots_denied", "robots_rule")
    assert media(done)["/bg.png"] == ("fetched", "")
    assert media(done)["/font.woff2"] == ("skipped", "excluded")  # a stylesheet uses it
    assert site.requests("/deep/h1.png") == site.requests("/font.woff2") == []


def test_media_that_the_crawl_stores_are_in_the_package(site: MediaSite, tmp_path: Path) -> None:
    settings = replace(FULL, media=MediaSettings(include=(MediaGroup.IMAGES,)))
    with closing(LocalStore(tmp_path)) as store:
        done = crawl_inline(site.url, tmp_path, settings, assets=store.media)

    assert len(site.requests("/wide.png")) == 1
    with package_of(done) as opened:
        found = [(kind, body) for kind, path, body in records(opened) if path == "/wide.png"]
        assert found == [("resource", png(4)[1])]
        assert indexed(opened)["/wide.png"]["status"] == "200"
