"""The dashboard of `wavecrawl serve` in Chromium: a newcomer's path, the keyboard, phones, themes, hostile sites."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.support.campaign import slow
from tests.support.dashboard import Visitor, visitor
from tests.support.page_memories import move_back
from tests.support.patience import eventually
from tests.support.serving import Served, served
from tests.support.small_wacz import installed_engine

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId

SCRIPT = "<script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">"
FORMULA = '=HYPERLINK("http://evil.example/","click")'
HOSTILE = Site(
    pages=(
        Page(path="/", title=SCRIPT, text=(SCRIPT,), links=(Link(to="/formula", text=SCRIPT),), description=SCRIPT),
        Page(path="/formula", title=FORMULA, text=("## -1+1", SCRIPT), mentions=("javascript:alert(1)",)),
    )
)
MOST_CLICKS = 12


@pytest.fixture(name="service", scope="module")
def a_service_with_crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service with two crawls of the demo site, and one of a hostile site.

    They have a limit of depth. Under a limit of pages, a page that is requested again as the machine is busy would take
    the place of another one, and the second crawl would find other pages than the first.
    """
    data = tmp_path_factory.mktemp("dashboard")
    with SiteServer(demo_site()) as demo, SiteServer(HOSTILE) as hostile, served(data) as service:
        for site in (demo, hostile):
            settings = {"max_depth": 2, "polite": {"interval": 0.0}}
            made = service.ask("POST", "/v1/sites", {"url": site.url, "name": site.url, "settings": settings}).json()
            for _ in range(2 if site is demo else 1):
                crawl = service.ask("POST", f"/v1/sites/{made['site']}/crawls").json()["crawl"]
                assert service.wait_for(crawl)["status"] == "completed"
                move_back(data, CrawlId(tenant="local", site=made["site"], crawl=crawl), seconds=100.0)
        yield service


def signed_in(service: Served, path: str = "") -> str:
    return f"{service.url}/#key={service.key}{path}"


def crawls_of(service: Served) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = service.ask("GET", "/v1/crawls").json()["crawls"]
    return found


def crawl_with(service: Served, title: str) -> tuple[str, str]:
    """Return the IDs of the crawl and the page with a title."""
    for crawl in crawls_of(service):
        for page in service.ask("GET", f"/v1/crawls/{crawl['crawl']}/pages").json()["pages"]:
            if page["title"] == title:
                return crawl["crawl"], page["key"]
    raise LookupError(title)


def test_a_newcomer_crawls_a_site_finds_its_orphans_and_downloads_its_pages(desktop: Browser, tmp_path: Path) -> None:
    with SiteServer(demo_site(), latency=0.02) as site, served(tmp_path / "data") as service:  # noqa: SIM117
        with visitor(desktop, signed_in(service)) as person:
            person.sees("Crawl your first site")
            assert service.key not in person.page.url
            person.page.get_by_label("Address of the site").fill(site.url)
            person.page.get_by_label("Most pages").fill("300")
            person.clicks += 2  # into the two fields
            person.click("button", "Add site and crawl")
            person.sees(re.compile(r"Crawled \d+/300 pages"))  # type: ignore[arg-type]
            person.sees("URLs by state")
            assert [crawl["triggered_by"] for crawl in crawls_of(service)] == ["dashboard"]
            person.click("link", "Orphans")
            person.page.get_by_role("link", name="/landing/harbours", exact=True).wait_for()
            person.click("link", "Pages")
            person.page.locator(".grid-body a").first.wait_for()
            with person.page.expect_download() as waiting:
                person.click("button", "Download CSV")
            rows = list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))
            assert rows[0]["url"] == site.url
            assert sum(row["state"] == "fetched" for row in rows) > 40
            person.click("link", "/products/")
            person.sees("Why it is here, or is not")
            person.click("link", "Sites")
            person.page.locator(".site-card").get_by_text("no earlier crawl").wait_for()
            assert person.clicks < MOST_CLICKS
            assert person.errors == []


def test_a_file_is_created_on_request(desktop: Browser, service: Served) -> None:
    crawl, _ = crawl_with(service, "Products")
    with visitor(desktop, signed_in(service)) as person:
        person.page.goto(f"{service.url}/#/crawls/{crawl}/files")
        person.click("button", "Create llms.txt")
        said = person.page.get_by_role("status").filter(has_text="llms.txt")
        expect(said).to_have_text("llms.txt was created.")
        expect(person.page.get_by_role("button", name="Create llms.txt")).to_have_count(0)
        with person.page.expect_download() as waiting:
            person.click("link", "llms.txt")
        assert Path(waiting.value.path()).read_text(encoding="utf-8").startswith("# ")
        assert person.errors == []


