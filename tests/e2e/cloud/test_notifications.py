"""Notifications of the deployed service: event streams and webhooks, from the crawl to the receiver."""

from typing import Any

import pytest
import requests
from tests.support.cloud import API_KEY, Service
from tests.support.patience import eventually
from tests.support.plain_site import plain_site
from tests.support.receiver import Receiver, receiving
from tests.support.sse import EventSource

from wavecrawl.demo.server import SiteServer

QUICK = {"polite": {"interval": 0.0, "adapt": False}}
SLOW = {"polite": {"interval": 0.5, "in_flight": 1}}


@pytest.fixture
def server() -> SiteServer:
    return SiteServer(plain_site(pages=12, body_bytes=500, links_per_page=4))


def webhook(service: Service, receiver: Receiver, *events: str) -> str:
    body = {"url": f"http://127.0.0.1:{receiver.server_port}/in", "events": list(events)}
    made = send(service, "POST", "/v1/webhooks", json=body)
    assert made.status_code == 201, made.text
    receiver.secret = made.json()["secret"]
    return str(made.json()["webhook"])


def send(service: Service, method: str, path: str, **more: Any) -> requests.Response:
    headers = {"authorization": f"Bearer {API_KEY}", **more.pop("headers", {})}
    return service.request(method, path, headers=headers, **more)


def test_a_webhook_hears_of_a_crawl_though_it_fails_at_first(service: Service, server: SiteServer) -> None:
    with receiving(500) as receiver, server:
        id_ = webhook(service, receiver, "crawl.completed")
        crawl = service.start(server.url, QUICK)
        assert service.wait_for(crawl)["status"] == "completed"
        assert eventually(lambda: len(receiver.received) == 2)
        (delivery,) = service.api("GET", f"/v1/webhooks/{id_}/deliveries")["deliveries"]
    assert [attempt["status"] for attempt in delivery["attempts"]] == [500, 204]
    assert receiver.ids == [delivery["delivery"]] * 2
    assert receiver.received[0]["type"] == "crawl.completed"
    assert receiver.received[0]["data"]["crawl"] == crawl
    assert receiver.received[0]["data"]["pages"] == 12
    send(service, "DELETE", f"/v1/webhooks/{id_}")


def test_a_crawl_is_followed_to_its_end(service: Service, server: SiteServer) -> None:
    client = EventSource()
    with server:
        crawl = service.start(server.url, QUICK)

        def over() -> bool:
            headers = {"last-event-id": client.last_event_id} if client.last_event_id else {}
            answer = send(service, "GET", f"/v1/crawls/{crawl}/events", headers=headers)
            client.read(answer.text)
            return answer.status_code == 204

        assert eventually(over, poll=0.5)
    logged = [one for one in client.received if one.type != "progress"]
    assert (logged[0].type, logged[-1].type) == ("crawl.started", "crawl.completed")
    ids = [int(one.last_event_id) for one in logged]
    assert ids == sorted(set(ids))
    assert ids[1:-1] == [2 * wave for wave in range(1, len(ids) - 1)]


def test_a_crawl_stopped_from_outside_is_reported_as_failed_once(service: Service, server: SiteServer) -> None:
    states = service.deployment.client("stepfunctions")
    with receiving() as receiver, server:
        id_ = webhook(service, receiver, "crawl.failed")
        crawl = service.start(server.url, SLOW)
        states.stop_execution(executionArn=service.deployment.executions()[crawl])
        assert service.wait_for(crawl)["status"] == "failed"
        assert eventually(lambda: len(receiver.received) == 1)
    assert receiver.received[0]["data"]["status"] == "failed"
    assert len(service.api("GET", f"/v1/webhooks/{id_}/deliveries")["deliveries"]) == 1
    send(service, "DELETE", f"/v1/webhooks/{id_}")
