"""Crawls that check links to other sites and to files, images, scripts and stylesheets."""

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import msgspec
import pytest
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.support.crawling import QUICK, Done, crawl_inline
from tests.support.fake_media import MemoryAssets
from tests.support.media_site import MediaSite, PermanentSite, html, png

from wavecrawl.adapters.batch_objects import encoded, packed
from wavecrawl.adapters.spreadsheets.issue_tables import write_issue_tables
from wavecrawl.application import plan_later
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.diff import diff
from wavecrawl.domain.checks.kinds import Verdict
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeSettings
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.domain.pages.extraction.resources import RESOURCE_RULES
from wavecrawl.ports.analytics import CheckCounts

EXTERNAL = replace(QUICK, checks=CheckSettings(external=True))
RESOURCES = replace(QUICK, checks=CheckSettings(resources=True))
BOTH = replace(QUICK, checks=CheckSettings(external=True, resources=True))

OTHER: dict[str, tuple[str, bytes] | int | str] = {
    "/": html("another site <a href=/not-followed>x</a>"),
    "/gone": 404,
    "/forbidden": 403,
    "/busy": 429,
    "/moving": "/",
    "/loop": "/loop",
    "/private/a": html("denied"),
    "/robots.txt": ("text/plain", b"User-agent: *\nDisallow: /private/\n"),
    "/logo.png": png(1),
    "/site.css": ("text/css", b"p{}"),
}

Rows = list[tuple[object, ...]]


def content(other: str) -> dict[str, tuple[str, bytes] | int | str]:
    """Return a site of two pages and a redirect, which names URLs of another site."""
    names = ("", "gone", "forbidden", "busy", "moving", "loop", "private/a")
    links = "".join(f"<a href={other}/{name}>to {name}</a>" for name in names)
    resources = f"""
        <script src=/app.js></script><script src={other}/gone.js></script><link rel=Stylesheet href={other}/site.css>
        <link rel='alternate stylesheet' href=/gone.css><img src=/gone.png alt='A tank'><img src={other}/logo.png>
        <img src=data:image/gif;base64,R0lGODlh><p style='background: url(/photo.png)'>
    """
    return {
        "/": html(f"<a href=/b>b</a>{links}{resources}"),
        "/b": html(
            f"<a href={other}/gone>again</a><a href=/out>out</a><img src=/gone.png><script src=/app.js></script>"
            "<a href=/gone.pdf>the report</a><a href=/members.pdf>members</a><a href=/gone.zip>all</a>"
            "<a href=/photo.png>larger</a>"
        ),
        "/out": f"{other}/gone?from=redirect",
        "/app.js": ("text/javascript", b"1"),
        "/photo.png": png(2),
        "/members.pdf": 403,
    }


@pytest.fixture(scope="module")
def other() -> Iterator[MediaSite]:
    with MediaSite(OTHER) as server:
        yield server


@pytest.fixture
def site(other: MediaSite) -> Iterator[MediaSite]:
    other.forget()
    with MediaSite(content(other.origin)) as server:
        yield server


class Crawls:
    """Crawls of the site. Their results have short names of origins."""

    def __init__(self, site: MediaSite, other: MediaSite, folder: Path) -> None:
        self.site = site
        self.folder = folder
        self._names = {site.origin: "", other.origin: "other"}

    def run(self, settings: CrawlSettings, **options: Any) -> Done:
        return crawl_inline(self.site.url, self.folder, settings, **options)

    def checks(self, done: Done, columns: str = "url, kind, state, status, broken, pages") -> Rows:
        return self._short(
            duckdb.connect().read_parquet(str(done.exports / "checks.parquet")).project(columns).fetchall()
        )

    def issues(self, done: Done) -> Rows:
        with gzip.open(done.exports / "issues.jsonl.gz") as file:
            found = [json.loads(line) for line in file]
        kinds = ("broken_link", "broken_image", "broken_script", "broken_stylesheet", "broken_resource")
        return self._short(
            [
                (one["kind"], one["url"], one["related"], one["detail"])
                for one in found
                if one["kind"] in kinds or "external" in one["kind"]
            ]
        )

    def _short(self, rows: Rows) -> Rows:
        return [tuple(map(self._shorten, row)) for row in rows]

    def _shorten(self, value: object) -> object:
        for origin, name in self._names.items():
            value = value.replace(origin, name) if isinstance(value, str) else value
        return value


