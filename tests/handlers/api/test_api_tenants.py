"""Settings, usage, keys and tenants, through the real handler."""

from types import ModuleType
from typing import Any

import pytest
from tests.support.asking import Response, ask
from tests.support.functions import API_KEY, Deployment
from tests.support.still_clock import StillClock

from wavecrawl.application.api_keys import create_key
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.tenants import TenantRow

NOW = 1_795_255_200.0  # 2026-11-21T10:00:00Z
DAY = 86_400.0


class Desk:
    """A client of one function with the key of one tenant or another."""

    def __init__(self, function: ModuleType) -> None:
        self.function = function
        self.cloud: Any = function.cloud
        self.clock = StillClock(NOW)
        self.cloud.clock = self.clock

    def ask(self, method: str, path: str, body: Any = None, *, key: str = API_KEY, **more: Any) -> Response:
        return ask(self.function.handler, method, path, body, key=key, **more)

    def key(self, tenant: str = "acme", role: Role = Role.TENANT, plan: Plan = Plan.FREE) -> str:
        self.cloud.tenants.create(TenantRow(tenant=tenant, name=tenant, plan=plan, created_at=NOW))
        return create_key(tenant, role=role, name="tests", keys=self.cloud.keys, now=NOW).secret


@pytest.fixture
def desk(stack: Deployment) -> Desk:
    return Desk(stack.load("api"))


def test_settings_start_empty(desk: Desk) -> None:
    body = desk.ask("GET", "/v1/settings", key=desk.key()).body
    assert body.pop("settings")["max_depth"] == 25
    assert body == {
        "overrides": [],
        "max_pages": None,
        "include_media": None,
        "media_types": None,
        "max_video_mb": None,
        "schedule": {"frequency": "manual", "cron": "", "timezone": "UTC"},
    }


def test_settings_change_by_name(desk: Desk) -> None:
    key = desk.key()
    weekly = {"frequency": "weekly", "timezone": "Europe/Berlin"}
    desk.ask("PATCH", "/v1/settings", {"max_pages": 40}, key=key)
    both = desk.ask("PATCH", "/v1/settings", {"schedule": weekly}, key=key)
    none: dict[str, Any] = {"include_media": None, "media_types": None, "max_video_mb": None, "overrides": []}
    assert both.body == {"max_pages": 40, "schedule": {**weekly, "cron": ""}, "settings": both.body["settings"]} | none
    assert desk.ask("PATCH", "/v1/settings", {}, key=key).body == both.body
    gone = desk.ask("PATCH", "/v1/settings", {"max_pages": None, "schedule": None}, key=key)
    assert gone.body["max_pages"] is None
    assert gone.body["schedule"]["frequency"] == "manual"
    assert desk.ask("GET", "/v1/settings", key=key).body == gone.body


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"max_pages": 9}, "max_pages"),
        ({"max_pages": "40"}, "max_pages"),
        ({"max_pages": 501}, "max_pages must be between 10 and 500"),
        ({"max_pages": 40.5}, "max_pages"),
        ({"pages": 40}, "pages: unknown field"),
        ({"schedule": {"frequency": "cron", "cron": "61 * * * *"}}, "schedule.cron"),
        ({"schedule": {"frequency": "daily"}}, "schedule.frequency"),
        ({"schedule": {"timezone": "Nowhere/Land"}}, "schedule.timezone"),
        ({"include_media": "yes"}, "include_media"),
        ({"media_types": ["audio"]}, "media_types"),
        ({"media_types": []}, "media_types"),
        ({"max_video_mb": 501}, "max_video_mb"),
        ({"max_video_mb": 0}, "max_video_mb"),
        ({"settings": {"max_dept": 3}}, "max_dept is not a setting; did you mean max_depth?"),
        ({"settings": {"limits": {"timeout": 31}}}, "limits.timeout must be between 0.05 and 30"),
        ({"settings": {"contact": "https://acme.example/"}}, "contact can be set by the operator"),
        ({"settings": {"max_pages": 20}}, "settings.max_pages must be left out; set max_pages"),
        ({"settings": {"media": {"include": ["images"]}}}, "settings.media.include must be left out"),
        ({"settings": {"discovery": "list", "urls": ["https://a.example/"]}}, "settings.urls must be left out"),
        ({"settings": {"scope": {"exclude": [" "]}}}, "scope.exclude has an empty pattern"),
    ],
)
def test_settings_that_do_not_hold_are_named(desk: Desk, change: dict[str, Any], field: str) -> None:
    key = desk.key()
    refused = desk.ask("PATCH", "/v1/settings", change, key=key)
    assert refused.status == 400
    assert refused.body["errors"][0].startswith(field)
    assert desk.ask("GET", "/v1/settings", key=key).body["max_pages"] is None


