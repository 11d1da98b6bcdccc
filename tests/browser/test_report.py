"""report.html in Chromium, opened as a file: its table, its issues, its limits; hostile texts; without a network."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser
from tests.support.campaign import ALL, slow
from tests.support.crawling import ALL_FILES, crawl_inline
from tests.support.dashboard import Visitor, visitor

from wavecrawl.adapters.analytics.report.changes import changes_section
from wavecrawl.demo.model import Link, Page, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.site_changes import SiteChanges

SCRIPT = "<script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">"
SITE = Site(
    pages=(
        Page(path="/", title="Home", links=(Link(to="/a", text=SCRIPT), Link(to="/gone"))),
        Page(path="/a", title=SCRIPT, text=(SCRIPT, "one two three"), links=(Link(to="/b"),), description=SCRIPT),
        Page(path="/b", title="x" * 300, links=(Link(to="/c"), Link(to="/d"))),
        Page(path="/alone", title="Nobody links here"),
    ),
    sitemaps=(SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/alone"),)),),
)


@pytest.fixture(name="report", scope="module")
def a_report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the report of the site's second crawl: it was smaller and a title was different before."""
    home, page, *_ = SITE.pages
    folder = tmp_path_factory.mktemp("report")
    with SiteServer(Site(pages=(home, replace(page, title="Before")))) as server:
        crawl_inline(server.url, folder, ALL_FILES)
        port = server.port
    with SiteServer(SITE, port=port) as server:
        yield crawl_inline(server.url, folder, ALL_FILES).exports / "report.html"


def titles(person: Visitor) -> list[str]:
    """Return the titles or URLs of the shown rows of the table of pages."""
    rows = person.page.locator("#page-table tbody tr:visible td:first-child")
    return [text.partition("\n")[0] for text in rows.all_inner_texts()]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)] if ALL else [(390, True)])
def test_the_report_is_accessible_and_hostile_texts_stay_text(
    desktop: Browser, report: Path, width: int, *, dark: bool
) -> None:
    with visitor(desktop, "about:blank", width=width, dark=dark) as person:
        asked: list[str] = []
        person.page.on("request", lambda request: asked.append(request.url))
        person.page.goto(report.as_uri())
        for one in person.page.locator(".issue summary").all():
            one.click()
        person.page.get_by_text("How to fix it:").first.wait_for()
        assert person.accessibility_problems() == []
        assert person.is_wider_than_its_window() is False
        assert person.page.title().startswith("Crawl of http://127.0.0.1")
        assert SCRIPT in titles(person)
        row = person.page.locator("#changes tr", has_text="Title")
        assert row.locator("td").all_inner_texts()[1:4] == ["Title", "Before", SCRIPT]
        assert asked == [report.as_uri()]
        assert person.errors == []


def test_its_pages_can_be_searched_and_sorted(desktop: Browser, report: Path) -> None:
    with visitor(desktop, report.as_uri()) as person:
        before = titles(person)
        assert before[:2] == ["Home", SCRIPT]
        person.click("button", "Words")
        person.click("button", "Words")
        person.page.locator("th[aria-sort=descending]").wait_for()
        assert titles(person)[0] == SCRIPT
        person.page.get_by_label("Search in titles").fill("nobody")
        person.sees(f"1 of {len(before)} rows")
        assert titles(person) == ["Nobody links here"]


def test_without_scripts_all_of_it_is_there_and_orphans_have_no_depth(desktop: Browser, report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert "sha256-" in text.partition("Content-Security-Policy")[2].partition(">")[0]
    context = desktop.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    row = page.get_by_role("row", name=re.compile("Nobody links here")).last
    assert row.locator("td").nth(1).inner_text() == "fetched 200"
    assert row.locator("td").nth(2).inner_text() == ""
    assert page.get_by_role("heading", name="Orphan pages").is_visible()
    assert page.locator("dt:has-text('no link leads there') + dd").inner_text() == "1"
    assert page.locator("a[href='pages.csv']").is_visible()
    context.close()


@slow
def test_a_limit_that_cut_the_crawl_is_named_with_what_to_do(desktop: Browser, tmp_path: Path) -> None:
    with SiteServer(SITE) as server:
        done = crawl_inline(server.url, tmp_path, replace(ALL_FILES, max_pages=1))
    with visitor(desktop, (done.exports / "report.html").as_uri()) as person:
        banner = person.page.get_by_role("note", name="Limits").inner_text()
        assert "This crawl did not read the whole site." in banner
        unread = done.summary.reasons["max_pages"]
        assert unread >= 2
        assert (
            f"{unread} known URLs unread: the crawl reached its limit of pages. Raise the setting max_pages" in banner
        )


@slow
def test_the_changes_since_the_last_crawl_are_counted(tmp_path: Path) -> None:
    with SiteServer(SITE) as server:
        first, second = (crawl_inline(server.url, tmp_path, ALL_FILES).exports / "report.html" for _ in range(2))
        title = "<h2>Changes since the last crawl</h2>"
        assert title not in first.read_text(encoding="utf-8")
        assert title in second.read_text(encoding="utf-8")
    assert "1 new page, 2,000 pages with a changed main text, 0 pages gone." in changes_section(
        SiteChanges(new=1, changed=2_000), None
    )
    assert "No page is new or gone, and no main text has changed." in changes_section(SiteChanges(), None)