def test_an_archive_opens_in_the_viewer_on_another_origin(desktop: Browser, service: Served) -> None:
    installed_engine()  # the service finds it in the same place
    crawl = crawls_of(service)[-1]["crawl"]  # the first one: a recrawl has only what has changed
    with visitor(desktop, signed_in(service)) as person:
        person.page.goto(f"{service.url}/#/crawls/{crawl}/files")
        person.click("button", "Create crawl.wacz")
        with person.page.expect_popup() as opened:
            person.click("link", "Open the archive in the viewer")
        page = opened.value
        page.get_by_text(re.compile(r"^\s*\d+ Pages")).first.wait_for()
        root = service.ask("GET", f"/v1/crawls/{crawl}/pages").json()["pages"][0]["url"]
        page.evaluate("(url) => { location.hash = `view=pages&url=${encodeURIComponent(url)}`; }", root)
        page.frame_locator("iframe").locator("h1").first.wait_for()
        own = urlsplit(page.url)
        assert (own.hostname, own.port) != (urlsplit(service.url).hostname, urlsplit(service.url).port)
        stored = "JSON.stringify([window.opener, {...sessionStorage}, {...localStorage}])"
        assert service.key not in page.evaluate(stored)
        assert page.evaluate("window.opener") is None
        assert service.key in person.page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})")
        person.page.bring_to_front()
        assert person.errors == []


@slow
def test_the_filter_of_an_address_counts_not_what_the_field_had_before(desktop: Browser, service: Served) -> None:
    crawl, _ = crawl_with(service, "Products")
    with visitor(desktop, signed_in(service)) as person:
        person.page.goto(f"{service.url}/#/crawls/{crawl}/pages")
        person.page.locator(".grid-body a").first.wait_for()
        person.page.goto(f"{service.url}/#/crawls/{crawl}/pages?url=nothing-has-this")
        expect(person.page.get_by_label("URL contains")).to_have_value("nothing-has-this")
        person.page.locator(".empty").wait_for()


def test_everything_can_be_done_with_the_keyboard(desktop: Browser, service: Served) -> None:
    crawl, _ = crawl_with(service, "Products")
    with visitor(desktop, service.url) as person:
        keys = person.page.keyboard
        person.page.get_by_label("API key").focus()
        keys.type(service.key)
        keys.press("Enter")
        person.page.locator(".site-card").first.wait_for()
        assert person.page.evaluate("document.activeElement.tagName") == "H1"
        person.page.goto(f"{service.url}/#/crawls/{crawl}/pages")
        person.page.locator(".grid-body a").first.wait_for()
        _tab_to(person, "Words")
        keys.press("Enter")
        person.page.locator("[aria-sort=ascending]").wait_for()
        keys.press("Enter")
        person.page.locator("[aria-sort=descending]").wait_for()
        _tab_to(person, "Columns", backwards=True)
        keys.press("Enter")
        person.page.get_by_role("checkbox", name="Title").focus()
        keys.press("Space")
        keys.press("Escape")
        person.page.get_by_role("columnheader", name="Title").wait_for(state="detached")
        assert person.page.evaluate("document.activeElement.textContent").strip() == "Columns"
        person.page.locator(".grid-body a").first.focus()
        keys.press("Enter")
        person.sees("Why it is here, or is not")
        assert person.errors == []


def _tab_to(person: Visitor, name: str, *, backwards: bool = False) -> None:
    for _ in range(60):
        person.page.keyboard.press("Shift+Tab" if backwards else "Tab")
        if person.page.evaluate("document.activeElement.textContent").strip() == name:
            return
    raise AssertionError(f"the keyboard does not reach {name}")


def test_hostile_titles_and_texts_stay_text(desktop: Browser, service: Served) -> None:
    crawl, root = crawl_with(service, SCRIPT)
    with visitor(desktop, signed_in(service)) as person:
        person.page.locator(".site-card").first.wait_for()
        person.page.goto(f"{service.url}/#/crawls/{crawl}/pages?columns=url,title,state")
        person.page.get_by_text(SCRIPT).first.wait_for()
        with person.page.expect_download() as waiting:
            person.click("button", "Download CSV")
        text = Path(waiting.value.path()).read_text(encoding="utf-8")
        assert [row["title"] for row in csv.DictReader(text.splitlines())] == [SCRIPT, f"'{FORMULA}"]
        person.page.goto(f"{service.url}/#/crawls/{crawl}/pages/{root}")
        person.page.get_by_role("heading", name=SCRIPT).wait_for()
        person.click("button", "Show the response")
        person.page.get_by_label("Body of the response").wait_for()
        assert person.page.title() == f"{SCRIPT} · wavecrawl"
        assert person.page.locator("main script, main img").count() == 0
        assert person.errors == []


