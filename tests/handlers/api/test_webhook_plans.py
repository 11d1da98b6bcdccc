"""POST /webhooks/crawl if the deployment's own tenant has a plan."""

import json
from types import ModuleType
from typing import Any

import pytest
from tests.support.functions import Context, Deployment
from tests.support.signing import webhook
from tests.support.still_clock import StillClock

from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.ports.tenants import TenantRow


@pytest.fixture
def function(stack: Deployment) -> ModuleType:
    function = stack.load("webhook")
    function.cloud.clock = StillClock(function.cloud.clock.now())  # so that the month does not end during the test
    function.cloud.tenants.create(TenantRow(tenant="default", name="ours", plan=Plan.FREE))
    return function


def send(function: ModuleType, number: int, **settings: Any) -> tuple[int, dict[str, Any], dict[str, str]]:
    asked = {"url": f"http://{number}.example/", "settings": settings}
    answer = function.handler(webhook(asked, id_=f"msg_{number}"), Context())
    return answer["statusCode"], json.loads(answer["body"]), answer["headers"]


def test_a_message_that_names_no_pages_gets_the_plans(function: ModuleType) -> None:
    status, body, _ = send(function, 1)
    assert status == 202
    assert function.cloud.crawls.find("default", body["crawl"]).settings.max_pages == 50


def test_a_message_beyond_the_plan_is_refused_with_its_limit(stack: Deployment, function: ModuleType) -> None:
    status, body, _ = send(function, 1, max_pages=51)
    assert (status, body["plan"], body["ceiling"]) == (402, "free", 50)
    assert stack.executions() == []


def test_a_message_of_a_used_up_month_may_come_again(stack: Deployment, function: ModuleType) -> None:
    assert [send(function, number)[0] for number in range(5)] == [202] * 5
    status, body, headers = send(function, 5)
    assert (status, body["title"]) == (429, "Too Many Requests")
    assert body["resets_at"].endswith("-01T00:00:00Z")
    assert 0 < int(headers["retry-after"]) <= 31 * 86_400
    tenant = function.cloud.tenants.read("default")
    function.cloud.tenants.update(TenantRow(tenant="default", name=tenant.name, plan=Plan.STARTER, version=2))
    assert send(function, 5)[0] == 202
    assert len(stack.executions()) == 6
