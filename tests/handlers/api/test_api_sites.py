"""Sites in the API function over moto."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.adapters.http.loopback import CA_FILE, TLS
from tests.support.asking import Response, ask
from tests.support.functions import Deployment
from tests.support.still_clock import StillClock

from wavecrawl.adapters.aws.schedules import schedule_name
from wavecrawl.application.api_keys import create_key
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.outcome import CrawlOutcome
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.tenants import TenantRow

DAILY = {"frequency": "cron", "cron": "30 4 * * *", "timezone": "Europe/Berlin"}


@pytest.fixture(name="function")
def the_function(stack: Deployment) -> ModuleType:
    return stack.load("api")


def key_of(function: ModuleType, tenant: str, plan: Plan = Plan.FREE, **settings: Any) -> str:
    cloud = function.cloud
    row = TenantRow(tenant=tenant, name=tenant, plan=plan, settings=TenantSettings(**settings))
    assert cloud.tenants.create(row)
    return create_key(tenant, role=Role.TENANT, name="tests", keys=cloud.keys, now=cloud.clock.now()).secret


def save(function: ModuleType, url: str = "https://site.example/", *, key: str = "", **body: Any) -> Response:
    more = {"key": key} if key else {}
    return ask(function.handler, "POST", "/v1/sites", {"url": url, **body}, **more)


def schedule_of(stack: Deployment, site: str, tenant: str = "default") -> str | None:
    """Return the EventBridge Scheduler expression of a site's schedule."""
    name = schedule_name(tenant, site)
    found = [one for one in stack.clients.scheduler.list_schedules()["Schedules"] if one["Name"] == name]
    if not found:
        return None
    one = stack.clients.scheduler.get_schedule(Name=name, GroupName=found[0]["GroupName"])
    return f"{one['ScheduleExpression']} {one['ScheduleExpressionTimezone']}"


def test_a_site_is_saved_shown_and_scheduled(stack: Deployment, function: ModuleType) -> None:
    saved = save(function, name="Mine", settings={"max_pages": 7}, schedule=DAILY)
    assert saved.status == 201
    site = saved.body["site"]
    assert saved.headers["location"] == f"/v1/sites/{site}"
    shown = ask(function.handler, "GET", f"/v1/sites/{site}")
    assert shown.body == saved.body
    assert (shown.body["url"], shown.body["name"], shown.body["max_pages"]) == ("https://site.example/", "Mine", 7)
    assert shown.body["settings"]["max_pages"] == 7
    assert "allowed_addresses" not in shown.body["settings"]
    schedule = shown.body["schedule"]
    assert {name: schedule[name] for name in DAILY} == DAILY
    assert schedule["next_at"].endswith(("T02:30:00Z", "T03:30:00Z"))
    assert schedule["window_minutes"] == 15
    assert schedule_of(stack, site) == "cron(30 4 * * ? *) Europe/Berlin"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://site.example:8080/a", "site.example:8080"),
        ("http://site.example:80/", "site.example"),
        ("https://site.example:443/", "site.example"),
    ],
)
def test_a_port_that_is_not_the_default_is_in_the_name_of_a_site(function: ModuleType, url: str, name: str) -> None:
    assert save(function, url).body["name"] == name


def test_a_site_without_more_is_its_host_and_rests(stack: Deployment, function: ModuleType) -> None:
    body = save(function).body
    assert (body["name"], body["max_pages"]) == ("site.example", None)
    schedule = {"frequency": "manual", "cron": "", "timezone": "UTC", "next_at": None}
    assert body["schedule"] == {**schedule, "inherited": True, "window_minutes": 0}
    assert schedule_of(stack, body["site"]) is None


def test_a_new_site_has_its_tenants_schedule_where_it_names_none(stack: Deployment, function: ModuleType) -> None:
    key = key_of(function, "acme", schedule=Schedule(frequency=Frequency.MONTHLY))
    site = save(function, key=key).body["site"]
    assert schedule_of(stack, site, "acme") == "cron(0 0 1 * ? *) UTC"