def test_a_lost_service_and_a_key_that_ended_are_explained(desktop: Browser, service: Served) -> None:
    with visitor(desktop, signed_in(service), offline_ok=True) as person:
        person.page.locator(".site-card").first.wait_for()
        person.page.route("**/v1/**", lambda route: route.abort())
        person.click("link", "Add site")
        person.page.get_by_label("Address of the site").fill("example.com")
        person.click("button", "Add site and crawl")
        person.page.get_by_role("alert").get_by_text("The service does not respond").wait_for()
        person.page.locator(".offline").wait_for()
        assert person.accessibility_problems() == []
        person.page.unroute("**/v1/**")
        person.click("link", "Sites")
        person.page.locator(".site-card").first.wait_for()
        person.page.locator(".offline").wait_for(state="detached")
        person.page.evaluate("sessionStorage.setItem('wavecrawl-key', 'wck_' + '0'.repeat(12) + '_' + 'A'.repeat(43))")
        person.page.reload()
        person.sees("Your API key is not valid, or not any more")
        assert person.page.evaluate("sessionStorage.length") == 0
        assert person.errors == []


def test_a_table_of_100_000_rows_holds_few_of_them(desktop: Browser, service: Served) -> None:
    crawl, _ = crawl_with(service, "Products")
    row = service.ask("GET", f"/v1/crawls/{crawl}/pages?limit=1").json()["pages"][0]
    asked: list[int] = []

    def part(route: Route) -> None:
        start = int(re.search(r"cursor=(\d+)", route.request.url)[1]) if "cursor=" in route.request.url else 0  # type: ignore[index]
        asked.append(start)
        pages = [row | {"key": f"{index:032x}", "title": f"Row {index}"} for index in range(start, start + 1_000)]
        route.fulfill(
            json={
                "pages": pages,
                "next_cursor": str(start + 1_000),
                "total": 100_000,
                "as_of_wave": None,
                "running": False,
            }
        )

    with visitor(desktop, signed_in(service)) as person:
        person.page.locator(".site-card").first.wait_for()
        person.page.route(re.compile(rf"/v1/crawls/{crawl}/pages\?"), part)
        person.page.goto(f"{service.url}/#/crawls/{crawl}/pages")
        person.sees("Row 3")
        person.sees("100,000 rows")
        for top in (20_000, 40_000, 80_000):
            person.page.locator(".grid-box").evaluate("(box, top) => box.scrollTo(0, top)", top)
            person.page.get_by_text(f"Row {top // 40 + 5}", exact=True).wait_for()
        assert person.page.locator(".grid-body > .grid-row").count() < 60
        assert asked == sorted(set(asked))  # each part once, in order
        assert eventually(lambda: max(asked) == 2_000)
        assert person.errors == []


@slow
def test_a_table_is_where_it_was_when_one_comes_back(desktop: Browser, service: Served) -> None:
    crawl, _ = crawl_with(service, "Products")
    with visitor(desktop, signed_in(service)) as person:
        person.page.goto(f"{service.url}/#/crawls/{crawl}/pages")
        person.page.locator(".grid-body a").first.wait_for()
        box = person.page.locator(".grid-box")
        box.evaluate("box => { box.scrollTop = 600 }")
        person.page.locator("[aria-rowindex='18'] a").click()
        person.sees("Why it is here, or is not")
        person.page.go_back()
        person.page.locator("[aria-rowindex='18'] a").wait_for()
        expect(box).to_have_js_property("scrollTop", 600)


@slow
def test_the_cards_of_all_sites_come_with_one_request(desktop: Browser, service: Served) -> None:
    asked: list[str] = []
    with visitor(desktop, f"{service.url}/#/nowhere") as person:
        person.page.on("request", lambda request: asked.append(request.url.removeprefix(service.url)))
        person.page.goto(signed_in(service))
        cards = person.page.locator(".site-card")
        expect(cards).to_have_count(2)
        expect(cards.filter(has=person.page.locator(".sparkline"))).to_have_count(1)  # the site with two crawls
        expect(cards.get_by_text("0 new, 0 changed texts, 0 gone")).to_have_count(1)
        expect(cards.get_by_text("not all are known")).to_have_count(0)
        person.page.wait_for_load_state("networkidle")
    assert [path for path in asked if "/sites" in path] == ["/v1/sites?limit=100&crawls=12"]