def test_a_plan_with_more_pages_takes_more_in_the_settings(desk: Desk) -> None:
    key = desk.key(plan=Plan.ADVANCED)
    assert desk.ask("PATCH", "/v1/settings", {"max_pages": 5_000}, key=key).status == 200
    assert desk.ask("PATCH", "/v1/settings", {"max_pages": 5_001}, key=key).status == 400


def test_the_tenants_own_limit_holds_for_crawls_that_name_none(desk: Desk) -> None:
    key = desk.key()
    desk.ask("PATCH", "/v1/settings", {"max_pages": 20}, key=key)
    crawl = desk.ask("POST", "/v1/crawls", {"url": "https://a.example/"}, key=key).body["crawl"]
    assert desk.cloud.crawls.find("acme", crawl).settings.max_pages == 20


def test_the_operator_reads_and_sets_the_settings_of_a_tenant(desk: Desk) -> None:
    key, path = desk.key(), "/v1/admin/tenants/acme/settings"
    changed = desk.ask("PATCH", path, {"include_media": True, "media_types": ["images"], "max_video_mb": 20})
    assert changed.status == 200
    assert desk.ask("GET", path).body == changed.body
    assert desk.ask("GET", "/v1/settings", key=key).body == changed.body
    assert desk.ask("GET", "/v1/admin/tenants/acme").body["settings"] == changed.body
    desk.ask("PATCH", "/v1/settings", {"media_types": None}, key=key)
    assert desk.ask("GET", path).body == changed.body | {"media_types": None}
    assert desk.ask("GET", "/v1/settings").body["include_media"] is None  # another tenant's
    assert desk.ask("GET", path, key=key).status == 403
    assert desk.ask("PATCH", path, {}, key=key).status == 403


def test_the_tenants_media_are_those_of_crawls_that_name_none(desk: Desk) -> None:
    key = desk.key()
    desk.ask("PATCH", "/v1/settings", {"include_media": True, "media_types": ["images"], "max_video_mb": 20}, key=key)

    def media(settings: dict[str, Any]) -> tuple[list[str], float]:
        body = {"url": f"https://{len(desk.cloud.crawls.of_tenant('acme', limit=9))}.example/", "settings": settings}
        crawl = desk.ask("POST", "/v1/crawls", body, key=key).body["crawl"]
        found = desk.cloud.crawls.find("acme", crawl).settings.media
        return list(found.include), found.max_video_mb

    assert media({}) == (["images"], 20)
    assert media({"media": {"max_width": 500}}) == (["images"], 20)
    assert media({"media": {"include": []}}) == ([], 20)
    assert media({"media": {"include": ["videos"], "max_video_mb": 50}}) == (["videos"], 50)


def test_a_change_of_the_media_settings_reaches_existing_sites_without_their_own(desk: Desk) -> None:
    key = desk.key(plan=Plan.PRO)
    sites = {
        name: desk.ask("POST", "/v1/sites", {"url": f"https://{name}.example/", "settings": settings}, key=key).body
        for name, settings in (("none", {}), ("own", {"media": {"include": ["documents"], "max_video_mb": 9}}))
    }
    own_later = desk.ask("POST", "/v1/sites", {"url": "https://later.example/"}, key=key).body["site"]
    desk.ask("PATCH", f"/v1/sites/{own_later}", {"settings": {"media": {"include": []}}}, key=key)
    desk.ask("PATCH", "/v1/settings", {"include_media": True, "max_video_mb": 7}, key=key)

    def media(site: str) -> tuple[list[str], float]:
        crawl = desk.ask("POST", f"/v1/sites/{site}/crawls", key=key).body["crawl"]
        found = desk.cloud.crawls.find("acme", crawl).settings.media
        return list(found.include), found.max_video_mb

    assert media(sites["none"]["site"]) == (["images", "videos", "documents"], 7)
    assert media(sites["own"]["site"]) == (["documents"], 9)
    assert media(own_later) == ([], 7)
    assert desk.ask("GET", f"/v1/sites/{own_later}", key=key).body["settings"]["media"]["max_video_mb"] == 50