def test_a_url_is_saved_once(function: ModuleType) -> None:
    site = save(function).body["site"]
    again = save(function, "HTTPS://SITE.example")
    assert (again.status, site in again.body["detail"]) == (409, True)


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"url": "ftp://site.example/"}, "ftp"),
        ({"url": "http://["}, "http://["),
        ({"url": "https://s.example/", "schedule": {"frequency": "daily"}}, "schedule.frequency"),
        ({"url": "https://s.example/", "schedule": {"frequency": "cron"}}, "schedule.cron"),
        ({"url": "https://s.example/", "schedule": {"frequency": "weekly", "cron": "0 0 * * 0"}}, "schedule.cron"),
        ({"url": "https://s.example/", "schedule": {**DAILY, "cron": "0 0 1 * 1"}}, "day of week"),
        ({"url": "https://s.example/", "schedule": {**DAILY, "timezone": "Mars"}}, "schedule.timezone"),
        ({"url": "https://s.example/", "settings": {"contact": "me"}}, "contact"),
        (
            {"url": "https://s.example/", "settings": {"limits": {"timeout": 31}}},
            "limits.timeout must be between 0.05 and 30: 31",
        ),
        ({"url": "https://s.example/", "tenant": "other"}, "tenant"),
    ],
)
def test_what_does_not_hold_is_named(function: ModuleType, body: dict[str, Any], refusal: str) -> None:
    answered = ask(function.handler, "POST", "/v1/sites", body)
    assert answered.status == 400
    assert refusal in answered.text
    assert ask(function.handler, "GET", "/v1/sites").body["sites"] == []


def test_a_site_may_ask_for_as_many_pages_as_the_plan_allows(function: ModuleType) -> None:
    key = key_of(function, "acme")
    refused = save(function, key=key, settings={"max_pages": 51})
    refusal = {name: refused.body[name] for name in ("plan", "limit", "ceiling")}
    assert (refused.status, refusal) == (402, {"plan": "free", "limit": "max_pages", "ceiling": 50})
    assert save(function, key=key).status == 201


def test_a_tenant_may_save_as_many_sites_as_the_plan_allows(function: ModuleType) -> None:
    key = key_of(function, "acme")
    saved = [save(function, key=key, url=f"https://{number}.example/") for number in range(5)]
    assert [one.status for one in saved] == [201] * 5
    refused = save(function, key=key, url="https://5.example/")
    refusal = {name: refused.body[name] for name in ("plan", "limit", "ceiling")}
    assert (refused.status, refusal) == (402, {"plan": "free", "limit": "max_sites", "ceiling": 5})
    assert ask(function.handler, "DELETE", f"/v1/sites/{saved[0].body['site']}", key=key).status == 204
    assert save(function, key=key, url="https://5.example/").status == 201


def test_a_change_takes_effect_at_once(stack: Deployment, function: ModuleType) -> None:
    site = save(function, schedule=DAILY, settings={"max_pages": 7}).body["site"]
    path = f"/v1/sites/{site}"
    changed = ask(function.handler, "PATCH", path, {"name": "New", "schedule": {"frequency": "weekly"}})
    assert (changed.status, changed.body["name"], changed.body["max_pages"]) == (200, "New", 7)
    assert schedule_of(stack, site) == "cron(0 0 ? * 1 *) UTC"
    ask(function.handler, "PATCH", path, {"schedule": {"frequency": "manual"}, "settings": {"max_depth": 2}})
    shown = ask(function.handler, "GET", path).body
    assert (shown["name"], shown["max_pages"], shown["settings"]["max_depth"]) == ("New", None, 2)
    assert schedule_of(stack, site) is None


def test_an_update_of_an_outdated_revision_is_refused(stack: Deployment, function: ModuleType) -> None:
    saved = save(function)
    path, tag = f"/v1/sites/{saved.body['site']}", saved.headers["etag"]
    weekly = {"schedule": {"frequency": "weekly"}}
    first = ask(function.handler, "PATCH", path, {"name": "First"}, headers={"if-match": tag})
    late = ask(function.handler, "PATCH", path, weekly, headers={"if-match": tag})
    assert (first.status, late.status) == (200, 412)
    assert schedule_of(stack, saved.body["site"]) is None
    known = ask(function.handler, "PATCH", path, weekly, headers={"if-match": f'"other", {first.headers["etag"]}'})
    counted = ask(function.handler, "PATCH", path, {"name": "Next"}, headers={"if-match": f'"{known.body["version"]}"'})
    blind = ask(function.handler, "PATCH", path, {"name": "Last"}, headers={"if-match": "*"})
    assert (known.status, counted.status, blind.status, blind.body["version"]) == (200, 200, 200, 5)