@slow
def test_a_card_names_the_date_of_results_that_are_not_those_of_the_last_crawl(
    desktop: Browser, service: Served
) -> None:
    def failed(route: Route) -> None:
        response = route.fetch()
        found = response.json()
        for site in found["sites"]:
            failure = {**site["crawls"][0], "crawl": "failed", "status": "failed", "outcome": None}
            site["crawls"].insert(0, failure)
        route.fulfill(response=response, json=found)

    with visitor(desktop, service.url) as person:
        person.page.goto(signed_in(service))
        cards = person.page.locator(".site-card")
        expect(cards.get_by_text("no errors").or_(cards.get_by_text("error")).first).to_be_visible()
        expect(cards.get_by_text(re.compile("^of [A-Z0-9]"))).to_have_count(0)
        person.page.route(re.compile(r"/v1/sites\?"), failed)
        person.page.reload()
        expect(cards.get_by_text(re.compile("^of [A-Z0-9]"))).to_have_count(4)  # health and changes of two sites


@slow
def test_changes_say_that_a_crawl_stopped_at_a_limit(desktop: Browser, service: Served) -> None:
    crawl, _ = crawl_with(service, "Products")

    def cut(route: Route) -> None:
        response = route.fetch()
        found = response.json()
        for site in found.get("sites", []):
            for outcome in filter(None, (one["outcome"] for one in site["crawls"][-1:])):
                outcome["limits"] = ["max_pages"]
        route.fulfill(response=response, json={**found, "limits_before": ["max_pages"], "limits_now": ["cancelled"]})

    with visitor(desktop, service.url) as person:
        person.page.route(re.compile(r"/v1/sites\?|/diff\?"), cut)
        person.page.goto(signed_in(service))
        expect(person.page.locator(".site-card").get_by_text("not all are known: limit of pages")).to_have_count(1)
        person.page.goto(f"{service.url}/#/crawls/{crawl}/changes")
        note = person.page.get_by_role("note", name="Limits")
        expect(note).to_contain_text("The earlier crawl did not read the whole site (limit of pages).")
        expect(note).to_contain_text("This crawl did not read the whole site (cancelled).")
        assert person.accessibility_problems() == []


def test_a_crawl_names_its_site_and_leads_back_to_it(desktop: Browser, service: Served) -> None:
    crawl, _ = crawl_with(service, "Products")
    with visitor(desktop, signed_in(service)) as person:
        person.page.locator(".site-card").first.wait_for()
        person.page.goto(f"{service.url}/#/crawls/{crawl}/issues")
        name = service.ask("GET", f"/v1/crawls/{crawl}").json()["site_name"]
        person.page.get_by_role("heading", level=1, name=f"Issues of {name}", exact=True).wait_for()
        person.click("link", f"All crawls of {name}")
        expect(person.page.locator(".plain-table tbody tr")).to_have_count(2)


def test_a_search_waits_until_the_index_is_built(desktop: Browser, service: Served) -> None:
    crawl, _ = crawl_with(service, "Products")
    site = service.ask("GET", f"/v1/crawls/{crawl}").json()["site"]
    assert eventually(lambda: service.ask("GET", f"/v1/sites/{site}/index").json()["can_search"])
    detail = "the search index of crawl c1 is being built, 40 pages done; retry in 5 s"
    with visitor(desktop, service.url) as person:
        person.page.goto(signed_in(service))
        person.page.get_by_role("main").wait_for()
        person.page.clock.install()
        answer: dict[str, Any] = {"status": 409, "content_type": "application/problem+json", "json": {"detail": detail}}
        person.page.route(re.compile(r"/search\?"), lambda route: route.fulfill(**answer))
        person.page.goto(f"{service.url}/#/sites/{site}/search?q=products")
        expect(person.page.get_by_text(detail)).to_be_visible()
        found = service.ask("GET", f"/v1/sites/{site}/search?q=products").json()
        assert found["passages"]
        note = "the search index of crawl c2 is not built yet"
        late = found | {"index": found["index"] | {"status": "waiting", "message": note}}
        answer.clear()
        answer.update(json=late)
        person.page.clock.run_for(5_000)
        expect(person.page.locator(".passages li").first).to_be_visible()
        expect(person.page.get_by_text(note)).to_be_visible()
        person.page.unroute(re.compile(r"/search\?"))
