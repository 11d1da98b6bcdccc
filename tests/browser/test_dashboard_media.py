"""The gallery of a crawl's media in Chromium: filters, lightbox, savings, pages that use a file."""

from collections.abc import Iterator
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from tests.support.campaign import slow
from tests.support.dashboard import visitor
from tests.support.documents import pdf_with
from tests.support.media_site import MediaSite, html
from tests.support.patience import eventually
from tests.support.serving import Served, served

pytestmark = slow  # a crawl with media and a browser


def picture(colour: str) -> tuple[str, bytes]:
    """Return the response of an image that becomes much smaller when it is stored."""
    data = BytesIO()
    Image.new("RGB", (400, 300), colour).save(data, "PNG", compress_level=0)
    return "image/png", data.getvalue()


CONTENT: dict[str, tuple[str, bytes] | int | str] = {
    "/": html("<a href=/b>b</a><img src=/red.png alt='A red area'><img src=/blue.png><a href=/sheet.pdf>A sheet</a>"),
    "/b": html("<img src=/red.png><img src=/gone.png><img src=/copy.png>"),
    "/red.png": picture("red"),
    "/blue.png": picture("blue"),
    "/copy.png": picture("red"),
    "/sheet.pdf": ("application/pdf", pdf_with(["The depth."], title="Depths")),
}


@pytest.fixture(name="service", scope="module")
def a_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("media")) as service:
        yield service


def crawled(service: Served, include: list[str]) -> str:
    with MediaSite(CONTENT) as site:
        settings = {"max_pages": 5, "polite": {"interval": 0.0}, "media": {"include": include}}
        crawl: str = service.ask("POST", "/v1/crawls", {"url": site.url, "settings": settings}).json()["crawl"]
        assert service.wait_for(crawl)["status"] == "completed"
    return crawl


def names(page: Page) -> list[str]:
    return page.locator(".media-name").all_inner_texts()


def test_images_are_shown_filtered_and_opened_with_the_keyboard(desktop: Browser, service: Served) -> None:
    crawl = crawled(service, ["images"])
    with visitor(desktop, f"{service.url}/#key={service.key}") as person:
        page = person.page
        page.get_by_role("heading", level=1).wait_for()
        page.goto(f"{service.url}/#/crawls/{crawl}")
        person.click("link", "Media", exact=True)
        page.locator(".media-card").first.wait_for()
        assert names(page) == ["red.png", "blue.png", "gone.png", "copy.png", "sheet.pdf"]
        expect(page.locator(".media-thumbnail img")).to_have_count(3)
        for number in range(3):
            expect(page.locator(".media-thumbnail img").nth(number)).not_to_have_js_property("naturalWidth", 0)
        expect(page.locator(".media-card").nth(0)).to_contain_text("used on 2 pages")
        expect(page.locator(".media-card").nth(2)).to_contain_text("not found")
        expect(page.locator(".media-card").nth(4)).to_contain_text("skipped")  # found as a page, and not stored
        assert person.accessibility_problems() == []

        page.locator(".media-card").first.focus()
        page.keyboard.press("Enter")
        box = page.get_by_role("dialog", name="red.png")
        expect(box).to_contain_text("400 \u00d7 300 pixels")
        expect(box).to_contain_text("Saved")
        expect(box).to_contain_text("(99 %)")
        expect(box.get_by_role("link", name="/b", exact=True).first).to_be_visible()
        expect(box).to_contain_text("“A red area”")
        expect(page.locator(".media-shown")).not_to_have_js_property("naturalWidth", 0)
        assert person.accessibility_problems() == []
        with page.expect_download() as saved:
            person.click("link", "Download", exact=False)
        assert saved.value.path().stat().st_size < 5_000
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("dialog", name="blue.png")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator(".media-card").first).to_be_focused()

        page.get_by_label("Duplicates").select_option("Leave out")
        expect(page.locator(".media-card")).to_have_count(4)
        states = page.get_by_label("State").locator("option")
        assert states.all_inner_texts() == ["All", "fetched (3)", "not found (1)", "skipped (1)"]
        page.get_by_label("State").select_option("not found (1)")
        expect(page.locator(".media-card")).to_have_count(1)
        assert eventually(lambda: names(page) == ["gone.png"])
        assert person.errors == []


def test_documents_are_filtered_by_the_address(desktop: Browser, service: Served) -> None:
    crawl = crawled(service, ["images", "documents"])
    with visitor(desktop, f"{service.url}/#key={service.key}", width=320, dark=True) as person:
        person.page.get_by_role("heading", level=1).wait_for()
        person.page.goto(f"{service.url}/#/crawls/{crawl}/media?kind=document")
        person.page.locator(".media-card").wait_for()
        assert names(person.page) == ["Depths"]
        person.page.locator(".media-card").click()
        expect(person.page.locator(".media-text")).to_contain_text("The depth.")
        assert person.accessibility_problems() == []
        assert not person.is_wider_than_its_window()
        person.click("button", "Close")
        person.click("button", "4 images")
        expect(person.page.locator(".media-card")).to_have_count(4)
        assert person.errors == []