def test_what_did_not_change_is_not_sent_again(function: ModuleType) -> None:
    saved = save(function)
    path, headers = f"/v1/sites/{saved.body['site']}", {"if-none-match": saved.headers["etag"]}
    assert ask(function.handler, "GET", path, headers=headers).status == 304
    ask(function.handler, "PATCH", path, {"name": "New"})
    assert ask(function.handler, "GET", path, headers=headers).status == 200


def test_a_deleted_site_is_gone_but_its_crawls_stay(stack: Deployment, function: ModuleType) -> None:
    site = save(function, schedule=DAILY).body["site"]
    crawl = ask(function.handler, "POST", f"/v1/sites/{site}/crawls").body["crawl"]
    deleted = ask(function.handler, "DELETE", f"/v1/sites/{site}")
    assert (deleted.status, deleted.text or "") == (204, "")
    assert schedule_of(stack, site) is None
    assert ask(function.handler, "GET", f"/v1/crawls/{crawl}").status == 200
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/crawls"), ("POST", "/crawls")):
        assert ask(function.handler, method, f"/v1/sites/{site}{path}").status == 404
    assert ask(function.handler, "PATCH", f"/v1/sites/{site}", {}).status == 404
    refused = ask(function.handler, "PUT", f"/v1/sites/{site}/credentials", {"headers": {"X-Key": "k"}})
    assert (refused.status, refused.body["detail"]) == (
        404,
        f"site {site} does not exist; save the site first: POST /v1/sites",
    )


def test_a_client_certificate_is_stored_if_it_can_be_used_and_never_shown(function: ModuleType) -> None:
    path = f"/v1/sites/{save(function).body['site']}/credentials"
    certificate, key = (file.read_text("ascii") for file in (Path(CA_FILE), TLS / "fake-test-key.pem"))
    stored = ask(function.handler, "PUT", path, {"client_certificate": certificate + key})
    assert (stored.status, stored.body) == (
        200,
        {"headers": [], "cookies": [], "basic_auth": False, "client_certificate": True},
    )
    for bad, problem in ((certificate, "one key"), (certificate + key.replace("a", "b"), "do not belong together")):
        refused = ask(function.handler, "PUT", path, {"client_certificate": bad})
        assert refused.status in {400, 422}
        assert problem in str(refused.body)
        assert key[60:90] not in str(refused.body)
    assert ask(function.handler, "GET", path).body == stored.body


def test_a_site_is_crawled_now_with_its_settings(stack: Deployment, function: ModuleType) -> None:
    site = save(function, settings={"max_pages": 7}).body["site"]
    begun = ask(function.handler, "POST", f"/v1/sites/{site}/crawls")
    assert (begun.status, begun.body["site"], begun.body["status"]) == (202, site, "running")
    row = function.cloud.crawls.find("default", begun.body["crawl"])
    assert (row.settings.max_pages, row.settings.contact) == (7, "https://crawler.example/about")
    assert stack.executions() == [begun.body["crawl"]]
    again = ask(function.handler, "POST", f"/v1/sites/{site}/crawls")
    assert (again.status, again.body["crawl"]) == (409, begun.body["crawl"])


@pytest.mark.parametrize("path", ["/v1/sites/{site}/crawls", "/v1/crawls"])
def test_a_crawl_of_a_saved_site_may_have_settings_of_its_own(function: ModuleType, path: str) -> None:
    site = save(function, settings={"max_pages": 7, "max_depth": 3}).body["site"]
    body = {"settings": {"max_depth": 5}} | ({"url": "https://site.example/"} if path == "/v1/crawls" else {})
    begun = ask(function.handler, "POST", path.format(site=site), body)
    assert (begun.status, begun.body["site"]) == (202, site)
    row = function.cloud.crawls.find("default", begun.body["crawl"])
    assert (row.settings.max_pages, row.settings.max_depth) == (7, 5)
    saved = function.cloud.sites.read("default", site)
    assert saved.settings.max_depth == 3


def test_a_list_of_urls_replaces_that_of_a_saved_site(function: ModuleType) -> None:
    listed = {"discovery": "list", "urls": ["https://site.example/a"]}
    save(function, settings=listed)
    for settings, kept in (({"discovery": "links_first"}, 0), (None, 1)):
        begun = ask(function.handler, "POST", "/v1/crawls", {"url": "https://site.example/", "settings": settings})
        row = function.cloud.crawls.find("default", begun.body["crawl"])
        assert (row.settings.discovery == "list") is bool(kept)
        function.cloud.crawls.finish(row.id, status=CrawlStatus.COMPLETED, now=1.0)


