"""The checked URLs of a crawl in Chromium: numbers, filters, the table."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.campaign import slow
from tests.support.dashboard import visitor
from tests.support.media_site import MediaSite, html, png
from tests.support.serving import Served, served

pytestmark = slow  # a crawl with checks and a browser


@pytest.fixture(name="service", scope="module")
def a_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("checks")) as service:
        yield service


def crawled(service: Served) -> str:
    with MediaSite({"/ok": html("x"), "/gone": 404, "/old": "/ok"}) as other:
        links = "".join(f"<a href={other.origin}/{name}>{name}</a>" for name in ("ok", "gone", "old"))
        with MediaSite({"/": html(f"{links}<img src=/a.png><img src=/b.png>"), "/a.png": png(1)}) as site:
            settings = {"polite": {"interval": 0.0}, "checks": {"external": True, "resources": True}}
            crawl: str = service.ask("POST", "/v1/crawls", {"url": site.url, "settings": settings}).json()["crawl"]
            assert service.wait_for(crawl)["status"] == "completed"
    return crawl


def rows(page: Page) -> list[list[str]]:
    found = [row.locator("[role=cell]").all_inner_texts() for row in page.locator(".grid-body [role=row]").all()]
    return [[row[0], row[1].rpartition("/")[2].split()[0], row[2]] for row in found]


def test_broken_urls_come_first_and_the_list_is_filtered(desktop: Browser, service: Served) -> None:
    crawl = crawled(service)
    with visitor(desktop, f"{service.url}/#key={service.key}") as person:
        page = person.page
        page.get_by_role("heading", level=1).wait_for()
        page.goto(f"{service.url}/#/crawls/{crawl}")
        finding = page.locator("#findings ~ .counts li", has_text="Broken checked URLs")
        expect(finding.locator(".number")).to_have_text("2")
        person.click("link", "Checks", exact=True)
        page.locator(".grid-body a").first.wait_for()
        assert rows(page) == [
            ["404", "b.png", "image"], ["404", "gone", "link"],
            ["200", "a.png", "image"], ["200", "ok", "link"], ["200", "old", "link"],
        ]  # fmt: skip
        expect(page.get_by_label("Numbers")).to_contain_text("Broken")
        assert person.accessibility_problems() == []
        person.click("button", "Broken", exact=True)
        expect(page.get_by_role("status")).to_have_text("2 URLs")
        person.click("button", "3 links", exact=True)
        expect(page.get_by_role("status")).to_have_text("1 URL")
        assert rows(page) == [["404", "gone", "link"]]
        assert person.errors == []
