"""What sitemap entries say, exported and held against the crawl; and the dates in the sitemap that is written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.crawling import ALL_FILES, Done, crawl_inline, table

from wavecrawl.adapters.analytics.issues import _CHECKS
from wavecrawl.adapters.analytics.lastmods import build_lastmods
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.graph.issue import IssueName
from wavecrawl.domain.sitemaps.settings import SitemapSettings

TODAY = datetime.now(UTC)
FUTURE = f"{TODAY + timedelta(days=9):%Y-%m-%d}"
NOW = f"{TODAY:%Y-%m-%dT%H:%M:%SZ}"
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">"""
NAMES = [f"page{number}" for number in range(3)]


def entry(path: str, more: str = "") -> str:
    return f"<url><loc>{path}</loc>{more}</url>"


def sitemap(name: str, *entries: str) -> Page:
    body = HEAD + "".join(entries) + "</urlset>"
    return Page(path=f"/{name}.xml", content_type="application/xml", body=body.encode())


FILES = (
    sitemap(
        "whole",
        entry(
            "/",
            "<lastmod>2020-01-02</lastmod><changefreq>weekly</changefreq><priority>0.5</priority>"
            '<xhtml:link rel="alternate" hreflang="de" href="/de"/>'
            '<xhtml:link rel="alternate" hreflang="fr" href="/fr?utm_source=x"/>'
            '<xhtml:link rel="alternate" hreflang="it" href="https://other.example/it"/>'
            "<image:image><image:loc>/i.png</image:loc></image:image>",
        ),
        entry("/de"),
        entry("/fr"),
        entry("https://other.example/"),
        entry("/page1", f"<lastmod>{FUTURE}</lastmod>"),
        entry("/page2", "<lastmod>2020-01-03T01:00:00+02:00</lastmod>"),
    ),
    sitemap("same", *(entry(f"/{name}", "<lastmod>2026-01-02</lastmod><priority>0.5</priority>") for name in NAMES)),
    sitemap("made", *(entry(f"/{name}", f"<lastmod>{NOW}</lastmod>") for name in NAMES)),
    sitemap("short", *(entry(f"/{name}", "<lastmod>2026-01-02</lastmod>") for name in NAMES[:2])),
)
DATED = format_datetime(datetime(2019, 5, 6, tzinfo=UTC), usegmt=True)
PAGES = (
    Page(path="/", title="Home", links=tuple(Link(to=f"/{name}") for name in NAMES)),
    *(Page(path=f"/{name}", title=name, text=(f"The text of {name}.",)) for name in NAMES[1:]),
    Page(path="/page0", title="page0", text=("Dated by its server.",), last_modified=DATED),
    Page(path="/de", title="de", text=("Auf Deutsch.",)),
    Page(path="/fr", status=404),
)
ROBOTS = Page(
    path="/robots.txt",
    content_type="text/plain",
    body="".join(f"Sitemap: {file.path}\n" for file in FILES).encode(),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    """A finished crawl of the site."""

    done: Done
    origin: str

    def issues(self, kind: IssueName) -> list[tuple[str, str, str]]:
        """Return path, related path and detail of the issues of a kind."""
        rows = [row for row in table(self.done.exports / "issues.csv") if row["kind"] == kind]
        return [tuple(row[name].removeprefix(self.origin) for name in ("url", "related", "detail")) for row in rows]  # type: ignore[misc]


@pytest.fixture(scope="module", name="crawled")
def a_crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    settings = replace(ALL_FILES, sitemaps=SitemapSettings(min_compared=3))
    with SiteServer(Site(pages=(*PAGES, *FILES, ROBOTS))) as server:
        done = crawl_inline(server.url, tmp_path_factory.mktemp("sitemaps"), settings)
        yield Crawled(done=done, origin=server.url.rstrip("/"))


def test_everything_that_entries_say_is_exported(crawled: Crawled) -> None:
    """sitemaps.org, "XML tag definitions"; hreflang and images by Google's extensions."""
    path = crawled.done.exports / "sitemap_entries.parquet"
    relation = duckdb.connect().read_parquet(str(path))
    assert relation.columns == [
        "sitemap", "position", "url", "key", "lastmod", "changefreq", "priority", "images", "alternates", "state",
        "status",
    ]  # fmt: skip
    origin = crawled.origin
    rows = relation.select(*map(duckdb.ColumnExpression, relation.columns)).fetchall()
    assert len(rows) == 6 + 3 + 3 + 2
    first = dict(zip(relation.columns, rows[0], strict=True))
    del first["key"]
    assert first == {
        "sitemap": f"{origin}/whole.xml",
        "position": 0,
        "url": f"{origin}/",
        "lastmod": "2020-01-02",
        "changefreq": "weekly",
        "priority": 0.5,
        "images": [f"{origin}/i.png"],
        "alternates": [
            {"language": "de", "url": f"{origin}/de"},
            {"language": "fr", "url": f"{origin}/fr?utm_source=x"},
            {"language": "it", "url": "https://other.example/it"},
        ],
        "state": "fetched",
        "status": 200,
    }
    assert [(row[2].removeprefix(origin), row[9], row[10]) for row in rows[1:4]] == [
        ("/de", "fetched", 200), ("/fr", "not_found", 404), ("https://other.example/", "skipped", None),
    ]  # fmt: skip


def test_a_translation_that_does_not_answer_is_an_issue(crawled: Crawled) -> None:
    assert crawled.issues(IssueName.ALTERNATE_ERROR_IN_SITEMAP) == [("/", "/fr", "fr: not_found 404")]


def test_a_date_in_the_future_is_an_issue(crawled: Crawled) -> None:
    assert crawled.issues(IssueName.LASTMOD_IN_FUTURE) == [("/page1", "/whole.xml", FUTURE)]


def test_dates_and_priorities_that_are_all_the_same_are_issues_of_their_sitemap(crawled: Crawled) -> None:
    assert sorted(crawled.issues(IssueName.LASTMOD_ALIKE)) == [
        ("/made.xml", "", f"3 entries, all {NOW}"),
        ("/same.xml", "", "3 entries, all 2026-01-02"),
    ]
    assert crawled.issues(IssueName.PRIORITY_ALIKE) == [("/same.xml", "", "3 entries, all 0.5")]


def test_the_sitemap_of_a_first_crawl_has_the_plausible_dates_of_the_site(crawled: Crawled) -> None:
    text = (crawled.done.exports / "sitemap.xml").read_text(encoding="utf-8").replace(crawled.origin, "")
    dates = dict(re.findall(r"<loc>(.*?)</loc>(?:<lastmod>(.*?)</lastmod>)?", text))
    assert dates == {
        "/": "2020-01-02",
        "/page0": "2019-05-06",  # of its header
        "/page1": "2026-01-02",  # of the second file that lists it
        "/page2": "2020-01-03T01:00:00+02:00",
        "/de": "",
    }


def views(*rows: tuple[int, str]) -> duckdb.DuckDBPyConnection:
    """Return a database with pages (id, Last-Modified) that were fetched on 2026-06-10 at 12:00 UTC."""
    db = duckdb.connect()
    at = datetime(2026, 6, 10, 12, tzinfo=UTC).timestamp()
    db.execute("CREATE TABLE pages (id BIGINT, last_modified VARCHAR, fetched_at DOUBLE)")
    db.execute("CREATE TABLE views (id BIGINT, url VARCHAR, key VARCHAR, fetched_at DOUBLE)")
    db.execute("CREATE TABLE text_dates (key VARCHAR, changed_on VARCHAR, changed BOOLEAN, before VARCHAR)")
    db.execute("CREATE TABLE dated (id BIGINT, sitemap VARCHAR, lastmod VARCHAR)")
    for id_, header in rows:
        db.execute("INSERT INTO pages VALUES (?, ?, ?)", [id_, header, at])
        db.execute("INSERT INTO views VALUES (?, ?, ?, ?)", [id_, f"/{id_}", str(id_), at])
    return db


def http_date(*date: int) -> str:
    return format_datetime(datetime(*date, tzinfo=UTC), usegmt=True)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("header", "listed", "text", "lastmod"),
    [
        (http_date(2026, 1, 2), "2026-03-04", None, "2026-01-02"),
        ("Friday, 02-Jan-26 10:00:00 GMT", None, None, "2026-01-02"),
        ("Fri Jan  2 10:00:00 2026", None, None, "2026-01-02"),
        (http_date(2026, 6, 10, 12), "2026-03-04", None, "2026-03-04"),  # made for the response
        (http_date(2026, 6, 11), "2026-03-04", None, "2026-03-04"),  # in the future
        ("yesterday", None, None, ""),
        ("", "2026-06-11", None, ""),
        ("", "2026", None, "2026"),
        (http_date(2026, 1, 2), None, ("2026-05-06", True, ""), "2026-05-06"),  # a change that was seen
        (
            http_date(2026, 1, 2),
            None,
            ("2026-05-06", False, ""),
            "2026-01-02",
        ),  # the text is older than the first crawl
        (http_date(2026, 6, 1), "2026-06-02", ("2026-05-06", False, ""), "2026-05-06"),  # the text did not change then
    ],
)
def test_the_date_of_a_page_is_the_last_change_or_a_plausible_statement(
    header: str, listed: str | None, text: tuple[str, bool, str] | None, lastmod: str
) -> None:
    with views((1, header)) as db:
        if listed is not None:
            db.execute("INSERT INTO dated VALUES (1, 's', ?)", [listed])
        if text is not None:
            db.execute("INSERT INTO text_dates VALUES ('1', ?, ?, ?)", list(text))
        build_lastmods(db, min_pages=2)
        assert db.execute("SELECT lastmod FROM lastmods").fetchall() == [(lastmod,)]


