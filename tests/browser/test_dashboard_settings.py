"""The settings in the dashboard: webhooks, API keys, the settings of a site, and keys that may only read."""

import itertools
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.support.campaign import slow
from tests.support.dashboard import Visitor, visitor
from tests.support.plain_site import plain_site
from tests.support.serving import Served, served

from wavecrawl.demo.server import SiteServer

pytestmark = slow  # a browser of its own

NUMBERS = itertools.count()


@pytest.fixture(name="service", scope="module")
def a_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("settings")) as service:
        yield service


@pytest.fixture(name="site")
def a_site_of_the_test(service: Served) -> str:
    """The service is shared by tests in any order, which change and add sites: each has a site of its own."""
    made = service.ask(
        "POST",
        "/v1/sites",
        {
            "url": f"http://127.0.0.1:9/{next(NUMBERS)}/",
            "schedule": {"frequency": "manual"},
            "settings": {"max_depth": 3},
        },
    )
    return str(made.json()["site"])


def opens(person: Visitor, service: Served, path: str, key: str = "") -> None:
    person.page.goto(f"{service.url}/#key={key or service.key}")
    person.page.locator(".brand").wait_for()
    person.page.goto(f"{service.url}/#/{path}")


def test_a_setting_of_a_site_is_changed_and_goes_back_to_its_default(
    desktop: Browser, service: Served, site: str
) -> None:
    with visitor(desktop, service.url) as person:
        opens(person, service, f"sites/{site}/settings")
        expect(person.page.get_by_label("Max depth").first).to_have_value("3")
        person.page.get_by_label("Find a setting").fill("max_retries")
        person.page.get_by_label("Max retries").fill("21")
        person.click("button", "Save")
        person.sees("Enter a number from 0 to 20.")
        person.page.get_by_label("Max retries").fill("4")
        person.page.get_by_label("Find a setting").fill("max_depth")
        person.click("button", "Use the default of Max depth")
        person.click("button", "Save")
        person.sees("Saved.")
        stored = service.ask("GET", f"/v1/sites/{site}").json()["settings"]
        assert (stored["max_depth"], stored["max_retries"]) == (25, 4)
        assert person.errors == []


def test_credentials_of_a_site_are_set_and_deleted_and_never_shown(
    desktop: Browser, service: Served, site: str
) -> None:
    path = f"/v1/sites/{site}/credentials"
    with visitor(desktop, service.url) as person:
        opens(person, service, f"sites/{site}/settings")
        person.sees("None are set.")
        person.page.get_by_label("User", exact=True).fill("crawler")
        person.page.get_by_label("Password").fill("not-a-real-password")
        person.page.get_by_label("Headers", exact=True).fill("X-Staging-Key: not-a-real-key")
        assert person.accessibility_problems() == []
        person.click("button", "Set credentials")
        person.sees("Set: user and password; headers X-Staging-Key.")
        assert service.ask("GET", path).json() == {
            "headers": ["X-Staging-Key"],
            "cookies": [],
            "basic_auth": True,
            "client_certificate": False,
        }
        assert "not-a-real" not in person.page.content()
        expect(person.page.get_by_label("Password")).to_have_value("")
        person.click("button", "Delete them …")
        person.click("button", "Delete the credentials")
        person.sees("None are set.")
        assert service.ask("GET", path).json() == {
            "headers": [],
            "cookies": [],
            "basic_auth": False,
            "client_certificate": False,
        }
        assert person.errors == []


def test_an_error_of_the_api_is_shown_at_its_setting(desktop: Browser, service: Served, site: str) -> None:
    with visitor(desktop, service.url, offline_ok=True) as person:
        opens(person, service, f"sites/{site}/settings")
        person.page.get_by_label("Find a setting").fill("path_prefix")
        person.page.get_by_label("Path prefix").fill("docs")
        person.click("button", "Save")
        person.page.locator(".setting", has_text="must start with").locator("[aria-invalid]").wait_for()
        assert service.ask("GET", f"/v1/sites/{site}").json()["settings"]["scope"]["path_prefix"] == "/"


