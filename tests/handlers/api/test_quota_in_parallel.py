"""Fifty parallel requests for crawls against one monthly quota, through the whole API over the emulator."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Barrier

import pytest
from tests.support.asking import Response, ask
from tests.support.emulator import CREDENTIALS, emulated_clients, running_emulator
from tests.support.functions import Deployment, deployment, environment_of
from tests.support.still_clock import StillClock

from wavecrawl.api.app import Api
from wavecrawl.application.api_keys import create_key
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.domain.tenants.months import month_of
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.tenants import TenantRow
from wavecrawl.telemetry import metrics

TIMES = 50
SIDE_BY_SIDE = 10


@pytest.fixture
def emulated() -> Iterator[Deployment]:
    with environment_of(CREDENTIALS), deployment(emulated_clients(), running_emulator().url) as made:
        yield made
    metrics.clear_metrics()


def test_of_fifty_starts_at_once_the_plans_number_is_accepted(emulated: Deployment) -> None:
    clouds = [Cloud(CloudSettings.from_env(emulated.environment)) for _ in range(SIDE_BY_SIDE)]
    first = clouds[0]
    now = first.clock.now()
    for cloud in clouds:
        vars(cloud)["clock"] = StillClock(now)  # so that the month does not end during the test
    first.tenants.create(TenantRow(tenant="acme", name="Acme", plan=Plan.STARTER))
    key = create_key("acme", role=Role.TENANT, name="tests", keys=first.keys, now=now).secret
    free: SimpleQueue[Api] = SimpleQueue()
    for cloud in clouds:
        free.put(Api(cloud))
    together = Barrier(SIDE_BY_SIDE)

    def start(number: int) -> Response:
        api = free.get()
        if number < SIDE_BY_SIDE:
            together.wait()
        try:
            return ask(api.resolve, "POST", "/v1/crawls", {"url": f"https://{number}.example/"}, key=key)
        finally:
            free.put(api)

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        answers = list(pool.map(start, range(TIMES)))
    assert Counter(one.status for one in answers) == {202: 20, 429: 30}
    assert all("resets_at" in one.body for one in answers if one.status == 429)
    assert first.tenants.crawls_in("acme", month_of(now)) == 20
    assert sorted(emulated.executions()) == sorted(one.body["crawl"] for one in answers if one.status == 202)
    for cloud in clouds:
        cloud.clients.close()