@pytest.fixture
def crawls(site: MediaSite, other: MediaSite, tmp_path: Path) -> Crawls:
    return Crawls(site, other, tmp_path)


def test_links_to_other_sites_are_requested_once_and_broken_ones_come_first(
    crawls: Crawls, other: MediaSite, tmp_path: Path
) -> None:
    done = crawls.run(EXTERNAL)
    assert crawls.checks(done, "url, state, status, broken, pages, page") == [
        ("other/gone", "not_found", 404, True, 2, "/"),
        ("other/loop", "redirected", 302, True, 1, "/"),
        ("other/gone?from=redirect", "not_found", 404, True, 1, "/out"),
        ("other/", "fetched", 200, False, 1, "/"),
        ("other/forbidden", "forbidden", 403, False, 1, "/"),
        ("other/busy", "http_error", 429, False, 1, "/"),
        ("other/moving", "fetched", 200, False, 1, "/"),
        ("other/private/a", "robots_denied", None, False, 1, "/"),
    ]
    assert other.requests("/") == [("HEAD", 200)] * 2  # the link, and the end of the redirect
    assert other.requests("/gone") == [("HEAD", 404), ("GET", 404)]
    assert other.requests("/private/a") == other.requests("/not-followed") == []
    assert done.summary.pages == 2
    assert done.summary.checks == {"link": CheckCounts(urls=7, broken=3, unknown=2, moved=0, unchecked=1)}
    assert crawls.issues(done) == [
        ("broken_link", "/gone.pdf", "/b", 'not_found 404, link text "the report"'),  # tried as pages
        ("broken_link", "/gone.zip", "/b", 'not_found 404, link text "all"'),
        ("broken_external_link", "other/gone", "/", 'not_found 404, link text "to gone"'),
        ("broken_external_link", "other/gone", "/b", 'not_found 404, link text "again"'),
        ("broken_external_link", "other/gone?from=redirect", "/out", "not_found 404"),
        ("broken_external_link", "other/loop", "/", 'redirected 302, link text "to loop"'),
    ]
    path = next(path for path in write_issue_tables(done.exports, tmp_path) if path.stem == "broken_external_link")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [(row["status"], row["link_text"]) for row in csv.DictReader(file)]
    assert rows == [("404", "to gone"), ("404", "again"), ("404", ""), ("302", "to loop")]


def test_resources_of_pages_on_any_host_and_files_of_the_site_are_checked(
    crawls: Crawls, site: MediaSite, tmp_path: Path
) -> None:
    done = crawls.run(RESOURCES)
    assert crawls.checks(done) == [
        ("other/gone.js", "script", "not_found", 404, True, 1),
        ("/gone.css", "stylesheet", "not_found", 404, True, 1),
        ("/gone.png", "image", "not_found", 404, True, 2),
        ("/gone.pdf", "file", "not_found", 404, True, 1),
        ("/gone.zip", "file", "not_found", 404, True, 1),
        ("/app.js", "script", "fetched", 200, False, 2),
        ("other/site.css", "stylesheet", "fetched", 200, False, 1),
        ("other/logo.png", "image", "fetched", 200, False, 1),
        ("/photo.png", "image", "fetched", 200, False, 2),
        ("/members.pdf", "file", "forbidden", 403, False, 1),
    ]
    assert site.requests("/app.js") == site.requests("/photo.png") == [("HEAD", 200)]
    assert crawls.issues(done) == [
        ("broken_link", "/gone.pdf", "/b", 'not_found 404, link text "the report"'),
        ("broken_link", "/gone.zip", "/b", 'not_found 404, link text "all"'),
        ("broken_image", "/gone.png", "/", 'not_found 404, alternative text "A tank"'),
        ("broken_image", "/gone.png", "/b", "not_found 404"),
        ("broken_script", "other/gone.js", "/", "not_found 404"),
        ("broken_stylesheet", "/gone.css", "/", "not_found 404"),
    ]
    assert (done.exports / "checks.csv").read_text().count("\n") == 11
    path = next(path for path in write_issue_tables(done.exports, tmp_path) if path.stem == "broken_link")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [(row["status"], row["link_text"]) for row in csv.DictReader(file)]
    assert rows == [("404", "the report"), ("404", "all")]


