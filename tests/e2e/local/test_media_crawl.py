"""Crawls with media, over a site of given responses: what is requested, stored and reported."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.support.crawling import QUICK, Done, crawl_inline
from tests.support.fake_media import MemoryAssets
from tests.support.media_site import PNG, MediaSite, html, png

from wavecrawl.adapters.crawled_texts import texts_of_crawl
from wavecrawl.application.explain_url import explain_url
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import ScopeSettings
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.ports.analytics import MediaCounts

ALL = replace(QUICK, media=MediaSettings(include=tuple(MediaGroup)))
VIDEO = b"\x00\x00\x00\x18ftypmp42" + bytes(1_400)
TEXT = "The depth of a tank. " * 1_000

CONTENT: dict[str, tuple[str, bytes] | int | str] = {
    "/": html(
        "<a href=/b>b</a><a href=/report>A report</a><img src=/logo.png alt=Logo>"
        "<img srcset='/small.png 320w, /wide.png 1600w, /huge.png 4000w'><a href=/sheet.pdf>A sheet</a>"
        "<iframe src=https://www.youtube.com/embed/x></iframe><p style='background: url(/moved.png)'>"
    ),
    "/b": html(
        "<img src=/logo.png><img src=/copy.png><img src=/gone.png><img src=/page.png><video src=/v.mp4></video>"
        "<a href=/gone.pdf>An old sheet</a>"
    ),
    "/logo.png": png(1),
    "/copy.png": png(1),
    "/wide.png": png(2),
    "/moved.png": "/images/new.png",
    "/images/new.png": png(3),
    "/page.png": html("no image"),
    "/sheet.pdf": ("application/pdf", b"%PDF-1.7\n" + TEXT.encode()),
    "/report": ("application/pdf", b"%PDF-1.7\nA report"),
    "/v.mp4": ("video/mp4", VIDEO),
}


@pytest.fixture
def site() -> Iterator[MediaSite]:
    with MediaSite(CONTENT) as server:
        yield server


def rows(done: Done, name: str, columns: str) -> list[tuple[object, ...]]:
    """Return the rows of an export, with paths instead of URLs of the site."""
    found = duckdb.connect().read_parquet(str(done.exports / name)).project(columns).fetchall()
    origin = done.row.root_url.removesuffix("/")
    return [tuple(one.removeprefix(origin) if isinstance(one, str) else one for one in row) for row in found]


def states(done: Done) -> list[tuple[object, ...]]:
    return rows(done, "media.parquet", "url, kind, state, reason, uses")


def test_each_asset_is_requested_once_and_every_media_url_has_a_row(site: MediaSite, tmp_path: Path) -> None:
    assets = MemoryAssets()
    done = crawl_inline(site.url, tmp_path, ALL, assets=assets)
    assert states(done) == [
        ("/logo.png", "image", "fetched", "", 2),
        ("/wide.png", "image", "fetched", "", 1),
        ("/sheet.pdf", "document", "fetched", "", 1),
        ("/moved.png", "image", "fetched", "", 1),
        ("/copy.png", "image", "fetched", "", 1),
        ("/gone.png", "image", "not_found", "status", 1),
        ("/page.png", "image", "skipped", "not_media", 1),
        ("/v.mp4", "video", "fetched", "", 1),
        ("/gone.pdf", "document", "not_found", "status", 1),
        ("/report", "document", "fetched", "", 1),
        ("https://www.youtube.com/embed/x", "embed", "skipped", "embed", 1),
    ]
    assert site.requests("/logo.png") == [("GET", 200)]
    assert (
        site.requests("/sheet.pdf") == [("GET", 200)] * 2
    )  # as a page, which its name does not rule out, and as media
    assert site.requests("/v.mp4") == [("HEAD", 200), ("GET", 200)]
    assert site.requests("/huge.png") == site.requests("/small.png") == []
    assert sorted(stored.asset.media_type for stored in assets.list("local")) == [
        "application/pdf", "application/pdf", "image/png", "image/png", "image/png", "video/mp4",
    ]  # fmt: skip
    assert done.summary.media == {
        "image": MediaCounts(
            urls=4, duplicates=1, missing=2, received=4 * len(PNG) + 4 + sizes(site, "/gone.png", "/page.png"),
            size=3 * (len(PNG) + 1), stored=3 * (len(PNG) + 1),
            states={"fetched": 4, "not_found": 1, "skipped": 1},
        ),
        "video": MediaCounts(
            urls=1, duplicates=0, missing=0, received=len(VIDEO), size=len(VIDEO), stored=len(VIDEO),
            states={"fetched": 1},
        ),
        "document": MediaCounts(
            urls=2, duplicates=0, missing=1, received=len(TEXT) + 26 + sizes(site, "/gone.pdf"),
            size=len(TEXT) + 26, stored=len(TEXT) + 26, states={"fetched": 2, "not_found": 1},
        ),
        "embed": MediaCounts(urls=0, duplicates=0, missing=1, received=0, size=0, stored=0, states={"skipped": 1}),
    }  # fmt: skip
    assert (done.summary.videos_skipped_oversized, done.summary.duplicates_skipped) == (0, 1)
    assert (done.exports / "media.csv").read_text().count("\n") == 12
    report = (done.exports / "report.html").read_text()
    assert "<h2>Media</h2>" in report
    assert "/gone.png" in report
    with (done.exports / "issues.csv").open(encoding="utf-8-sig", newline="") as file:
        broken = [row for row in csv.DictReader(file) if row["kind"].startswith("broken")]
    assert [(row["kind"], row["url"].rpartition("/")[2], row["detail"]) for row in broken] == [
        ("broken_link", "gone.pdf", 'not_found 404, link text "An old sheet"'),
        ("broken_image", "gone.png", "not_found 404"),
        ("broken_image", "page.png", "skipped 200"),
    ]
    store = LocalStore(tmp_path)
    try:
        texts = texts_of_crawl(done.row.id, done.exports, parts=store.parts, hidden=frozenset())
        assert done.summary.pages_indexed == sum(one.fate is Fate.TEXT for one in texts) == 4
        lines = dict(explain_url(f"{site.origin}/gone.pdf", done.row, store).lines(scored=False))
    finally:
        store.close()
    assert (lines["because"], lines["media"], lines["named by"]) == (
        "it is named like a file, and no response shows that it is a page",
        "document, not_found: HTTP 404 Not Found", "1 page",
    )  # fmt: skip


def sizes(site: MediaSite, *paths: str) -> int:
    """Return the bytes of the bodies of responses, as the server sends them."""
    found = [site._reply_to(path) for path in paths]
    return sum(len(reply.data) - reply.head_size for reply in found if reply is not None)


def test_the_uses_of_a_page_have_their_position_and_text(site: MediaSite, tmp_path: Path) -> None:
    done = crawl_inline(site.url, tmp_path, ALL, assets=MemoryAssets())
    assert rows(done, "media_uses.parquet", "page, url, source, text, position") == [
        ("/", "/logo.png", "img", "Logo", 1),
        ("/", "/wide.png", "img", "", 2),
        ("/", "/sheet.pdf", "link", "A sheet", 3),
        ("/", "https://www.youtube.com/embed/x", "frame", "", 4),
        ("/", "/moved.png", "background", "", 5),
        ("/", "/report", "link", "A report", None),  # found when it was requested as a page
        ("/b", "/logo.png", "img", "", 1),
        ("/b", "/copy.png", "img", "", 2),
        ("/b", "/gone.png", "img", "", 3),
        ("/b", "/page.png", "img", "", 4),
        ("/b", "/v.mp4", "video", "", 5),
        ("/b", "/gone.pdf", "link", "An old sheet", 6),
    ]


def test_documents_are_no_pages(site: MediaSite, tmp_path: Path) -> None:
    for settings in (QUICK, ALL):
        done = crawl_inline(site.url, tmp_path / str(bool(settings.media.include)), settings, assets=MemoryAssets())
        ledger = {row["url"].removeprefix(site.origin): (row["state"], row["reason"]) for row in done.ledger()}
        assert ledger["/sheet.pdf"] == ledger["/report"] == ("skipped", "document")
        assert done.summary.pages == 2
        assert {page["url"].removeprefix(site.origin) for page in done.pages()} == {"/", "/b"}


def test_without_media_only_a_linked_file_is_tried_as_a_page(site: MediaSite, tmp_path: Path) -> None:
    done = crawl_inline(site.url, tmp_path, QUICK, assets=MemoryAssets())
    assert [one.path for one in site.log if one.path.endswith((".png", ".mp4", ".pdf"))] == ["/sheet.pdf"]
    assert sorted(done.exports.glob("media*")) == []
    assert done.summary.media == {}


def test_a_recrawl_receives_no_asset_again(site: MediaSite, tmp_path: Path) -> None:
    assets = MemoryAssets()
    crawl_inline(site.url, tmp_path, ALL, assets=assets)
    site.forget()
    again = crawl_inline(site.url, tmp_path, ALL, assets=assets)
    statuses = Counter(one.status for one in site.log if one.path in CONTENT and one.path not in ("/", "/b"))
    # both documents are first requested as pages; the file that is no image and the redirect are requested again
    assert statuses == {304: 7, 200: 3, 302: 1}
    found = {row[0]: row[2] for row in states(again)}
    assert [path for path, state in found.items() if state == "unchanged"] == [
        "/logo.png", "/wide.png", "/sheet.pdf", "/moved.png", "/copy.png", "/v.mp4", "/report",
    ]  # fmt: skip
    hashes = rows(again, "media.parquet", "hash, status, bytes")
    assert [one[1:] for one in hashes if one[0]] == [(200, 0)] * 7  # the status is that of the content
    texts = {row[0] for row in duckdb.connect().execute(
        "SELECT string_agg(text, '' ORDER BY piece) FROM read_parquet(?) GROUP BY key",
        [str(tmp_path / "tables" / "texts" / "**" / f"crawl={again.row.id.crawl}" / "*.parquet")],
    ).fetchall()}  # fmt: skip
    assert TEXT in texts


@slow
def test_an_asset_that_was_deleted_is_requested_without_conditions(site: MediaSite, tmp_path: Path) -> None:
    assets = MemoryAssets()
    crawl_inline(site.url, tmp_path, ALL, assets=assets)
    (wide,) = [one.asset.hash for one in assets.list("local") if one.first_url.endswith("/wide.png")]
    assert assets.delete("local", wide)
    site.forget()
    crawl_inline(site.url, tmp_path, ALL, assets=assets)
    assert site.requests("/wide.png") == [("GET", 200)]
    assert site.requests("/logo.png") == [("GET", 304)]
    assert assets.read("local", wide) is not None


@slow
def test_media_of_unchanged_pages_are_found_if_an_earlier_crawl_did_not_read_them(
    site: MediaSite, tmp_path: Path
) -> None:
    crawl_inline(site.url, tmp_path, QUICK)
    done = crawl_inline(site.url, tmp_path, ALL, assets=MemoryAssets())
    assert [row["state"] for row in done.ledger()][:2] == ["unchanged", "unchanged"]
    assert len(states(done)) == 11


def test_one_logo_on_fifty_pages_is_one_asset_with_fifty_uses(tmp_path: Path) -> None:
    pages = {f"/{number}": html("<img src=/logo.png>") for number in range(49)}
    root = html("<img src=/logo.png>" + "".join(f"<a href={path}>x</a>" for path in pages))
    assets = MemoryAssets()
    with MediaSite({"/": root, "/logo.png": png(1), **pages}) as site:
        done = crawl_inline(site.url, tmp_path, ALL, assets=assets)
        assert site.requests("/logo.png") == [("GET", 200)]
    assert states(done) == [("/logo.png", "image", "fetched", "", 50)]
    assert (len(assets.rows), assets.puts) == (1, 1)
    assert len(rows(done, "media_uses.parquet", "page")) == 50


@slow
def test_the_order_and_number_of_deliveries_change_no_result(site: MediaSite, tmp_path: Path) -> None:
    columns = "* EXCLUDE (fetched_at)"
    results = []
    for seed in range(2):
        settings = replace(ALL, waves=replace(ALL.waves, batch_size=1 + 2 * seed, max_urls=3))
        done = crawl_inline(
            site.url, tmp_path / str(seed), settings, rng=Random(seed), duplicates=0.3, assets=MemoryAssets()
        )
        results.append((rows(done, "media.parquet", columns), rows(done, "media_uses.parquet", "*")))
    assert results[0] == results[1]


def test_limits_of_the_crawl_of_media(site: MediaSite, tmp_path: Path) -> None:
    small = replace(ALL, media=replace(ALL.media, max_assets=3))
    done = crawl_inline(site.url, tmp_path / "few", small, assets=MemoryAssets())
    found = {row[0]: row[2:4] for row in states(done)}
    assert [path for path, (state, _) in found.items() if state == "fetched"] == [
        "/logo.png",
        "/wide.png",
        "/sheet.pdf",
    ]
    assert found["/v.mp4"] == ("skipped", "max_assets")
    assert found["https://www.youtube.com/embed/x"] == ("skipped", "embed")
    images = replace(
        ALL, media=MediaSettings(include=(MediaGroup.IMAGES,)), scope=ScopeSettings(exclude=("/logo*",)), max_pages=1
    )
    done = crawl_inline(site.url, tmp_path / "images", images, assets=MemoryAssets())
    assert {row[0]: row[2:4] for row in states(done)} == {
        "/wide.png": ("fetched", ""),  # also if the crawl stopped at max_pages
        "/moved.png": ("fetched", ""),
        "/logo.png": ("skipped", "excluded"),
        "/sheet.pdf": ("skipped", "media_kind"),
        "https://www.youtube.com/embed/x": ("skipped", "embed"),
    }


def test_large_files_are_skipped(site: MediaSite, tmp_path: Path) -> None:
    site.content["/big.png"] = ("image/png", PNG + bytes(3_000))
    site.content["/"] = html("<img src=/big.png><video src=/v.mp4></video>")
    tiny = replace(ALL, media=replace(ALL.media, max_image_mb=0.002, max_video_mb=0.001))
    done = crawl_inline(site.url, tmp_path, tiny, assets=MemoryAssets())
    assert rows(done, "media.parquet", "url, state, reason, detail") == [
        ("/big.png", "skipped", "too_large", ""),
        ("/v.mp4", "skipped", "too_large", f"it has {len(VIDEO):,} bytes"),
    ]
    assert site.requests("/v.mp4") == [("HEAD", 200)]


def test_robots_txt_of_the_media_host_is_obeyed(site: MediaSite, tmp_path: Path) -> None:
    site.content["/robots.txt"] = ("text/plain", b"User-agent: *\nDisallow: /images/\nDisallow: /v.mp4\n")
    with MediaSite({"/robots.txt": ("text/plain", b"User-agent: *\nDisallow: /a"), "/b.png": png(8)}) as other:
        site.content["/"] = html(
            f"<img src={other.origin}/a.png><img src={other.origin}/b.png>"
            "<img src=/moved.png><video src=/v.mp4></video>"
        )
        done = crawl_inline(site.url, tmp_path, ALL, assets=MemoryAssets())
        assert [one.path for one in other.log] == ["/robots.txt", "/b.png"]
        assert rows(done, "media.parquet", "url, state, reason") == [
            (f"{other.origin}/a.png", "robots_denied", "robots_rule"),
            (f"{other.origin}/b.png", "fetched", ""),
            ("/moved.png", "robots_denied", "robots_rule"),
            ("/v.mp4", "robots_denied", "robots_rule"),
        ]
    assert site.requests("/images/new.png") == site.requests("/v.mp4") == []


def test_media_that_robots_txt_denies_do_not_make_their_host_pause(tmp_path: Path) -> None:
    denied = "".join(f"<img src=/private/{number}.png>" for number in range(12))
    content = {
        "/robots.txt": ("text/plain", b"User-agent: *\nDisallow: /private/\n"),
        "/": html(f"{denied}<img src=/logo.png>"),
        "/logo.png": png(1),
    }
    with MediaSite(content) as site:
        one_batch = replace(ALL, waves=replace(ALL.waves, min_batches=1))
        done = crawl_inline(site.url, tmp_path, one_batch, assets=MemoryAssets())
    assert Counter(row[2] for row in states(done)) == {"robots_denied": 12, "fetched": 1}
    parts = duckdb.connect().read_parquet(str(tmp_path / "tables" / "media" / "**" / "*.parquet"))
    waves = parts.filter("batch IS NOT NULL").aggregate("count(DISTINCT left(batch, 6))").fetchall()
    assert waves == [(1,)]
