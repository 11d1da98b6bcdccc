"""The same message many times in parallel, over the emulator, because moto is not atomic."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from tests.support.emulator import CREDENTIALS, emulated_clients, running_emulator
from tests.support.functions import Deployment, deployment, environment_of
from tests.support.signing import webhook

from wavecrawl.api.crawl_webhook import CrawlWebhook, Start
from wavecrawl.application.start_by_message import start_by_message
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.telemetry import metrics

TIMES = 20


@pytest.fixture
def emulated() -> Iterator[Deployment]:
    with environment_of(CREDENTIALS), deployment(emulated_clients(), running_emulator().url) as made:
        yield made
    metrics.clear_metrics()


def starting(cloud: Cloud) -> Start:
    return lambda message, requested: start_by_message(message, requested, cloud, cloud.settings)


def crawl_webhook(cloud: Cloud) -> CrawlWebhook:
    return CrawlWebhook(cloud.secrets.current, qstash_url="", max_body=cloud.settings.max_body_bytes)


def test_the_same_message_twenty_times_at_once_starts_one_crawl(emulated: Deployment) -> None:
    event = webhook({"url": "http://site.example/"})
    clouds = [Cloud(CloudSettings.from_env(emulated.environment)) for _ in range(TIMES)]
    together = Barrier(TIMES)

    def send(cloud: Cloud) -> tuple[int, str]:
        cloud.secrets.current()
        together.wait()
        response: dict[str, Any] = crawl_webhook(cloud).respond(event, starting(cloud))
        return response["statusCode"], json.loads(response["body"])["crawl"]

    with ThreadPoolExecutor(TIMES) as pool:
        answers = list(pool.map(send, clouds))
    for cloud in clouds:
        cloud.clients.close()
    crawls = {crawl for _, crawl in answers}
    statuses = sorted(status for status, _ in answers)
    assert statuses.count(202) == 1
    assert set(statuses) <= {200, 202, 409}  # 200 after the start, 409 during it
    assert emulated.executions() == list(crawls)