def test_images_and_documents_that_are_stored_are_not_requested_again(
    crawls: Crawls, site: MediaSite, other: MediaSite
) -> None:
    settings = replace(BOTH, media=MediaSettings(include=(MediaGroup.IMAGES, MediaGroup.DOCUMENTS)))
    done = crawls.run(settings, assets=MemoryAssets())
    assert site.requests("/gone.png") == site.requests("/gone.pdf") == [("GET", 404)]
    assert site.requests("/photo.png") == [("GET", 200)]
    assert other.requests("/logo.png") == [("GET", 200)]
    assert sorted(row for row in crawls.checks(done) if row[1] in ("image", "file")) == [
        ("/gone.pdf", "file", "not_found", 404, True, 1),
        ("/gone.png", "image", "not_found", 404, True, 2),
        ("/gone.zip", "file", "not_found", 404, True, 1),
        ("/members.pdf", "file", "forbidden", 403, False, 1),
        ("/photo.png", "image", "fetched", 200, False, 2),
        ("other/logo.png", "image", "fetched", 200, False, 1),
    ]
    assert [issue[:3] for issue in crawls.issues(done) if issue[0] in ("broken_link", "broken_image")] == [
        ("broken_link", "/gone.pdf", "/b"),
        ("broken_link", "/gone.zip", "/b"),
        ("broken_image", "/gone.png", "/"),
        ("broken_image", "/gone.png", "/b"),
    ]
    media = duckdb.connect().read_parquet(str(done.exports / "media.parquet")).project("kind").distinct().fetchall()
    assert sorted(media) == [("document",), ("image",)]
    order = [one.path for one in site.log if one.path in ("/app.js", "/photo.png")]
    assert order == ["/app.js", "/photo.png"]  # checks come before media


def test_without_the_settings_nothing_is_requested_or_exported(
    crawls: Crawls, site: MediaSite, other: MediaSite
) -> None:
    done = crawls.run(QUICK)
    assert other.requests("/") == other.requests("/gone") == other.requests("/logo.png") == []
    assert site.requests("/app.js") == site.requests("/gone.png") == []
    assert sorted(done.exports.glob("checks*")) == []
    assert done.summary.checks == {}


def test_a_permanent_redirect_of_another_site_is_a_notice(crawls: Crawls, site: MediaSite, other: MediaSite) -> None:
    with PermanentSite({"/old": other.url, "/new": html("x")}) as moved:
        site.content["/"] = html(f"<a href={moved.origin}/old>old</a><a href={other.origin}/moving>x</a>")
        done = crawls.run(EXTERNAL)
        assert crawls.checks(done, "final_url, redirects, moved, broken") == [
            ("other/", 1, True, False),
            ("other/", 1, False, False),
        ]
        assert [issue[1:] for issue in crawls.issues(done)] == [(f"{moved.origin}/old", "/", "moved to other/")]


def test_the_limit_leaves_urls_unchecked_and_a_notice_says_so(crawls: Crawls) -> None:
    done = crawls.run(replace(EXTERNAL, checks=CheckSettings(external=True, max_urls=3)))
    found = crawls.checks(done, "url, state, reason")
    assert [row for row in found if row[2] == "max_checks"] == [
        (f"other/{name}", "skipped", "max_checks")
        for name in ("busy", "gone?from=redirect", "loop", "moving", "private/a")
    ]
    assert done.summary.checks["link"].unchecked == 5
    assert [one.message for one in done.summary.notices if one.subject == "checks.max_urls"] == [
        "5 URLs were not checked, as the limit was reached; raise the setting checks.max_urls"
    ]