@pytest.mark.parametrize(
    ("rest", "body", "problem"),
    [
        ("sites/{site}/crawls", {"max_pages": 3}, "put it under settings (settings.max_pages)"),
        ("sites/{site}/crawls", {"settings": {"speed": 1}}, "speed is not a setting"),
        ("crawls/{crawl}/resume", {"settings": {}}, "the operation takes no body"),
        ("crawls/{crawl}/cancel", {"force": True}, "the operation takes no body"),
        ("crawls/{crawl}/exports", {"only": "csv"}, "the operation takes no body"),
    ],
)
def test_a_body_is_read_or_refused(function: ModuleType, rest: str, body: dict[str, Any], problem: str) -> None:
    site = save(function).body["site"]
    path = f"/v1/{rest.format(site=site, crawl='20261121-100000-aaaaaaaa')}"
    refused = ask(function.handler, "POST", path, body)
    assert refused.status == 400
    assert problem in refused.text


def test_a_body_can_be_left_out_if_all_its_fields_have_defaults(function: ModuleType) -> None:
    hook = ask(function.handler, "POST", "/v1/webhooks", {"url": "https://hooks.example/"}).body["webhook"]
    for path in (f"/v1/webhooks/{hook}/secret", f"/v1/sites/{save(function).body['site']}/crawls"):
        assert ask(function.handler, "POST", path).status in (200, 202)
    assert ask(function.handler, "POST", "/v1/sites").status in (400, 415)  # `url` has no default


def test_the_month_of_a_plan_ends_crawls_of_sites_too(function: ModuleType) -> None:
    key = key_of(function, "acme")
    site = save(function, key=key).body["site"]
    answers = []
    for _ in range(6):
        answers.append(ask(function.handler, "POST", f"/v1/sites/{site}/crawls", key=key))
        for row in function.cloud.crawls.of_tenant("acme", limit=9):
            function.cloud.crawls.finish(row.id, status=CrawlStatus.COMPLETED, now=1.0)
    assert [one.status for one in answers] == [202] * 5 + [429]
    assert answers[-1].body["resets_at"]


def test_sites_and_their_crawls_are_listed_page_by_page(function: ModuleType) -> None:
    for name in ("b", "a", "c"):
        save(function, f"https://{name}.example/")
    first = ask(function.handler, "GET", "/v1/sites", query={"limit": "2"}).body
    rest = ask(function.handler, "GET", "/v1/sites", query={"limit": "2", "cursor": first["next_cursor"]}).body
    assert [one["url"] for one in first["sites"]] == ["https://a.example/", "https://b.example/"]
    assert ([one["url"] for one in rest["sites"]], rest["next_cursor"]) == (["https://c.example/"], None)
    path = f"/v1/sites/{first['sites'][0]['site']}/crawls"
    begun = []
    for _ in range(2):
        begun.append(ask(function.handler, "POST", path).body["crawl"])
        for row in function.cloud.crawls.of_tenant("default", limit=9):
            function.cloud.crawls.finish(row.id, status=CrawlStatus.COMPLETED, now=1.0)
    newest = ask(function.handler, "GET", path, query={"limit": "1"}).body
    oldest = ask(function.handler, "GET", path, query={"limit": "1", "cursor": newest["next_cursor"]}).body
    assert {one["crawl"] for one in (*newest["crawls"], *oldest["crawls"])} == set(begun)
    assert oldest["next_cursor"] is None
    other = f"/v1/sites/{first['sites'][1]['site']}/crawls"
    assert ask(function.handler, "GET", other).body["crawls"] == []
    assert ask(function.handler, "GET", other, query={"cursor": newest["next_cursor"]}).status == 400


