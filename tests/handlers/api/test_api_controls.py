"""The operator's controls, through the real handler."""

from types import ModuleType
from typing import Any

import pytest
from tests.support.asking import Response, ask
from tests.support.functions import API_KEY, Deployment
from tests.support.still_clock import StillClock

from wavecrawl.application.api_keys import create_key
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.tenants import TenantRow

NOW = 1_795_255_200.0  # 2026-11-21T10:00:00Z
CONTROLS = "/v1/admin/controls"
FREE = {"stopped": False, "denied_hosts": [], "budget_usd_a_month": None, "spent_usd": 0.0}


class Desk:
    """A client of one function as the operator, or as a tenant."""

    def __init__(self, function: ModuleType) -> None:
        self.function = function
        self.cloud: Any = function.cloud
        self.cloud.clock = StillClock(NOW)

    def ask(self, method: str, path: str, body: Any = None, *, key: str = API_KEY) -> Response:
        return ask(self.function.handler, method, path, body, key=key)

    def start(self, url: str = "https://shop.example/", *, key: str = API_KEY) -> Response:
        return self.ask("POST", "/v1/crawls", {"url": url}, key=key)

    def spend(self, usd: float, tenant: str) -> None:
        crawl = CrawlId(tenant=tenant, site="s", crawl="earlier")
        self.cloud.spending.charge(crawl, usd, month="2026-11")


@pytest.fixture
def desk(stack: Deployment) -> Desk:
    return Desk(stack.load("api"))


@pytest.fixture
def acme(desk: Desk) -> str:
    desk.cloud.tenants.create(TenantRow(tenant="acme", name="acme", plan=Plan.PRO, created_at=NOW))
    return create_key("acme", role=Role.TENANT, name="tests", keys=desk.cloud.keys, now=NOW).secret


def test_nothing_is_forbidden_at_first(desk: Desk) -> None:
    assert desk.ask("GET", CONTROLS).body == FREE
    assert desk.start().status == 202


def test_only_operators_see_and_change_the_controls(desk: Desk, acme: str) -> None:
    assert desk.ask("GET", CONTROLS, key=acme).status == 403
    assert desk.ask("PATCH", CONTROLS, {"stopped": True}, key=acme).status == 403
    assert desk.ask("GET", CONTROLS).body == FREE


def test_while_all_crawls_are_stopped_none_starts(desk: Desk, acme: str) -> None:
    assert desk.ask("PATCH", CONTROLS, {"stopped": True}).body == FREE | {"stopped": True}
    for key in (API_KEY, acme):
        refused = desk.start(key=key)
        assert (refused.status, refused.body["detail"]) == (
            503,
            "the operator has stopped all crawls; try again later, or ask the operator",
        )
    assert desk.ask("PATCH", CONTROLS, {"stopped": False}).body == FREE
    assert desk.start(key=acme).status == 202


def test_a_denied_host_is_crawled_by_no_tenant(desk: Desk, acme: str) -> None:
    changed = desk.ask("PATCH", CONTROLS, {"denied_hosts": ["Shop.example", "192.0.2.1"]})
    assert changed.body["denied_hosts"] == ["192.0.2.1", "shop.example"]
    for url in ("https://shop.example/", "https://www.SHOP.example/a", "http://192.0.2.1/"):
        refused = desk.start(url, key=acme)
        assert (refused.status, refused.body["detail"].startswith("the operator does not allow requests to")) == (
            403,
            True,
        )
    assert desk.start("https://other.example/", key=acme).status == 202
    assert desk.ask("PATCH", CONTROLS, {"denied_hosts": []}).body == FREE
    assert desk.start(key=acme).status == 202


def test_a_url_is_no_host(desk: Desk) -> None:
    refused = desk.ask("PATCH", CONTROLS, {"denied_hosts": ["https://shop.example/"]})
    assert (refused.status, "host names or addresses" in refused.body["detail"]) == (400, True)


def test_a_tenant_that_has_spent_its_month_starts_no_crawl(desk: Desk, acme: str) -> None:
    assert desk.ask("PATCH", "/v1/admin/tenants/acme", {"budget_usd_a_month": 2.5}).body["budget_usd_a_month"] == 2.5
    desk.spend(2.49, "acme")
    assert desk.start(key=acme).status == 202
    desk.spend(2.5, "acme")
    refused = desk.start("https://two.example/", key=acme)
    assert (refused.status, refused.body["resets_at"]) == (429, "2026-12-01T00:00:00Z")
    assert refused.body["detail"] == (
        "the monthly limit of tenant acme is reached: $2.50 (budget_usd_a_month). New crawls can start from "
        "2026-12-01 00:00 UTC, or when the operator raises it"
    )
    usage = desk.ask("GET", "/v1/usage", key=acme).body
    assert (usage["spent_usd"], usage["budget_usd_a_month"]) == (2.5, 2.5)
    assert desk.start("https://two.example/").status == 202  # of another tenant
    desk.ask("PATCH", "/v1/admin/tenants/acme", {"budget_usd_a_month": 0})
    assert desk.start("https://two.example/", key=acme).status == 202


def test_a_deployment_that_has_spent_its_month_starts_no_crawl_of_any_tenant(desk: Desk, acme: str) -> None:
    desk.ask("PATCH", CONTROLS, {"budget_usd_a_month": 10})
    desk.spend(6.0, "acme")
    assert desk.start(key=acme).status == 202
    desk.spend(4.0, "default")
    assert desk.ask("GET", CONTROLS).body == FREE | {"budget_usd_a_month": 10.0, "spent_usd": 10.0}
    for key in (API_KEY, acme):
        refused = desk.start("https://two.example/", key=key)
        assert (refused.status, "of all crawls of this deployment is reached: $10.00" in refused.body["detail"]) == (
            429,
            True,
        )
    desk.ask("PATCH", CONTROLS, {"budget_usd_a_month": 0})
    assert desk.start("https://two.example/", key=acme).status == 202