def test_a_refused_link_is_unknown_until_a_later_crawl_has_a_definite_response(
    crawls: Crawls, site: MediaSite, tmp_path: Path
) -> None:
    columns = f"url[{len(site.origin) + 1}:], verdict, evidence"
    with MediaSite({"/a": 403, "/b": 429}) as other:
        site.content["/"] = html(f"<a href={other.origin}/a>a</a><a href={other.origin}/b>b</a>")
        first = crawls.run(EXTERNAL)
        assert crawls.checks(first, columns) == [
            ("/a", "unknown", "HTTP 403: the server may refuse crawlers only"),
            ("/b", "unknown", "HTTP 429: the server limits the requests of the crawler"),
        ]
        assert (first.exports / "report.html").read_text().count("the server may refuse crawlers only") == 1
        other.content |= {"/a": html("it works"), "/b": 404}
        second = crawls.run(EXTERNAL)
    assert crawls.checks(second, columns) == [
        ("/b", "broken", "HTTP 404 Not Found"),
        ("/a", "ok", "HTTP 200"),
    ]
    store = LocalStore(tmp_path)
    try:
        [unknown] = store.results.checks(first.row.id, verdict=Verdict.UNKNOWN, limit=1).rows
        newly = store.results.differences(first.row.id, second.row.id, DiffKind.BROKEN_LINK, limit=9).rows
    finally:
        store.close()
    assert (unknown.url, unknown.broken) == (f"{other.origin}/a", False)
    assert [(row.url, row.before, row.now) for row in newly] == [
        (f"{other.origin}/b", "http_error 429", "not_found 404")
    ]


def test_more_redirects_than_the_limit_are_named_and_not_broken(crawls: Crawls, site: MediaSite) -> None:
    chain: dict[str, tuple[str, bytes] | int | str] = {f"/r{step}": f"/r{step + 1}" for step in range(22)}
    with MediaSite({**chain, "/r22": html("the end")}) as far:
        site.content["/"] = html(f"<a href={far.origin}/r1>21 redirects</a><a href={far.origin}/r2>20</a>")
        done = crawls.run(EXTERNAL)
    assert crawls.checks(done, f"url[{len(far.origin) + 1}:], state, reason, broken, redirects") == [
        ("/r1", "redirected", "redirect_limit", False, 21),
        ("/r2", "fetched", "", False, 20),
    ]
    assert crawls.issues(done) == []
    assert [one.message for one in done.summary.notices if one.subject == f"{far.origin}/r1"] == [
        "has more redirects in a row than the limit (reason redirect_limit); not counted as broken"
    ]


def test_excluded_urls_are_not_checked(crawls: Crawls, site: MediaSite, other: MediaSite) -> None:
    done = crawls.run(replace(BOTH, scope=ScopeSettings(exclude=("*/gone*", "*/private/*"))))
    assert [one.path for one in other.log if "gone" in one.path or "private" in one.path] == []
    assert crawls.issues(done) == [("broken_external_link", "other/loop", "/", 'redirected 302, link text "to loop"')]
    assert site.requests("/gone.pdf") == []


def test_urls_are_checked_although_the_crawl_stopped_at_its_limit_of_pages(crawls: Crawls) -> None:
    done = crawls.run(replace(EXTERNAL, max_pages=1))
    assert (done.summary.pages, done.summary.checks["link"].broken) == (1, 2)


@pytest.mark.parametrize("hosts", [64, 1])
def test_a_host_that_does_not_respond_breaks_its_links(
    crawls: Crawls, site: MediaSite, other: MediaSite, monkeypatch: pytest.MonkeyPatch, hosts: int
) -> None:
    monkeypatch.setattr(plan_later, "HOSTS_A_WAVE", hosts)
    with MediaSite({}) as dead:
        origin = dead.origin
    site.content["/"] = html(f"<a href={origin}/a>a</a> <a href={other.origin}/>ok</a> <a href={origin}/b>b</a>")
    done = crawls.run(EXTERNAL)
    refused = ("failed", "connect", None, True, 1)
    found = crawls.checks(done, "state, reason, status, broken, tries")
    assert found == [refused, refused, ("fetched", "", 200, False, 1)]
    assert {kind for kind, *_ in crawls.issues(done)} == {"broken_external_link"}


def test_a_url_at_a_private_address_is_not_checked_and_not_broken(crawls: Crawls, site: MediaSite) -> None:
    site.content["/"] = html("<a href=http://10.0.0.1/a>a</a>")
    done = crawls.run(EXTERNAL)
    assert crawls.checks(done, "url, state, reason, broken") == [
        ("http://10.0.0.1/a", "skipped", "blocked_address", False)
    ]
    assert (done.summary.checks["link"].unchecked, crawls.issues(done)) == (1, [])


