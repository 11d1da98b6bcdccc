"""Files of a site that were requested as pages for evidence: among checks and media they are as if they were not."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.crawling import QUICK, Done, crawl_inline, table
from tests.support.fake_media import MemoryAssets
from tests.support.media_site import MediaSite, html, png

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings

RESOURCES = replace(QUICK, checks=CheckSettings(resources=True))
STORED = replace(QUICK, media=MediaSettings(include=(MediaGroup.IMAGES, MediaGroup.DOCUMENTS)))
BOTH = replace(RESOURCES, media=STORED.media)

PDF = ("application/pdf", b"%PDF-1.7 with a text")
PATHS = (
    "/a/file.pdf", "/b/gone.pdf", "/c/locked.pdf", "/d/page.pdf", "/e/broken.zip", "/f/to-page.zip", "/g/to-cdn.zip",
    "/h/photo.png", "/d/page-2.pdf",
)  # fmt: skip
PAGES = ("/", "/b", "/d/page.pdf", "/d/page-2.pdf", "/linked-by-a-page")


@pytest.fixture(name="cdn")
def another_host() -> Iterator[MediaSite]:
    with MediaSite({"/file.zip": ("application/zip", b"PK")}) as server:
        yield server


@pytest.fixture(name="site")
def a_site(cdn: MediaSite) -> Iterator[MediaSite]:
    links = "".join(f"<a href={path}>{path}</a>" for path in PATHS)
    content: dict[str, tuple[str, bytes] | int | str] = {
        "/": html(f"<a href=/b>b</a>{links}<img src=/h/photo.png>"),
        "/b": html("<a href=/b/gone.pdf>gone</a>"),
        "/a/file.pdf": PDF,
        "/c/locked.pdf": 403,
        "/d/page.pdf": html("<a href=/linked-by-a-page>x</a>"),
        "/d/page-2.pdf": html("A text"),
        "/linked-by-a-page": html("A page"),
        "/e/broken.zip": 500,
        "/f/to-page.zip": "/b",
        "/g/to-cdn.zip": f"{cdn.origin}/file.zip",
        "/h/photo.png": png(1),
    }
    with MediaSite(content) as server:
        yield server


def crawl(site: MediaSite, folder: Path, settings: object = RESOURCES) -> Done:
    site.forget()
    return crawl_inline(site.url, folder, settings, assets=MemoryAssets())  # type: ignore[arg-type]


def rows(site: MediaSite, done: Done, name: str, columns: str) -> list[tuple[object, ...]]:
    found = duckdb.connect().read_parquet(str(done.exports / name)).project(columns).fetchall()
    return sorted(tuple(str(one).removeprefix(site.origin) for one in row) for row in found)


def broken(site: MediaSite, done: Done) -> list[tuple[str, ...]]:
    return sorted(
        (row["kind"], row["url"].removeprefix(site.origin), row["related"].removeprefix(site.origin))
        for row in table(done.exports / "issues.csv")
        if row["kind"].startswith("broken")
    )


def test_a_check_has_the_response_of_the_page(site: MediaSite, tmp_path: Path) -> None:
    done = crawl(site, tmp_path)
    assert {row["url"].removeprefix(site.origin) for row in done.pages() if row["state"] == "fetched"} == {*PAGES}
    assert rows(site, done, "checks.parquet", "url, kind, state, status, content_type, broken, pages, page") == [
        ("/a/file.pdf", "file", "fetched", "200", "application/pdf", "False", "1", "/"),
        ("/b/gone.pdf", "file", "not_found", "404", "text/html", "True", "2", "/"),
        ("/c/locked.pdf", "file", "forbidden", "403", "text/html", "False", "1", "/"),
        ("/e/broken.zip", "file", "http_error", "500", "text/html", "True", "1", "/"),
        ("/g/to-cdn.zip", "file", "fetched", "200", "application/zip", "False", "1", "/"),
        ("/h/photo.png", "image", "fetched", "200", "image/png", "False", "1", "/"),
    ]
    gets = {path: [method for method, _ in site.requests(path)] for path in PATHS}
    assert gets == {path: ["GET"] for path in PATHS} | {
        "/e/broken.zip": ["GET"] * 3,  # its tries
        "/g/to-cdn.zip": ["GET", "HEAD"],  # its check follows the redirect
        "/h/photo.png": ["HEAD"],  # a page shows it
    }
    assert broken(site, done) == [
        ("broken_link", "/b/gone.pdf", "/"),
        ("broken_link", "/b/gone.pdf", "/b"),
        ("broken_link", "/e/broken.zip", "/"),
    ]


def test_media_have_it_too_and_a_page_is_none(site: MediaSite, tmp_path: Path) -> None:
    expected = [
        ("/a/file.pdf", "document", "fetched", "200", "1"),
        ("/b/gone.pdf", "document", "not_found", "404", "2"),
        ("/c/locked.pdf", "document", "forbidden", "403", "1"),
        ("/h/photo.png", "image", "fetched", "200", "1"),
    ]
    for settings, folder in ((STORED, "media"), (BOTH, "both")):
        done = crawl(site, tmp_path / folder, settings)
        assert rows(site, done, "media.parquet", "url, kind, state, status, uses") == expected
        assert site.requests("/a/file.pdf") == [("GET", 200)] * 2
        assert site.requests("/b/gone.pdf") == [("GET", 404)]
        assert site.requests("/d/page.pdf") == [("GET", 200)]
        assert [row for row in broken(site, done) if "gone" in row[1]] == [
            ("broken_link", "/b/gone.pdf", "/"),
            ("broken_link", "/b/gone.pdf", "/b"),
        ]
    assert [row[:3] for row in rows(site, done, "checks.parquet", "url, kind, status")] == [
        ("/a/file.pdf", "file", "200"),
        ("/b/gone.pdf", "file", "404"),
        ("/c/locked.pdf", "file", "403"),
        ("/e/broken.zip", "file", "500"),
        ("/g/to-cdn.zip", "file", "200"),
        ("/h/photo.png", "image", "200"),
    ]


def test_crawls_are_compared_whether_a_url_is_a_file_or_a_page(site: MediaSite, tmp_path: Path) -> None:
    first = crawl(site, tmp_path)
    site.content |= {
        "/a/file.pdf": 404,  # a file -> nothing
        "/b/gone.pdf": PDF,  # nothing -> a file
        "/e/broken.zip": html("A page"),  # nothing -> a page
        "/d/page.pdf": 404,  # a page -> nothing
    }
    second = crawl(site, tmp_path)
    store = LocalStore(tmp_path)
    try:
        found = {
            kind: [
                (row.url.removeprefix(site.origin), row.before, row.now)
                for row in store.results.differences(first.row.id, second.row.id, kind, limit=100).rows
            ]
            for kind in (DiffKind.BROKEN_LINK, DiffKind.MENDED_LINK)
        }
    finally:
        store.close()
    assert {kind: sorted(rows) for kind, rows in found.items()} == {
        DiffKind.BROKEN_LINK: [
            ("/a/file.pdf", "not broken", "not_found 404"),
            ("/d/page.pdf", "not broken", "not_found 404"),
        ],
        DiffKind.MENDED_LINK: [
            ("/b/gone.pdf", "not_found 404", "fetched 200"),
            ("/e/broken.zip", "http_error 500", "fetched 200"),
        ],
    }
