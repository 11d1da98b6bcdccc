"""Lists of URLs in the dashboard: a file is uploaded, checked and crawled, or its bad line is named."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.browser.test_dashboard_settings import opens
from tests.support.campaign import slow
from tests.support.dashboard import visitor
from tests.support.plain_site import plain_site
from tests.support.serving import Served, served

from wavecrawl.demo.server import SiteServer

pytestmark = slow  # a browser of its own

FILE = 'input[type="file"]'


@pytest.fixture(name="service")
def a_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("lists")) as service:
        yield service


def text_file(name: str, *lines: str) -> Any:
    """Return a file to choose in the browser."""
    return {"name": name, "mimeType": "text/plain", "buffer": "\n".join(lines).encode()}


def lists_of(service: Served) -> list[tuple[str, str, int]]:
    found = service.ask("GET", "/v1/lists").json()["lists"]
    return [(one["name"], one["state"], one["urls"]) for one in found]


def test_a_new_site_is_crawled_with_an_uploaded_list_once_its_bad_line_is_corrected(
    desktop: Browser, service: Served
) -> None:
    made = plain_site(pages=9)
    first, second = (page.path.lstrip("/") for page in made.pages[1:3])
    with SiteServer(made) as site, visitor(desktop, service.url, offline_ok=True) as person:
        opens(person, service, "sites/new")
        person.page.get_by_label("Address of the site").fill(site.url)
        person.page.locator(FILE).set_input_files(text_file("bad.txt", f"{site.url}{first}", "# none", "mailto:x@y.z"))
        person.page.get_by_role("alert").get_by_text("bad.txt: Line 3: ").wait_for()
        assert lists_of(service) == []
        assert person.accessibility_problems() == []
        person.page.locator(FILE).set_input_files(text_file("good.txt", f"{site.url}{first}", f"{site.url}{second}"))
        person.page.get_by_role("status").get_by_text("good.txt: 2 URLs").wait_for()
        expect(person.page.get_by_role("alert")).to_have_count(0)
        expect(person.page.get_by_label("Only the URLs of a list")).to_contain_text("good.txt: 2 URLs")
        person.page.get_by_label("Most pages").fill("1")
        person.sees("The list has 2 URLs. The crawl ends after 1 page")
        person.page.get_by_label("Most pages").fill("1000")
        assert person.accessibility_problems() == []
        person.click("button", "Add site and crawl")
        person.page.wait_for_url("**/#/crawls/*")
        crawl = person.page.url.rpartition("/")[2]
        assert service.wait_for(crawl)["status"] == "completed"
        pages = service.ask("GET", f"/v1/crawls/{crawl}/pages").json()["pages"]
        assert sorted(page["url"] for page in pages) == sorted((f"{site.url}{first}", f"{site.url}{second}"))
        assert lists_of(service) == [("good.txt", "ready", 2)]
        assert person.errors == []


def test_an_upload_shows_what_it_does_and_can_be_cancelled(desktop: Browser, service: Served) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    with visitor(desktop, service.url, offline_ok=True) as person:
        person.page.route("**/uploads/**", hold)
        person.page.route("**/v1/lists/*/check", hold)
        opens(person, service, "sites/new")
        person.page.locator(FILE).set_input_files(text_file("urls.txt", "http://127.0.0.1:9/"))
        person.sees("Uploading urls.txt …")
        expect(person.page.get_by_role("progressbar", name="Upload of urls.txt")).to_be_visible()
        expect(person.page.get_by_role("button", name="Add site and crawl")).to_be_disabled()
        expect(person.page.get_by_role("button", name="Upload a list")).to_be_disabled()
        assert person.accessibility_problems() == []
        assert person.is_wider_than_its_window() is False
        held.pop().continue_()
        person.sees("Checking urls.txt …")
        assert person.accessibility_problems() == []
        with person.page.expect_response(lambda answer: answer.request.method == "DELETE"):
            person.click("button", "Cancel the upload")
        expect(person.page.get_by_role("button", name="Add site and crawl")).to_be_enabled()
        expect(person.page.get_by_text("urls.txt")).to_have_count(0)
        assert lists_of(service) == []
        assert person.errors == []


def test_a_saved_site_gets_an_uploaded_list_in_its_settings(desktop: Browser, service: Served) -> None:
    made = service.ask("POST", "/v1/sites", {"url": "http://127.0.0.1:9/", "schedule": {"frequency": "manual"}})
    site = made.json()["site"]
    reader = service.ask("POST", "/v1/keys", {"name": "Reader", "role": "read"}).json()["secret"]
    with visitor(desktop, service.url) as person:
        opens(person, service, f"sites/{site}/settings")
        person.page.get_by_label("Find a setting").fill("url_list")
        person.page.locator(FILE).set_input_files(text_file("pages.txt", "http://127.0.0.1:9/a"))
        person.page.get_by_role("status").get_by_text("pages.txt: 1 URL").wait_for()
        assert person.accessibility_problems() == []
        person.click("button", "Save")
        person.sees("Saved.")
        stored = service.ask("GET", f"/v1/sites/{site}").json()["settings"]
        (row,) = service.ask("GET", "/v1/lists").json()["lists"]
        assert (stored["discovery"], stored["url_list"], row["sites"]) == ("list", row["list"], 1)
        assert person.errors == []
    with visitor(desktop, service.url) as person:
        opens(person, service, f"sites/{site}/settings", reader)
        expect(person.page.get_by_label("Url list")).to_contain_text("pages.txt: 1 URL")
        assert person.page.locator("button", has_text="Upload a list").count() == 0
        assert person.errors == []