@slow
def test_the_order_and_number_of_deliveries_change_no_result(crawls: Crawls, tmp_path: Path) -> None:
    results = []
    for seed in range(2):
        waves = replace(BOTH.waves, batch_size=1 + 2 * seed, max_urls=3)
        crawls.folder = tmp_path / str(seed)
        done = crawls.run(replace(BOTH, waves=waves), rng=Random(seed), duplicates=0.3)
        results.append((crawls.checks(done, "* EXCLUDE (fetched_at, response_ms)"), crawls.issues(done)))
    assert len(results[0][0]) == 18
    assert results[0] == results[1]


def test_resources_of_unchanged_pages_are_checked_again(crawls: Crawls) -> None:
    crawls.run(QUICK)
    read_again = crawls.run(RESOURCES)
    assert [row["state"] for row in read_again.ledger()][:2] == ["unchanged", "unchanged"]
    from_records = crawls.run(RESOURCES)
    assert crawls.checks(read_again) == crawls.checks(from_records)
    assert len(crawls.checks(from_records)) == 10


@pytest.mark.parametrize("rules", [0, RESOURCE_RULES])
def test_resources_of_an_unchanged_page_are_read_again_if_earlier_rules_found_others(
    crawls: Crawls, site: MediaSite, rules: int
) -> None:
    site.content = {"/": html("<img src=/a.png srcset='/b.png 2x'>"), "/a.png": png(1), "/b.png": png(2)}
    first = crawls.run(RESOURCES)
    assert [row[0] for row in crawls.checks(first)] == ["/a.png", "/b.png"]
    for path in (first.folder / "records").iterdir():
        with gzip.open(path) as file:
            records = [msgspec.json.decode(line, type=PageRecord) for line in file]
        earlier = [replace(one, resources=(one.resources or ())[:1], resource_rules=rules) for one in records]
        path.write_bytes(packed(b"".join(encoded(one) for one in earlier)))
    second = crawls.run(RESOURCES)
    assert [row["state"] for row in second.ledger()] == ["unchanged"]
    expected = ["/a.png"] if rules == RESOURCE_RULES else ["/a.png", "/b.png"]
    assert [row[0] for row in crawls.checks(second)] == expected


def test_another_candidate_of_an_image_that_is_stored_is_checked(crawls: Crawls, site: MediaSite) -> None:
    site.content = {
        "/": html("<img src=/small.png srcset='/large.png 2x' alt=Cat><a href=/b>b</a>"),
        "/b": html("<img src=/large.png>"),
        "/large.png": png(1),
    }
    settings = replace(RESOURCES, media=MediaSettings(include=(MediaGroup.IMAGES,)))
    done = crawls.run(settings, assets=MemoryAssets())
    assert crawls.checks(done) == [
        ("/small.png", "image", "not_found", 404, True, 1),
        ("/large.png", "image", "fetched", 200, False, 2),
    ]
    assert site.requests("/large.png") == [("GET", 200)]
    assert crawls.issues(done) == [("broken_image", "/small.png", "/", 'not_found 404, alternative text "Cat"')]


def test_what_stylesheets_load_is_checked_and_is_an_issue_of_the_first_page(crawls: Crawls, site: MediaSite) -> None:
    sheets = {
        "/a.css": "@import 'b.css'; @import 'gone.css'; p { background: url(/gone.png) }",
        "/b.css": "@import 'a.css'; @font-face { src: url(/gone.woff2) } p { background: url(/here.png) }",
    }
    link = "<link rel=stylesheet href=/a.css>"
    site.content = {
        **{path: ("text/css", css.encode()) for path, css in sheets.items()},
        "/": html(f"{link}<a href=/c>c</a>"), "/c": html(f"{link}<img src=/gone.png alt=Cat>"), "/here.png": png(1),
    }  # fmt: skip
    done = crawls.run(RESOURCES)
    assert sorted(crawls.checks(done)) == [
        ("/a.css", "stylesheet", "fetched", 200, False, 2),
        ("/b.css", "stylesheet", "fetched", 200, False, 1),
        ("/gone.css", "stylesheet", "not_found", 404, True, 1),
        ("/gone.png", "image", "not_found", 404, True, 2),
        ("/gone.woff2", "resource", "not_found", 404, True, 1),
        ("/here.png", "image", "fetched", 200, False, 1),
    ]
    assert site.requests("/b.css") == [("GET", 200)]
    assert crawls.issues(done) == [
        ("broken_image", "/gone.png", "/", "not_found 404, loaded by /a.css"),
        ("broken_image", "/gone.png", "/c", 'not_found 404, alternative text "Cat"'),
        ("broken_stylesheet", "/gone.css", "/", "not_found 404, loaded by /a.css"),
        ("broken_resource", "/gone.woff2", "/", "not_found 404, loaded by /b.css"),
    ]