def test_a_crawl_has_what_it_names_then_what_its_tenant_sets_then_the_crawlers_defaults(desk: Desk) -> None:
    key = desk.key(plan=Plan.PRO)
    site = desk.ask("POST", "/v1/sites", {"url": "https://s.example/", "settings": {"max_depth": 25}}, key=key).body
    defaults = {"max_depth": 4, "scope": {"exclude": ["/cart/*"]}, "checks": {"external": True}}
    changed = desk.ask("PATCH", "/v1/settings", {"settings": defaults}, key=key).body
    assert changed["overrides"] == ["checks.external", "max_depth", "scope.exclude"]
    assert (changed["settings"]["max_depth"], changed["settings"]["max_retries"]) == (4, 2)

    def used(crawl: Response) -> tuple[int, tuple[str, ...], bool, int]:
        found = desk.cloud.crawls.find("acme", crawl.body["crawl"]).settings
        return found.max_depth, found.scope.exclude, found.checks.external, found.max_retries

    named = {"max_depth": 7, "scope": {"exclude": []}}
    request = {"url": "https://named.example/", "settings": named}
    assert used(desk.ask("POST", "/v1/crawls", request, key=key)) == (7, (), True, 2)
    request = {"url": "https://other.example/", "settings": {"max_retries": 9}}
    assert used(desk.ask("POST", "/v1/crawls", request, key=key)) == (4, ("/cart/*",), True, 9)
    assert used(desk.ask("POST", f"/v1/sites/{site['site']}/crawls", key=key)) == (25, ("/cart/*",), True, 2)
    gone = desk.ask("PATCH", "/v1/settings", {"settings": None}, key=key).body
    assert (gone["overrides"], gone["settings"]["max_depth"]) == ([], 25)


def test_a_default_beyond_the_plan_is_refused(desk: Desk) -> None:
    key = desk.key()
    for settings, limit in (
        ({"max_tries": 501}, "max_tries"),
        ({"budget_usd": 0.06}, "budget_usd"),
        ({"polite": {"in_flight": 11}}, "polite.in_flight"),
    ):
        refused = desk.ask("PATCH", "/v1/settings", {"settings": settings}, key=key)
        assert (refused.status, refused.body["limit"]) == (402, limit)
    assert desk.ask("GET", "/v1/settings", key=key).body["overrides"] == []
    assert desk.ask("PATCH", "/v1/settings", {"settings": {"max_tries": 500}}, key=key).status == 200
    crawl = desk.ask("POST", "/v1/crawls", {"url": "https://a.example/"}, key=key).body["crawl"]
    assert desk.cloud.crawls.find("acme", crawl).settings.max_tries == 500


def test_a_default_that_needs_a_browser_does_not_apply_without_one(stack: Deployment) -> None:
    with_browser = Desk(stack.load("api"))
    rendered = {"settings": {"render": {"mode": "always"}}}
    assert with_browser.ask("PATCH", "/v1/settings", rendered).status == 200
    without = Desk(stack.load("api", WAVECRAWL_RENDER_QUEUE_URL=""))
    assert without.ask("PATCH", "/v1/settings", rendered).status == 400
    crawl = without.ask("POST", "/v1/crawls", {"url": "https://a.example/"}).body["crawl"]
    assert without.cloud.crawls.find("default", crawl).settings.render.mode == "auto"