def test_a_schedule_shows_its_next_starts_before_it_is_saved(desktop: Browser, service: Served, site: str) -> None:
    with visitor(desktop, service.url, offline_ok=True) as person:
        opens(person, service, f"sites/{site}/settings")
        person.page.get_by_label("Schedule", exact=True).select_option("Every day")
        person.sees("Next starts, in the time zone of this browser")
        person.page.get_by_label("Cron expression").fill("99 4 * * *")
        person.sees("schedule.cron")
        assert service.ask("GET", f"/v1/sites/{site}").json()["schedule"]["frequency"] == "manual"


def test_a_webhook_shows_its_secret_once_and_its_deliveries(desktop: Browser, service: Served) -> None:
    with visitor(desktop, service.url) as person:
        opens(person, service, "settings/webhooks")
        person.sees("No webhooks")
        person.click("button", "Add a webhook")
        person.page.get_by_label("URL", exact=True).fill("http://127.0.0.1:9/hook")
        person.page.get_by_label("Description").fill("Chat")
        person.page.get_by_label("A crawl has failed").check()
        person.click("button", "Add the webhook")
        person.page.get_by_text("whsec_").wait_for()
        person.click("link", "Chat")
        person.sees("Nothing sent yet")
        assert person.page.get_by_text("whsec_").count() == 0
        person.click("button", "Send a test")
        person.page.locator(".list-cards").get_by_text("webhook.test").first.wait_for()
        person.click("button", "Disable")
        person.sees("No messages are sent.")
        [hook] = service.ask("GET", "/v1/webhooks").json()["webhooks"]
        assert (hook["events"], hook["disabled"]) == (["crawl.failed"], True)
        assert person.errors == []


def test_a_key_is_created_and_revoked(desktop: Browser, service: Served) -> None:
    with visitor(desktop, service.url) as person:
        opens(person, service, "settings/keys")
        person.click("button", "Create a key")
        person.page.get_by_label("Name").fill("Robot")
        person.click("button", "Create the key")
        secret = person.page.get_by_text("wck_").inner_text()
        assert service.ask("GET", "/v1/me", headers={"authorization": f"Bearer {secret}"}).json()["role"] == "read"
        card = person.page.locator(".list-cards > li", has_text="Robot")
        card.get_by_role("button", name="Revoke …").click()
        card.get_by_role("button", name="Revoke Robot").click()
        card.get_by_text("ended", exact=True).wait_for()
        assert service.ask("GET", "/v1/me", headers={"authorization": f"Bearer {secret}"}).status_code == 401
        assert person.errors == []


def test_a_key_that_may_only_read_sees_no_controls_that_change_something(
    desktop: Browser, service: Served, site: str
) -> None:
    key = service.ask("POST", "/v1/keys", {"name": "Reader", "role": "read"}).json()["secret"]
    with visitor(desktop, service.url) as person:
        opens(person, service, f"sites/{site}", key)
        person.sees("This API key may only read.")
        person.sees("Not crawled yet")
        controls = ("Start a crawl", "Remove …", "Add site", "Save", "Add a webhook", "Create a key")
        for path in (f"sites/{site}", "", f"sites/{site}/settings", "settings", "settings/webhooks", "settings/keys"):
            person.page.goto(f"{service.url}/#/{path}")
            person.page.locator("h1").wait_for()
            found = [name for name in controls if person.page.get_by_role("button", name=name, exact=True).count()]
            assert (path, found, person.page.get_by_role("link", name="Operator").count()) == (path, [], 0)
        person.sees("This key may not see the keys")
        assert person.errors == []


def test_a_new_site_can_have_any_setting(desktop: Browser, service: Served) -> None:
    with visitor(desktop, service.url, offline_ok=True) as person:
        opens(person, service, "sites/new")
        person.page.get_by_label("Address of the site").fill("http://127.0.0.1:9/any/")
        person.page.get_by_label("Start the first crawl now").uncheck()
        person.page.get_by_text("All settings of the crawls").click()
        person.page.get_by_label("Find a setting").fill("path_prefix")
        person.page.get_by_label("Path prefix").fill("any")
        person.click("button", "Add site")
        person.page.locator(".setting", has_text="must start with").locator("[aria-invalid]").wait_for()
        person.page.get_by_label("Path prefix").fill("/any/")
        person.click("button", "Add site")
        person.sees("Not crawled yet")
        made = next(one for one in service.ask("GET", "/v1/sites").json()["sites"] if one["url"].endswith("/any/"))
        stored = service.ask("GET", f"/v1/sites/{made['site']}").json()
        assert (stored["settings"]["scope"]["path_prefix"], stored["max_pages"]) == ("/any/", 1000)