def test_a_video_that_is_stored_is_not_checked_as_well(crawls: Crawls, site: MediaSite) -> None:
    site.content = {"/": html("<video src=/gone.mp4><track src=/gone.vtt></video>")}
    stored = replace(RESOURCES, media=MediaSettings(include=(MediaGroup.VIDEOS,)))
    for settings, requests in (
        (RESOURCES, [("HEAD", 404), ("GET", 404)]),
        (stored, [("HEAD", 404), ("GET", 404)]),  # a video is downloaded after its size is known
    ):
        site.forget()
        done = crawls.run(settings, assets=MemoryAssets())
        assert crawls.checks(done) == [
            (f"/{name}", "resource", "not_found", 404, True, 1) for name in ("gone.mp4", "gone.vtt")
        ]
        assert site.requests("/gone.mp4") == requests
        assert crawls.issues(done) == [
            ("broken_resource", "/gone.mp4", "/", "not_found 404"),
            ("broken_resource", "/gone.vtt", "/", "not_found 404"),
        ]


@pytest.mark.parametrize("order", [1, -1])
def test_an_image_that_only_one_of_two_pages_has_stored_is_one_checked_url(
    crawls: Crawls, site: MediaSite, order: int
) -> None:
    pages = ["<img src=/gone.png srcset='/large.png 2x'>", "<img src=/gone.png>"][::order]
    site.content = {
        "/": html(f"{pages[0]}<a href=/b>b</a>"), "/b": html(pages[1]), "/large.png": png(1),
    }  # fmt: skip
    settings = replace(RESOURCES, media=MediaSettings(include=(MediaGroup.IMAGES,)))
    done = crawls.run(settings, assets=MemoryAssets())
    assert ("/gone.png", "image", "not_found", 404, True, 2) in crawls.checks(done)
    assert len(crawls.checks(done)) == 2
    assert [issue[1:3] for issue in crawls.issues(done)] == [("/gone.png", "/"), ("/gone.png", "/b")]


def test_two_crawls_with_the_same_checks_compare_what_is_broken(
    crawls: Crawls, site: MediaSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = crawls.run(RESOURCES)
    site.content |= {"/gone.pdf": ("application/pdf", b"%PDF-1.7"), "/app.js": 404}
    site.content["/"] = html(f"<a href=/b>b</a><img src=/new.png><a href={site.origin}/late.zip>late</a>")
    second = crawls.run(BOTH)
    store = LocalStore(tmp_path)
    try:
        counts = store.results.compare(first.row.id, second.row.id)
        rows = {
            kind: [
                (row.url.removeprefix(site.origin), row.related.removeprefix(site.origin), row.before, row.now, row.key)
                for row in store.results.differences(first.row.id, second.row.id, kind, limit=100).rows
                if row.url.startswith(site.origin)
            ]
            for kind in (DiffKind.BROKEN_LINK, DiffKind.MENDED_LINK)
        }
    finally:
        store.close()
    assert rows == {
        DiffKind.BROKEN_LINK: [
            ("/app.js", "/b", "not broken", "not_found 404", ""),
            ("/late.zip", "/", "not broken", "not_found 404", ""),
            ("/new.png", "/", "not broken", "not_found 404", ""),
        ],
        DiffKind.MENDED_LINK: [
            ("/gone.css", "/", "not_found 404", "link removed", ""),
            ("/gone.pdf", "/b", "not_found 404", "fetched 200", ""),
        ],
    }
    assert counts.unshared_checks == ("checks.external",)
    diff(first.row.id.crawl, second.row.id.crawl, data=tmp_path)
    printed = capsys.readouterr()
    assert f"  {site.origin}/app.js on {site.origin}/b  (not broken / not_found 404)\n" in printed.out
    note = "only one of the crawls has checks.external: URLs that only one crawl checked are not compared"
    assert note in " ".join(printed.err.split())