def test_a_default_schedule_reaches_existing_sites_at_once(desk: Desk) -> None:
    key = desk.key(plan=Plan.PRO)
    urls = {"without": {}, "own": {"schedule": {"frequency": "manual"}}}
    sites = {
        name: desk.ask("POST", "/v1/sites", {"url": f"https://{name}.example/", **more}, key=key).body["site"]
        for name, more in urls.items()
    }

    def schedules() -> dict[str, tuple[str, bool, str | None]]:
        found = {name: desk.ask("GET", f"/v1/sites/{site}", key=key).body["schedule"] for name, site in sites.items()}
        return {name: (one["frequency"], one["inherited"], one["next_at"]) for name, one in found.items()}

    assert schedules() == {"without": ("manual", True, None), "own": ("manual", False, None)}
    desk.ask("PATCH", "/v1/admin/tenants/acme/settings", {"schedule": {"frequency": "weekly"}})
    path = f"/v1/sites/{sites['without']}"
    assert desk.ask("GET", path, key=key).body["schedule"]["window_minutes"] == 60
    assert schedules() == {"without": ("weekly", True, "2026-11-22T00:00:00Z"), "own": ("manual", False, None)}
    assert desk.ask("PATCH", path, {"inherit_schedule": False}, key=key).body["schedule"]["inherited"] is False
    desk.ask("PATCH", f"/v1/sites/{sites['own']}", {"inherit_schedule": True}, key=key)
    desk.ask("PATCH", "/v1/settings", {"schedule": {"frequency": "monthly"}}, key=key)
    assert schedules() == {
        "without": ("weekly", False, "2026-11-22T00:00:00Z"),
        "own": ("monthly", True, "2026-12-01T00:00:00Z"),
    }
    both = desk.ask("PATCH", path, {"inherit_schedule": True, "schedule": {"frequency": "weekly"}}, key=key)
    assert (both.status, both.body["errors"]) == (400, ["schedule must be left out if inherit_schedule is true"])


def test_without_the_function_for_media_their_defaults_are_rejected_and_do_not_apply(stack: Deployment) -> None:
    with_media = Desk(stack.load("api"))
    assert with_media.ask("PATCH", "/v1/settings", {"include_media": True}).status == 200
    without = Desk(stack.load("api", WAVECRAWL_MEDIA_QUEUE_URL=""))
    refused = without.ask("PATCH", "/v1/settings", {"include_media": True, "max_video_mb": 9})
    assert (refused.status, "include_media" in refused.text) == (400, True)
    crawl = without.ask("POST", "/v1/crawls", {"url": "https://a.example/"}).body["crawl"]
    assert without.cloud.crawls.find("default", crawl).settings.media.include == ()


def test_more_pages_than_the_plan_has_are_to_be_paid_for(desk: Desk) -> None:
    body = {"url": "https://a.example/", "settings": {"max_pages": 51}}
    refused = desk.ask("POST", "/v1/crawls", body, key=desk.key())
    assert (refused.status, refused.body["plan"], refused.body["ceiling"]) == (402, "free", 50)
    assert refused.headers["content-type"] == "application/problem+json"


def test_a_used_up_month_says_when_the_next_begins(desk: Desk) -> None:
    key = desk.key()
    started = [desk.ask("POST", "/v1/crawls", {"url": f"https://{n}.example/"}, key=key).status for n in range(5)]
    refused = desk.ask("POST", "/v1/crawls", {"url": "https://6.example/"}, key=key)
    assert started == [202] * 5
    assert (refused.status, refused.body["resets_at"]) == (429, "2026-12-01T00:00:00Z")
    assert refused.headers["retry-after"] == str(9 * 86_400 + 14 * 3_600)
    desk.clock.time += 10 * DAY
    assert desk.ask("POST", "/v1/crawls", {"url": "https://6.example/"}, key=key).status == 202


def test_usage_shows_use_and_limits(desk: Desk) -> None:
    key = desk.key(plan=Plan.STARTER)
    desk.ask("POST", "/v1/crawls", {"url": "https://a.example/"}, key=key)
    found = desk.ask("GET", "/v1/usage", key=key).body
    months = found.pop("months")
    assert (len(months), list(months.items())[:2]) == (12, [("2026-11", 1), ("2026-10", 0)])
    assert found == {
        "plan": "starter",
        "month": "2026-11",
        "crawls": 1,
        "crawls_a_month": 20,
        "max_pages": 200,
        "max_tries": 2_000,
        "max_requests": 2_000,
        "budget_usd": 0.2,
        "budget_usd_a_month": None,
        "spent_usd": 0.0,
        "max_sites": 20,
        "max_list_urls": 4_000,
        "maximums": {
            "polite.in_flight": 10,
            "limits.max_bytes": 10_485_760,
            "limits.max_decoded_bytes": 20_971_520,
            "max_links": 100_000,
            "render.max_crawl_bytes": 2_000_000_000,
            "max_frontier": 100_000,
            "sitemaps.max_files": 1_000,
            "sitemaps.max_listed": 50_000,
            "checks.max_urls": 2_000,
            "media.max_assets": 2_000,
            "archive.max_resources": 2_000,
        },
        "resets_at": "2026-12-01T00:00:00Z",
    }


