"""Tenants of one deployment: none delays the others, and each one's usage is counted exactly."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from http import HTTPStatus
from statistics import median
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.campaign import CAMPAIGN, long
from tests.support.cloud import Service
from tests.support.plain_site import plain_site

from wavecrawl.demo.server import SiteServer

TENANTS = ("heavy", "light-1", "light-2")
HEAVY, LIGHT = 8, 1  # crawls of each tenant
STARTS = 50 if CAMPAIGN else 20  # at once
BATCHES = 5
"""The minimum number of batches of a crawl of 120 pages."""
_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """The time that one batch waited for a worker, in seconds."""

    tenant: str
    seconds: float
    cold: bool  # whether a worker was started for it


@pytest.fixture
def sites() -> Iterator[list[SiteServer]]:
    """Ten sites on ten addresses, as the request interval applies to each address."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                SiteServer(plain_site(pages=120, body_bytes=2_000, links_per_page=20), host=f"127.0.1.{number}")
            )
            for number in range(1, HEAVY + 2 * LIGHT + 1)
        ]


def tenant_of(service: Service, name: str, plan: str) -> Service:
    """Return the service with the key of a new tenant."""
    service.api("POST", "/v1/admin/tenants", {"tenant": name, "name": name, "plan": plan})
    made = service.api("POST", f"/v1/admin/tenants/{name}/keys", {"name": "test", "role": "tenant"})
    return replace(service, key=made["secret"])


def logged(service: Service) -> list[str]:
    """Return what the workers logged."""
    logs, found, token = service.deployment.client("logs"), [], ""
    group = f"/aws/lambda/{service.deployment.function('fetch_batch')}"
    while True:
        page = logs.filter_log_events(logGroupName=group, **({"nextToken": token} if token else {}))
        found += [event["message"] for event in page["events"]]
        token = page.get("nextToken", "")
        if not token:
            return found


def longest_batch(messages: list[str]) -> float:
    """Return how long the slowest invocation took, seconds: what is slow differs from machine to machine."""
    return max(
        float(ms) / 1_000
        for message in messages
        for ms in re.findall(r"^REPORT .*\tDuration: (\d+)", message, re.MULTILINE)
    )


def _by_length(waited: list[Wait], tenant: str, *, cold: bool) -> list[float]:
    """Return the waiting times of a tenant's batches in ascending order, of cold or of warm workers."""
    return sorted(wait.seconds for wait in waited if wait.tenant == tenant and wait.cold == cold)


def _wait_in(message: str) -> Iterator[Wait]:
    for line in message.splitlines():
        if '"batch done"' in line:
            entry: dict[str, Any] = json.loads(line)
            tenant = entry["crawl"].partition("/")[0]
            yield Wait(tenant=tenant, seconds=entry["waited"], cold=entry["cold_start"])


@long
def test_a_heavy_tenant_does_not_hold_up_the_others(service: Service, sites: list[SiteServer]) -> None:
    heavy, one, other = (tenant_of(service, tenant, "pro") for tenant in TENANTS)
    service.deployment.set_fetch_concurrency(10)
    whose = [heavy] * HEAVY + [one] * LIGHT + [other] * LIGHT
    started = [
        (tenant, tenant.api("POST", "/v1/crawls", {"url": site.url})["crawl"])
        for tenant, site in zip(whose, sites, strict=True)
    ]
    ended = [tenant.wait_for(crawl) for tenant, crawl in started]
    assert [(crawl["status"], crawl["counters"]["fetched"]) for crawl in ended] == [("completed", 120)] * len(ended)

    messages = logged(service)
    waited = [wait for message in messages for wait in _wait_in(message)]
    usual = longest_batch(messages)  # what a batch of a light tenant may wait for: that one of others ends
    warm = {tenant: _by_length(waited, tenant, cold=False) for tenant in TENANTS}
    for tenant, lengths in warm.items():
        cold = _by_length(waited, tenant, cold=True)
        assert len(lengths) + len(cold) >= BATCHES, f"{tenant}: {len(lengths)} and {len(cold)} batches were logged"
        figures = f"median {median(lengths):.2f} s, longest {lengths[-1]:.2f} s of {len(lengths)}"
        print(f"{tenant} waited: {figures}; for cold starts: {cold}")  # noqa: T201 - the queue times of this run
    for tenant in ("light-1", "light-2"):
        assert median(warm[tenant]) < usual
        assert warm[tenant][-1] < warm["heavy"][-1] + usual


def test_a_months_crawls_are_counted_exactly_under_many_starts_at_once(service: Service) -> None:
    tenant = tenant_of(service, "counted", "free")

    def start(number: int) -> HTTPStatus:
        url = f"http://127.0.2.{number + 1}:9/"  # no server listens there: only the start counts
        while True:
            answer = tenant.response_to("POST", "/v1/crawls", {"url": url})
            if answer.status_code == HTTPStatus.ACCEPTED or "resets_at" in answer.json():
                return HTTPStatus(answer.status_code)
            if "Failed to resolve layer" in answer.text or "Task timed out" in answer.text:
                continue  # a slow machine; a crawl may have been started all the same
            if answer.status_code == HTTPStatus.CONFLICT:
                return HTTPStatus.CONFLICT  # the crawl that was started then is running
            assert answer.status_code in _BUSY, answer.text  # more parallel requests than the function admits

    with ThreadPoolExecutor(STARTS) as pool:
        answers = list(pool.map(start, range(STARTS)))
    refused = answers.count(HTTPStatus.TOO_MANY_REQUESTS)
    assert refused >= STARTS - 5, answers
    assert len(tenant.api("GET", "/v1/crawls")["crawls"]) == 5
    used = tenant.api("GET", "/v1/usage")
    assert used["crawls"] == 5
