"""The dashboard of the deployed template."""

from urllib.parse import urlsplit

from tests.support.cloud import Service
from tests.support.dashboard import chromium_for_people, visitor


def test_the_stack_serves_the_dashboard(service: Service) -> None:
    page = service.request("GET", "/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert f"connect-src 'self' {service.deployment.endpoint};" in page.headers["content-security-policy"]
    emulator = urlsplit(service.deployment.endpoint).netloc
    with (
        chromium_for_people(f"--host-resolver-rules=MAP * {emulator}") as browser,
        visitor(browser, f"http://{service.host}/#key={service.key}") as person,
    ):
        person.page.get_by_role("heading", name="Crawl").or_(
            person.page.get_by_role("heading", name="Sites")
        ).wait_for()
        person.click("button", "Sign out", exact=False)
        person.sees("Sign in to wavecrawl")
        assert person.errors == []