def test_the_deployments_own_tenant_has_no_limits(desk: Desk) -> None:
    used = desk.ask("GET", "/v1/usage").body
    assert (used["plan"], used["crawls_a_month"], used["max_pages"]) == ("unlimited", None, None)
    assert (used["max_requests"], used["max_tries"]) == (None, None)
    assert (used["max_tries"], used["budget_usd"], used["max_sites"]) == (None, None, None)
    assert desk.ask("PATCH", "/v1/settings", {"max_pages": 3_000}).status == 200
    assert desk.ask("GET", "/v1/usage").body["plan"] == "unlimited"


def test_a_key_is_made_shown_once_and_opens_the_tenant(desk: Desk) -> None:
    mine = desk.key()
    made = desk.ask("POST", "/v1/keys", {"name": "shop", "role": "read", "expires_in_days": 2}, key=mine)
    assert made.status == 201
    assert (made.body["name"], made.body["role"]) == ("shop", "read")
    assert (made.body["created_at"], made.body["expires_at"]) == ("2026-11-21T10:00:00Z", "2026-11-23T10:00:00Z")
    secret = made.body["secret"]
    assert desk.ask("GET", "/v1/settings", key=secret).status == 200
    assert desk.ask("PATCH", "/v1/settings", {}, key=secret).status == 403
    assert desk.ask("GET", "/v1/keys", key=secret).status == 403
    listed = desk.ask("GET", "/v1/keys", key=mine)
    assert secret not in listed.text
    assert {one["name"] for one in listed.body["keys"]} == {"shop", "tests"}
    desk.clock.time += 2 * DAY
    assert desk.ask("GET", "/v1/settings", key=secret).status == 401


def test_a_repeated_request_for_a_key_does_not_return_it_again(desk: Desk) -> None:
    mine, headers = desk.key(), {"idempotency-key": "one"}
    made = desk.ask("POST", "/v1/keys", {"name": "shop"}, key=mine, headers=headers)
    again = desk.ask("POST", "/v1/keys", {"name": "shop"}, key=mine, headers=headers)
    assert (made.status, again.status) == (201, 409)
    assert made.body["secret"] not in again.text
    assert len(desk.ask("GET", "/v1/keys", key=mine).body["keys"]) == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "n", "role": "root"}, "role"),
        ({"name": "n", "expires_in_days": 0}, "expires_in_days"),
        ({"name": "n", "tenant": "other"}, "tenant"),
    ],
)
def test_a_key_that_cannot_be_made_is_not(desk: Desk, body: dict[str, Any], field: str) -> None:
    mine = desk.key()
    refused = desk.ask("POST", "/v1/keys", body, key=mine)
    assert (refused.status, refused.body["detail"].partition(":")[0]) == (400, field)
    assert len(desk.ask("GET", "/v1/keys", key=mine).body["keys"]) == 1


def test_a_tenants_key_makes_no_operators_key(desk: Desk) -> None:
    mine, admins = desk.key(), desk.key(role=Role.ADMIN)
    admin = admins.split("_")[1]
    assert desk.ask("POST", "/v1/keys", {"name": "n", "role": "admin"}, key=mine).status == 403
    assert desk.ask("POST", f"/v1/keys/{admin}/rotate", {}, key=mine).status == 403
    assert desk.ask("DELETE", f"/v1/keys/{admin}", key=mine).status == 403
    assert desk.ask("GET", "/v1/admin/tenants", key=admins).status == 200
    assert desk.ask("GET", "/v1/admin/tenants", key=mine).status == 403


