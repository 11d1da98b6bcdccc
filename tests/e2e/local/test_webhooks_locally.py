"""Webhooks in embedded mode: from a crawl to its receiver, which fails at first."""

from functools import partial
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from tests.support.crawling import crawl_inline
from tests.support.patience import HANG
from tests.support.random_site import random_site
from tests.support.receiver import SECRET, receiving

from wavecrawl.bootstrap.delivering import delivery_thread, delivery_worker
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.webhooks.delivery import DeliveryState
from wavecrawl.ports.webhooks import Webhook

HOOK = Webhook(tenant=LOCAL_TENANT, webhook="w", url="", secret=SECRET)


def test_a_receiver_that_fails_at_first_hears_of_the_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalStore(tmp_path)
    with receiving(500, 503) as receiver, SiteServer(random_site(Random(4), 8)) as server:
        url = f"http://127.0.0.1:{receiver.server_port}/"
        store.webhooks.create(replace(HOOK, url=url, kinds=(EventKind.STARTED, EventKind.COMPLETED)))
        done = crawl_inline(server.url, tmp_path)
        worker = delivery_worker(store, contact="", allowed=("127.0.0.0/8",))
        start = store.clock.now()
        tried = []
        for moment in (start, start + 1, start + 6, start + 400):
            monkeypatch.setattr(store.clock, "now", partial(float, moment))
            tried.append(worker.tick(moment))
    assert tried == [2, 0, 2, 0]
    assert sorted(message["type"] for message in receiver.received) == [
        "crawl.completed", "crawl.completed", "crawl.started", "crawl.started",
    ]  # fmt: skip
    completed = next(message for message in receiver.received if message["type"] == "crawl.completed")
    assert completed["data"]["crawl"] == done.row.id.crawl
    assert completed["data"]["pages"] == done.summary.pages
    deliveries = store.deliveries.of_webhook(LOCAL_TENANT, "w", limit=9)
    assert [delivery.state for delivery in deliveries] == [DeliveryState.DELIVERED] * 2
    assert {attempt.status for delivery in deliveries for attempt in delivery.attempts} == {500, 503, 204}
    store.close()


def test_the_thread_of_serve_delivers_to_webhooks(tmp_path: Path) -> None:
    with receiving() as receiver, SiteServer(random_site(Random(4), 3)) as server:
        store = LocalStore(tmp_path)
        store.webhooks.create(replace(HOOK, url=f"http://127.0.0.1:{receiver.server_port}/"))
        crawl_inline(server.url, tmp_path)
        thread = delivery_thread(store, contact="https://crawler.example/about", allowed=("127.0.0.0/8",))
        thread.start()
        assert receiver.arrived.wait(HANG)
        thread.stop()
        store.close()
    assert {message["type"] for message in receiver.received} <= {"crawl.started", "crawl.completed"}