def test_sites_are_listed_with_the_figures_of_their_latest_crawls(function: ModuleType) -> None:
    crawled, other = (save(function, f"https://{name}.example/").body["site"] for name in "ab")
    crawls = function.cloud.crawls
    outcomes = (
        CrawlOutcome(pages=7, errors=2),
        CrawlOutcome(pages=8, errors=0, new=3, changed=1, gone=0, limits=frozenset({"max_pages"})),
        None,
    )
    for number, outcome in enumerate(outcomes):
        id_ = CrawlId(tenant="default", site=crawled, crawl=f"c{number}")
        root = "https://a.example/"
        assert crawls.create(CrawlRow(id=id_, start_url=root, root_url=root, settings=CrawlSettings())) is None
        if outcome is not None:
            crawls.note_outcome(id_, outcome)
            crawls.finish(id_, status=CrawlStatus.COMPLETED, now=1.0)
    listed = ask(function.handler, "GET", "/v1/sites", query={"crawls": "2"}).body["sites"]
    assert [(one["site"], len(one["crawls"])) for one in listed] == [(crawled, 2), (other, 0)]
    second = {"pages": 8, "errors": 0, "new": 3, "changed": 1, "gone": 0, "limits": ["max_pages"]}
    running, ended = listed[0]["crawls"]
    assert (running["crawl"], ended["crawl"]) == ("c2", "c1")
    assert (running["status"], running["pages"], running["outcome"]) == ("running", 0, None)
    assert (ended["status"], ended["pages"], ended["outcome"]) == ("completed", 8, second)
    of_site = ask(function.handler, "GET", f"/v1/sites/{crawled}/crawls").body["crawls"]
    first: dict[str, Any] = {"pages": 7, "errors": 2, "new": None, "changed": None, "gone": None, "limits": []}
    assert [one["outcome"] for one in of_site] == [None, second, first]
    assert [one["crawls"] for one in ask(function.handler, "GET", "/v1/sites").body["sites"]] == [[], []]
    assert ask(function.handler, "GET", "/v1/crawls/c1").body["site_name"] == "a.example"
    ask(function.handler, "DELETE", f"/v1/sites/{crawled}")
    assert ask(function.handler, "GET", "/v1/crawls/c1").body["site_name"] is None
    assert ask(function.handler, "GET", "/v1/sites", query={"crawls": "13"}).status == 400


def test_a_tenant_knows_nothing_of_another_ones_sites(stack: Deployment, function: ModuleType) -> None:
    mine, other = key_of(function, "acme"), key_of(function, "other")
    site = save(function, key=mine, schedule=DAILY).body["site"]
    asked = (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("GET", "/crawls"), ("POST", "/crawls"))
    for method, path in asked:
        body: dict[str, Any] | None = {} if method == "PATCH" else None
        assert ask(function.handler, method, f"/v1/sites/{site}{path}", body, key=other).status == 404
    assert ask(function.handler, "GET", "/v1/sites", key=other).body["sites"] == []
    assert save(function, key=other).body["site"] == site  # the same URL, but another tenant's site
    ask(function.handler, "DELETE", f"/v1/sites/{site}", key=other)
    assert ask(function.handler, "GET", f"/v1/sites/{site}", key=mine).status == 200
    assert schedule_of(stack, site, "acme") is not None


@pytest.mark.parametrize("site", ["nowhere", "a%23b", "x" * 301])
def test_what_is_no_sites_id_is_not_found(function: ModuleType, site: str) -> None:
    assert ask(function.handler, "GET", f"/v1/sites/{site}").status == 404


def test_the_starts_of_a_schedule_are_listed_without_saving_it(function: ModuleType) -> None:
    function.cloud.clock = StillClock(1_795_255_200.0)  # 2026-11-21T10:00:00Z, a Saturday

    def starts(**query: str) -> Response:
        return ask(function.handler, "GET", "/v1/schedules/starts", query=query)

    weekdays = starts(frequency="cron", cron="30 4 * * 1-5", timezone="Europe/Berlin")
    assert weekdays.body["starts"] == [f"2026-11-{day}T03:30:00Z" for day in (23, 24, 25, 26, 27)]
    assert weekdays.body["window_minutes"] == 15
    assert starts(frequency="manual").body == {"starts": [], "window_minutes": 0}
    wrong = starts(frequency="cron", cron="30 4 * *")
    assert wrong.status == 400
    assert wrong.body["errors"][0].startswith("schedule.cron ")
    assert ask(function.handler, "GET", "/v1/sites").body["sites"] == []


def test_a_site_names_the_defaults_of_the_tenant_that_it_overrides(function: ModuleType) -> None:
    site = save(function, settings={"media": {"include": []}}).body
    assert site["overrides"] == ["media.include"]
    path = f"/v1/sites/{site['site']}"
    assert ask(function.handler, "PATCH", path, {"settings": {}}).body["overrides"] == []