def test_a_key_is_rotated_with_a_grace(desk: Desk) -> None:
    old = desk.key()
    id_ = old.split("_")[1]
    new = desk.ask("POST", f"/v1/keys/{id_}/rotate", {"grace_seconds": 60}, key=old)
    assert new.status == 201
    assert desk.ask("GET", "/v1/settings", key=old).status == 200
    desk.clock.time += 60.0
    assert desk.ask("GET", "/v1/settings", key=old).status == 401
    assert desk.ask("GET", "/v1/settings", key=new.body["secret"]).status == 200
    assert desk.ask("POST", f"/v1/keys/{id_}/rotate", {}, key=new.body["secret"]).status == 409


def test_a_revoked_key_is_refused_at_once(desk: Desk) -> None:
    mine, other = desk.key(), desk.key()
    gone = desk.ask("DELETE", f"/v1/keys/{other.split('_')[1]}", key=mine)
    assert (gone.status, gone.text or "") == (204, "")
    assert desk.ask("GET", "/v1/settings", key=other).status == 401


@pytest.mark.parametrize("name", ["0123456789ab", "x" * 2_000, "%23"])
def test_keys_of_others_are_not_there(desk: Desk, name: str) -> None:
    mine, other = desk.key(), desk.key("other").split("_")[1]
    for id_ in (other, name):
        assert desk.ask("DELETE", f"/v1/keys/{id_}", key=mine).status == 404
        assert desk.ask("POST", f"/v1/keys/{id_}/rotate", {}, key=mine).status == 404
    assert len(desk.ask("GET", "/v1/keys", key=mine).body["keys"]) == 1


def test_keys_are_listed_page_by_page(desk: Desk) -> None:
    key, *others = [desk.key() for _ in range(3)]
    first = desk.ask("GET", "/v1/keys", key=key, query={"limit": "2"}).body
    second = desk.ask("GET", "/v1/keys", key=key, query={"limit": "2", "cursor": first["next_cursor"]}).body
    ids = [one["key"] for one in first["keys"] + second["keys"]]
    assert ids == sorted(one.split("_")[1] for one in (key, *others))
    assert second["next_cursor"] is None


def test_the_operator_makes_a_tenant_and_its_first_key(desk: Desk) -> None:
    made = desk.ask("POST", "/v1/admin/tenants", {"tenant": "acme", "plan": "pro"})
    assert (made.status, made.headers["location"]) == (201, "/v1/admin/tenants/acme")
    assert (made.body["name"], made.body["plan"], made.body["disabled"]) == ("acme", "pro", False)
    assert made.body["created_at"] == "2026-11-21T10:00:00Z"
    key = desk.ask("POST", "/v1/admin/tenants/acme/keys", {"name": "first"})
    assert desk.ask("GET", "/v1/usage", key=key.body["secret"]).body["plan"] == "pro"
    assert desk.ask("POST", "/v1/admin/tenants", {"tenant": "acme"}).status == 409


def test_a_tenant_signs_up_with_its_website(desk: Desk) -> None:
    website = "https://shop.example/start"
    made = desk.ask("POST", "/v1/admin/tenants", {"tenant": "acme", "name": "Acme", "plan": "pro", "website": website})
    assert (made.status, made.headers["location"]) == (201, "/v1/admin/tenants/acme")
    assert (made.body["name"], made.body["plan"], made.body["key"]["role"]) == ("Acme", "pro", "tenant")
    key = made.body["key"]["secret"]
    site = desk.ask("GET", f"/v1/sites/{made.body['site']}", key=key).body
    assert (site["url"], site["name"], site["overrides"]) == (website, "shop.example", [])
    crawl = desk.ask("GET", f"/v1/crawls/{made.body['crawl']}", key=key).body
    assert (crawl["url"], crawl["site"], crawl["site_name"]) == (website, site["site"], "shop.example")
    assert crawl["triggered_by"] == "sign_up"
    assert desk.ask("GET", "/v1/usage", key=key).body["crawls"] == 1


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"website": "ftp://shop.example/"}, "website: "),
        ({"website": "https://user:word@shop.example/"}, "website: the URL contains a user or a password"),
        ({"website": ""}, "website"),
        ({"name": "line\nbreak"}, "name: must be 1 to 200 printable characters"),
        ({"tenant": "Acme"}, "tenant"),
        ({"plan": "gold"}, "plan"),
    ],
)
def test_a_sign_up_that_is_invalid_creates_nothing(desk: Desk, body: dict[str, Any], problem: str) -> None:
    refused = desk.ask("POST", "/v1/admin/tenants", {"tenant": "acme", "website": "https://shop.example/"} | body)
    assert refused.status == 400
    assert refused.body.get("errors", [refused.body["detail"]])[0].startswith(problem)
    assert desk.ask("GET", "/v1/admin/tenants").body["tenants"] == []
    assert desk.cloud.sites.of_tenant("acme", limit=9) == desk.cloud.crawls.of_tenant("acme", limit=9) == []