def test_an_operator_signs_a_tenant_up_with_its_website(desktop: Browser, service: Served) -> None:
    with SiteServer(plain_site(pages=2)) as site, visitor(desktop, service.url) as person:
        opens(person, service, "operator")
        person.click("button", "Create a tenant")
        person.page.get_by_label("ID").fill("shop")
        person.page.get_by_label("Website").fill(site.url)
        person.click("button", "Create the tenant")
        person.sees("It is not shown again")
        secret = {"authorization": f"Bearer {person.page.get_by_text('wck_').inner_text()}"}
        (crawl,) = service.ask("GET", "/v1/crawls", headers=secret).json()["crawls"]
        assert (crawl["url"], crawl["triggered_by"]) == (site.url, "sign_up")
        person.click("link", "Open the tenant")
        person.page.get_by_label("Maximums of crawl settings").wait_for()
        assert person.errors == []


def test_an_operator_stops_all_crawls_after_a_question_and_denies_hosts(
    desktop: Browser, service: Served, request: pytest.FixtureRequest
) -> None:
    def controls() -> dict[str, object]:
        found = service.ask("GET", "/v1/admin/controls").json()
        return {"stopped": found["stopped"], "denied": found["denied_hosts"]}

    request.addfinalizer(
        lambda: service.ask("PATCH", "/v1/admin/controls", {"stopped": False, "denied_hosts": []}).raise_for_status()
    )
    with visitor(desktop, service.url, offline_ok=True) as person:
        opens(person, service, "operator")
        person.click("link", "Controls")
        person.sees("No host is denied.")
        assert person.page.get_by_label("Limit in US dollars per month").count() == 0, "one machine has no costs"
        person.click("button", "Stop all crawls …")
        person.click("button", "Let them run")
        assert controls() == {"stopped": False, "denied": []}
        person.click("button", "Stop all crawls …")
        person.click("button", "Stop the crawls of all tenants")
        person.sees("No crawl starts.")
        assert controls() == {"stopped": True, "denied": []}
        assert person.accessibility_problems() == []
        hosts = person.page.get_by_label("Hosts that are never requested")
        hosts.fill("Example.COM\nhttp://wrong/")
        person.click("button", "Save the list")
        person.sees("must be host names or addresses, such as example.com")
        service.ask("PATCH", "/v1/admin/controls", {"denied_hosts": ["meanwhile.example"]})
        hosts.fill("Example.COM")
        person.click("button", "Save the list")
        person.sees("Saved.")
        expect(hosts).to_have_value("example.com\nmeanwhile.example")
        person.click("button", "Allow crawls again")
        person.sees("If you stop all crawls")
        assert controls() == {"stopped": False, "denied": ["example.com", "meanwhile.example"]}


def test_an_operator_limits_the_costs_of_a_month_where_crawls_cost_money(desktop: Browser, service: Served) -> None:
    """The service of this test runs on one machine: its responses are changed to those of a deployment."""
    sent: list[object] = []
    values = {"stopped": False, "denied_hosts": [], "budget_usd_a_month": 200.0, "spent_usd": 150.0}

    def answer(route: Route) -> None:
        if route.request.method == "PATCH":
            sent.append(route.request.post_data_json)
        route.fulfill(json=values)

    with visitor(desktop, service.url) as person:
        me = service.ask("GET", "/v1/me").json()
        person.page.route("**/v1/me", lambda route: route.fulfill(json=me | {"costs_money": True}))
        person.page.route("**/v1/admin/controls", answer)
        opens(person, service, "operator?show=controls")
        person.sees("of $200.00")
        assert person.page.get_by_role("progressbar").get_attribute("aria-valuenow") == "75"
        limit = person.page.get_by_label("Limit in US dollars per month")
        limit.fill("lots")
        person.click("button", "Save the limit")
        person.sees("Enter an amount from 0 to 1,000,000")
        for text in ("250", ""):
            limit.fill(text)
            with person.page.expect_response(lambda answer: answer.request.method == "PATCH"):
                person.click("button", "Save the limit")
        person.sees("Saved.")
        assert sent == [{"budget_usd_a_month": 250}, {"budget_usd_a_month": 0}]