@pytest.mark.parametrize(("seconds", "dates"), [((0, 0, 0), [""] * 3), ((0, 0, 1), ["2026-01-02"] * 3)])
def test_headers_that_are_all_the_same_say_nothing(seconds: tuple[int, ...], dates: list[str]) -> None:
    headers = [(number, http_date(2026, 1, 2, 3, 4, second)) for number, second in enumerate(seconds)]
    with views(*headers) as db:
        build_lastmods(db, min_pages=3)
        assert [lastmod for (lastmod,) in db.execute("SELECT lastmod FROM lastmods ORDER BY id").fetchall()] == dates


@pytest.mark.parametrize(
    ("listed", "text", "detail"),
    [
        ("2026-05-07", ("2026-05-06", False, ""), "2026-05-07, but the text is the same as on 2026-05-06"),
        ("2026-05-06T23:00:00Z", ("2026-05-06", False, ""), None),
        ("2026-06", ("2026-05-06", False, ""), None),
        ("2026-05-01", ("2026-05-06", True, ""), None),
        ("2026-05-01", ("2026-06-10", True, "2026-05-06"), "2026-05-01, but the text was another one on 2026-05-06"),
        ("2026-05-06", ("2026-06-10", True, "2026-05-06"), None),
    ],
)
def test_a_date_that_the_text_contradicts_is_an_issue(
    listed: str, text: tuple[str, bool, str], detail: str | None
) -> None:
    with views((1, "")) as db:
        db.execute("INSERT INTO dated VALUES (1, '/sitemap.xml', ?)", [listed])
        db.execute("INSERT INTO text_dates VALUES ('1', ?, ?, ?)", list(text))
        found = db.execute(str(_CHECKS[IssueName.LASTMOD_CONTRADICTED])).fetchall()
    assert found == ([("/1", "/sitemap.xml", detail)] if detail else [])


def test_a_change_that_the_site_did_not_date_is_an_issue_of_the_recrawl(tmp_path: Path) -> None:
    listed = sitemap("sitemap", entry("/", "<lastmod>2020-01-02</lastmod>"))
    port = 0
    for text in ("Before.", "After."):
        pages = (Page(path="/", title="Home", text=(text,)), listed)
        with SiteServer(Site(pages=pages), port=port) as server:
            done, port = crawl_inline(server.url, tmp_path, ALL_FILES), server.port
    (row,) = [row for row in table(done.exports / "issues.csv") if row["kind"] == IssueName.LASTMOD_CONTRADICTED]
    dates = {f"{day:%Y-%m-%d}" for day in (TODAY, datetime.now(UTC))}  # it may be midnight meanwhile
    assert row["detail"] in {f"2020-01-02, but the text was another one on {date}" for date in dates}