def test_a_deployment_without_a_contact_signs_nobody_up(stack: Deployment) -> None:
    desk = Desk(stack.load("api", WAVECRAWL_CONTACT=""))
    refused = desk.ask("POST", "/v1/admin/tenants", {"tenant": "acme", "website": "https://shop.example/"})
    assert (refused.status, "contact" in refused.body["detail"]) == (400, True)
    assert desk.ask("GET", "/v1/admin/tenants").body["tenants"] == []


def test_a_sign_up_under_a_taken_id_changes_nothing(desk: Desk) -> None:
    desk.key()
    assert desk.ask("POST", "/v1/admin/tenants", {"tenant": "acme", "website": "https://a.example/"}).status == 409
    assert desk.cloud.sites.of_tenant("acme", limit=9) == desk.cloud.crawls.of_tenant("acme", limit=9) == []


@pytest.mark.parametrize("step", ["sites.create", "crawls.create", "launcher.launch", "keys.create"])
def test_a_repeat_continues_a_sign_up_that_was_interrupted(
    desk: Desk, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"tenant": "acme", "plan": "pro", "website": "https://shop.example/"}

    def send() -> Response:
        return desk.ask("POST", "/v1/admin/tenants", body, headers={"idempotency-key": "1"})

    port, _, name = step.partition(".")
    real = getattr(getattr(desk.cloud, port), name)

    def interrupted(*arguments: Any, **more: Any) -> None:
        real(*arguments, **more)
        raise StoreBusyError("too late")

    with monkeypatch.context() as patch:
        patch.setattr(getattr(desk.cloud, port), name, interrupted)
        assert send().status == 503
    made = send()
    assert made.status == 201
    assert [row.site for row in desk.cloud.sites.of_tenant("acme", limit=9)] == [made.body["site"]]
    assert [row.id.crawl for row in desk.cloud.crawls.of_tenant("acme", limit=9)] == [made.body["crawl"]]
    keys = [row for row in desk.cloud.keys.of_tenant("acme") if not row.has_ended(NOW)]
    assert [row.id for row in keys] == [made.body["key"]["key"]]
    again = send()
    assert (again.status, "shown once" in again.body["detail"]) == (409, True)


def test_a_repeated_creation_without_a_website_gets_the_first_response_again(desk: Desk) -> None:
    headers = {"idempotency-key": "1"}
    first, second = (desk.ask("POST", "/v1/admin/tenants", {"tenant": "acme"}, headers=headers) for _ in range(2))
    assert (second.status, second.body) == (201, first.body)
    assert (first.body["site"], first.body["crawl"], first.body["key"]) == (None, None, None)


def test_the_operator_looks_at_a_tenant_and_its_month(desk: Desk) -> None:
    key = desk.key()
    desk.ask("POST", "/v1/crawls", {"url": "https://a.example/"}, key=key)
    found = desk.ask("GET", "/v1/admin/tenants/acme").body
    assert (found["tenant"], found["usage"]["crawls"], found["settings"]["max_pages"]) == ("acme", 1, None)
    keys = desk.ask("GET", "/v1/admin/tenants/acme/keys").body["keys"]
    assert [one["key"] for one in keys] == [key.split("_")[1]]


