"""Orphans: the verdict and its evidence in all results, and what the results say if there is no sitemap."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from openpyxl import load_workbook
from tests.support.crawling import QUICK, Done, crawl_inline, table

from wavecrawl.adapters.analytics.opened_exports import OpenedExports
from wavecrawl.adapters.analytics.results import DuckDbResults
from wavecrawl.adapters.spreadsheets.workbook import write_workbook
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.metrics import crawl_metrics
from wavecrawl.cli.summary import print_summary
from wavecrawl.demo.model import Link, Page, Robots, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.objectives import ObjectiveName
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery, ScopeSettings
from wavecrawl.domain.graph.orphans import NO_SITEMAP

HOME = Page(path="/", title="Home", links=(Link(to="/a"), Link(to="/b")))
PAGES = (HOME, Page(path="/a", title="A"), Page(path="/b", title="B"), Page(path="/lost", title="Lost"))
LISTED = (SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/b"), SitemapEntry(to="/lost"))),)
WHOLE = Site(pages=PAGES, sitemaps=LISTED)
READ_4 = "No link from any of the 4 pages read"


def crawl(folder: Path, site: Site, settings: CrawlSettings = QUICK) -> Done:
    with SiteServer(site) as server:
        return crawl_inline(server.url, folder, settings)


def orphans(done: Done) -> list[tuple[str, str, str]]:
    """Return path, verdict and evidence of each row of orphans.csv."""
    rows = table(done.exports / "orphans.csv")
    return [("/" + row["url"].split("/", 3)[3], row["verdict"], row["evidence"]) for row in rows]


def linked_from_a(*links: Link) -> tuple[Page, ...]:
    return tuple(replace(page, links=links) if page.path == "/a" else page for page in PAGES)


@pytest.mark.parametrize(
    ("site", "settings", "verdict", "evidence"),
    [
        (WHOLE, QUICK, "orphan", READ_4),
        (
            replace(WHOLE, robots=Robots(disallow=("/a",))),
            QUICK,
            "likely",
            "No link from any of the 3 pages read; 1 page not read (robots)",
        ),
        (
            replace(WHOLE, pages=linked_from_a(Link(to="/x", nofollow=True), Link(to="/y", nofollow=True))),
            QUICK,
            "likely",
            f"{READ_4}; 2 pages not read (nofollow)",
        ),
        (
            replace(WHOLE, pages=(*linked_from_a(Link(to="/wall")), Page(path="/wall", status=403))),
            QUICK,
            "likely",
            f"{READ_4}; 1 page not read (forbidden)",
        ),
        (
            replace(WHOLE, pages=linked_from_a(Link(to="/old/1"))),
            replace(QUICK, scope=ScopeSettings(exclude=("/old/*",))),
            "likely",
            f"{READ_4}; 1 page not read (excluded)",
        ),
        (
            replace(WHOLE, pages=(*linked_from_a(Link(to="/broken")), Page(path="/broken", status=500))),
            QUICK,
            "inconclusive",
            f"{READ_4}; 1 page not read (HTTP 500)",
        ),
        (
            WHOLE,
            replace(QUICK, discovery=Discovery.SITEMAP_ONLY),
            "inconclusive",
            "No link from any of the 2 pages read; start page not read (sitemap_only)",
        ),
        (replace(WHOLE, pages=linked_from_a(Link(to="https://elsewhere.example/"))), QUICK, "orphan", READ_4),
        (replace(WHOLE, pages=linked_from_a(Link(to="/missing"))), QUICK, "orphan", READ_4),
    ],
    ids=["whole", "robots", "nofollow", "forbidden", "excluded", "failed", "sitemap_only", "other host", "not found"],
)  # fmt: skip
def test_the_verdict_names_what_was_not_read(
    tmp_path: Path, site: Site, settings: CrawlSettings, verdict: str, evidence: str
) -> None:
    done = crawl(tmp_path, site, settings)
    assert ("/lost", verdict, evidence) in orphans(done)
    assert done.summary.orphans is not None
    assert set(done.summary.orphans) == {verdict}
    assert done.summary.orphan_evidence == evidence
    pages = {page["title"]: page["orphan"] for page in done.pages()}
    assert pages["Lost"] == verdict
    issues = [row for row in table(done.exports / "issues.csv") if row["kind"] == "orphan"]
    assert f"{verdict}: {evidence}" in [row["detail"] for row in issues]
    assert f"<p>{evidence}.</p>" in (done.exports / "report.html").read_text(encoding="utf-8")


def test_pages_of_a_sitemap_that_a_limit_left_unread_are_inconclusive(tmp_path: Path) -> None:
    done = crawl(tmp_path, WHOLE, replace(QUICK, max_pages=2))
    evidence = "No link from any of the 2 pages read; 2 pages not read (max_pages)"
    assert orphans(done) == [("/lost", "inconclusive", f"Not read (max_pages). {evidence}")]
    assert done.summary.orphans == {"inconclusive": 1}
    assert "orphan" not in done.summary.issues  # a finding on a page needs the page


def test_without_a_sitemap_no_result_says_that_there_are_no_orphans(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = crawl(tmp_path, Site(pages=PAGES))
    assert done.summary.orphans is None
    assert done.summary.orphan_evidence == NO_SITEMAP
    row = LocalStore(tmp_path).crawls.read(done.row.id)
    assert row is not None
    assert row.outcome is not None
    assert row.outcome.statistics is not None
    assert row.outcome.statistics.orphans is None
    assert json.loads((done.exports / "summary.json").read_text(encoding="utf-8"))["orphans"] is None
    report = (done.exports / "report.html").read_text(encoding="utf-8")
    assert "No sitemap found, so orphans cannot be found." in report
    assert "0 orphan pages" not in report
    assert '<div class="tile"><b>?</b><a href="#orphans">orphan pages</a></div>' in report
    print_summary(done.summary, done.exports)
    assert "No sitemap found, so orphans cannot be found." in " ".join(capsys.readouterr().out.split())
    assert "wavecrawl_crawl_orphans{" not in crawl_metrics(done.summary)
    overview = load_workbook(write_workbook(done.exports, tmp_path))["Overview"]
    assert {row[0].value: row[1].value for row in overview.iter_rows()}["Orphan pages"] == NO_SITEMAP


def test_a_crawl_that_reads_no_sitemaps_says_so(tmp_path: Path) -> None:
    done = crawl(tmp_path, WHOLE, replace(QUICK, discovery=Discovery.LINKS_ONLY))
    assert done.summary.orphans is None
    assert done.summary.orphan_evidence == "Orphans cannot be found: sitemaps not read (links_only)"


def test_a_page_without_content_leaves_the_verdict_open_until_a_crawl_confirms_it(tmp_path: Path) -> None:
    empty = Page(path="/b", body=b"", content_type="text/html")
    site = replace(WHOLE, pages=(*(page for page in PAGES if page.path != "/b"), empty))
    with SiteServer(site) as server:
        crawls = [crawl_inline(server.url, tmp_path, QUICK) for _ in range(2)]
    assert [orphans(done) for done in crawls] == [
        [("/lost", "inconclusive", f"{READ_4}; 1 page without content")],
        [("/lost", "orphan", READ_4)],
    ]


def test_a_page_of_the_documentation_that_fails_is_not_covered(tmp_path: Path) -> None:
    links = tuple(Link(to=path) for path in ("/docs/fails", "/docs/gone", "/docs/there"))
    pages = (
        Page(path="/", links=links),
        Page(path="/docs/fails", status=503),
        Page(path="/docs/gone", status=404),
        Page(path="/docs/there"),
    )
    done = crawl(tmp_path, Site(pages=pages), replace(QUICK, max_retries=0))
    assert [row["lane"] for row in done.ledger()] == ["p0", "p1", "p1", "p1"]
    found = {one.name: one.value for one in done.summary.objectives}
    assert found[ObjectiveName.COVERAGE] == 0.6667  # of the three of lane p1


def test_a_site_whose_pages_are_all_linked_has_no_orphans(tmp_path: Path) -> None:
    done = crawl(tmp_path, replace(WHOLE, pages=linked_from_a(Link(to="/lost"))))
    assert done.summary.orphans == {}
    assert orphans(done) == []


def test_a_page_that_was_not_requested_may_still_be_an_orphan(tmp_path: Path) -> None:
    with SiteServer(WHOLE) as server:
        first = crawl_inline(server.url, tmp_path, QUICK)
        port = int(server.origin.rpartition(":")[2])
    with SiteServer(Site(pages=PAGES), port=port) as server:
        second = crawl_inline(server.url, tmp_path, QUICK)
    exports = {first.row.id: first.exports, second.row.id: second.exports}

    def copies(wanted: Sequence[tuple[CrawlId, str]]) -> list[Path | None]:
        paths = [exports[crawl] / name for crawl, name in wanted]
        return [path if path.is_file() else None for path in paths]

    opened = OpenedExports(copies, lambda _: frozenset())
    assert DuckDbResults(opened).compare(first.row.id, second.row.id).kinds["ended_orphan"] == 0