def test_an_operator_creates_and_disables_a_tenant(desktop: Browser, service: Served) -> None:
    with visitor(desktop, service.url) as person:
        opens(person, service, "operator")
        person.click("button", "Create a tenant")
        person.page.get_by_label("ID").fill("acme")
        person.page.get_by_label("Plan").select_option("starter")
        person.click("button", "Create the tenant")
        person.page.get_by_label("Maximums of crawl settings").fill("polite.in_flight = 20")
        person.click("button", "Save")
        person.sees("Saved.")
        person.click("link", "API keys")
        person.click("button", "Create a key")
        person.page.get_by_label("Name").fill("First")
        person.click("button", "Create the key")
        secret = {"authorization": f"Bearer {person.page.get_by_text('wck_').inner_text()}"}
        assert service.ask("GET", "/v1/me", headers=secret).json()["tenant"] == "acme"
        usage = service.ask("GET", "/v1/usage", headers=secret).json()
        assert (usage["plan"], usage["maximums"]["polite.in_flight"]) == ("starter", 20)
        person.click("link", "Tenant")
        person.click("button", "Disable …")
        person.click("button", "Disable acme")
        person.page.get_by_role("button", name="Enable the tenant").wait_for()
        assert service.ask("GET", "/v1/me", headers=secret).status_code == 401
        assert person.errors == []


def test_a_site_is_added_with_a_schedule_and_without_a_crawl(desktop: Browser, service: Served) -> None:
    with visitor(desktop, service.url, width=390, offline_ok=True) as person:
        opens(person, service, "sites/new")
        person.page.get_by_label("Address of the site").fill("http://127.0.0.1:8/")
        person.page.get_by_label("Schedule", exact=True).select_option("Every day")
        person.sees("Next starts, in the time zone of this browser")
        person.page.get_by_label("Time zone").fill("Europe/Berlin")
        person.page.get_by_label("Cron expression").fill("")
        person.page.get_by_label("Start the first crawl now").uncheck()
        person.click("button", "Add site")
        person.sees("Enter a cron expression, such as 30 4 * * 1-5")
        assert person.accessibility_problems() == []
        assert person.is_wider_than_its_window() is False
        person.page.get_by_label("Cron expression").fill("30 4 * * *")
        person.click("button", "Add site")
        expect(person.page).not_to_have_url(f"{service.url}/#/sites/new")
    schedules = [one["schedule"] for one in service.ask("GET", "/v1/sites").json()["sites"]]
    stored = [(one["frequency"], one["cron"], one["timezone"]) for one in schedules]
    assert ("cron", "30 4 * * *", "Europe/Berlin") in stored


def test_the_defaults_of_a_tenant_are_stored(desktop: Browser, service: Served) -> None:
    with visitor(desktop, service.url) as person:
        opens(person, service, "settings")
        person.page.get_by_label("Max pages").fill("40")
        person.page.get_by_label("Include media").select_option("yes")
        person.page.get_by_label("images").check()
        person.page.get_by_label("Schedule", exact=True).select_option("weekly")
        person.page.get_by_text("Defaults of all other settings of crawls").click()
        person.page.get_by_label("Find a setting").fill("max_retries")
        person.page.get_by_label("Max retries").fill("21")
        person.click("button", "Save")
        person.sees("Not saved: some values are wrong.")
        person.page.get_by_label("Max retries").fill("4")
        person.click("button", "Save")
        person.sees("Saved.")
        stored = service.ask("GET", "/v1/settings").json()
        assert (stored["max_pages"], stored["include_media"], stored["media_types"]) == (40, True, ["images"])
        assert stored["schedule"]["frequency"] == "weekly"
        assert (stored["overrides"], stored["settings"]["max_retries"]) == (["max_retries"], 4)
        person.page.get_by_label("Max pages").fill("")
        with person.page.expect_response(f"{service.url}/v1/settings"):
            person.click("button", "Save")
        person.page.reload()
        person.page.get_by_label("Max pages").wait_for()
        assert service.ask("GET", "/v1/settings").json()["max_pages"] is None
        service.ask("PATCH", "/v1/settings", {"settings": None, "schedule": None})  # other tests share the service
        assert person.errors == []