def test_the_operator_changes_a_plan_and_disables(desk: Desk) -> None:
    key = desk.key()
    body = {"url": "https://a.example/", "settings": {"max_pages": 200}}
    assert desk.ask("POST", "/v1/crawls", body, key=key).status == 402
    changed = desk.ask("PATCH", "/v1/admin/tenants/acme", {"plan": "starter", "name": "Acme"})
    assert (changed.body["plan"], changed.body["name"]) == ("starter", "Acme")
    assert desk.ask("POST", "/v1/crawls", body, key=key).status == 202
    desk.ask("PATCH", "/v1/admin/tenants/acme", {"disabled": True})
    assert desk.ask("GET", "/v1/usage", key=key).status == 401
    desk.ask("PATCH", "/v1/admin/tenants/acme", {"disabled": False})
    assert desk.ask("GET", "/v1/usage", key=key).body["plan"] == "starter"


def test_the_operator_revokes_a_tenants_key(desk: Desk) -> None:
    key = desk.key()
    assert desk.ask("DELETE", f"/v1/admin/tenants/acme/keys/{key.split('_')[1]}").status == 204
    assert desk.ask("GET", "/v1/usage", key=key).status == 401


@pytest.mark.parametrize("name", ["nobody", "A", "x" * 3_000])
def test_a_tenant_that_is_not_there_is_not_found(desk: Desk, name: str) -> None:
    for method, rest, body in (
        ("GET", "", None),
        ("PATCH", "", {}),
        ("GET", "/settings", None),
        ("PATCH", "/settings", {}),
        ("GET", "/keys", None),
        ("POST", "/keys", {"name": "n"}),
        ("DELETE", "/keys/0123456789ab", None),
    ):
        assert desk.ask(method, f"/v1/admin/tenants/{name}{rest}", body).status == 404


def test_tenants_are_listed_page_by_page(desk: Desk) -> None:
    for name in ("b", "a", "c"):
        desk.ask("POST", "/v1/admin/tenants", {"tenant": name})
    first = desk.ask("GET", "/v1/admin/tenants", query={"limit": "2"}).body
    second = desk.ask("GET", "/v1/admin/tenants", query={"limit": "2", "cursor": first["next_cursor"]}).body
    assert [one["tenant"] for one in first["tenants"] + second["tenants"]] == ["a", "b", "c"]
    assert second["next_cursor"] is None


@pytest.mark.parametrize("id_", ["", "A", "a/b", "a\n", "-a"])
def test_an_id_that_cannot_be_is_refused(desk: Desk, id_: str) -> None:
    refused = desk.ask("POST", "/v1/admin/tenants", {"tenant": id_})
    assert (refused.status, refused.body["errors"][0].partition(":")[0]) == (400, "tenant")


def test_what_the_deployment_lacks_is_nothing_that_was_asked_for(stack: Deployment) -> None:
    function = stack.load("api", WAVECRAWL_TABLE="not-deployed")
    broken = ask(function.handler, "GET", "/v1/usage")
    assert (broken.status, "not-deployed" in broken.text) == (500, False)


def test_a_caller_learns_its_tenant_and_role_and_what_the_deployment_offers(desk: Desk) -> None:
    caller = desk.ask("GET", "/v1/me", key=desk.key(role=Role.READ)).body
    assert caller.pop("key") in {row.id for row in desk.cloud.keys.of_tenant("acme")}
    offers = {"renders": True, "stores_media": True, "costs_money": True}
    assert caller == {"tenant": "acme", "tenant_name": "acme", "role": "read"} | offers
    operator = desk.ask("GET", "/v1/me").body
    assert (operator["tenant"], operator["key"], operator["role"]) == ("default", "operator", "admin")


def test_usage_has_the_maximums_of_the_plan_or_those_of_the_operator(desk: Desk) -> None:
    key = desk.key()
    of_plan = {
        "polite.in_flight": 10,
        "limits.max_bytes": 10_485_760,
        "limits.max_decoded_bytes": 20_971_520,
        "max_links": 100_000,
        "render.max_crawl_bytes": 500_000_000,
        "max_frontier": 100_000,
        "sitemaps.max_files": 500,
        "sitemaps.max_listed": 50_000,
        "checks.max_urls": 500,
        "media.max_assets": 500,
        "archive.max_resources": 500,
    }
    assert desk.ask("GET", "/v1/usage", key=key).body["maximums"] == of_plan
    desk.ask("PATCH", "/v1/admin/tenants/acme", {"maximums": {"polite.in_flight": 20}})
    assert desk.ask("GET", "/v1/usage", key=key).body["maximums"] == of_plan | {"polite.in_flight": 20}
