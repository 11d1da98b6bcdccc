"""Crawl events as a server-sent event stream of the API."""

import json
from types import ModuleType

import pytest
from tests.support.asking import Response, ask
from tests.support.functions import Deployment
from tests.support.sse import EventSource

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import ENDED, STARTED, LoggedEvent, planned

ID = CrawlId(tenant="default", site="s", crawl="c1")
PATH = "/v1/crawls/c1/events"
NOW = 1_795_255_200.0


@pytest.fixture
def function(stack: Deployment, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    loaded = stack.load("api")
    monkeypatch.setattr(loaded.cloud.clock, "now", lambda: NOW)
    row = CrawlRow(id=ID, start_url="https://example.com/", root_url="", settings=CrawlSettings(), started_at=NOW - 60)
    loaded.cloud.crawls.create(row)
    return loaded


def log(function: ModuleType, sequence: int, kind: EventKind, **data: object) -> None:
    function.cloud.event_log.append(ID, LoggedEvent(sequence=sequence, kind=kind, at=NOW - 30, data=data))


def follow(function: ModuleType, client: EventSource) -> Response:
    headers = {"Last-Event-ID": client.last_event_id} if client.last_event_id else {}
    answered = ask(function.handler, "GET", PATH, headers=headers)
    client.read(answered.text)
    return answered


def test_a_running_crawl_sends_its_events_and_progress(function: ModuleType) -> None:
    log(function, STARTED, EventKind.STARTED, root_url="https://example.com/\u2028ä")
    log(function, planned(1), EventKind.PROGRESS, wave=1, pages=0)
    function.cloud.waves.create(ID, 1, planned=3)
    client = EventSource()
    answered = follow(function, client)
    assert answered.status == 200
    assert answered.headers["content-type"] == "text/event-stream"
    assert answered.headers["cache-control"] == "no-store"
    assert client.retry == 3_000
    assert [(one.type, one.last_event_id) for one in client.received] == [
        ("crawl.started", "0"),
        ("crawl.progress", "2"),
        ("progress", "2"),
    ]
    first, _, now = [json.loads(one.data) for one in client.received]
    assert first == {
        "crawl": "c1",
        "site": "s",
        "at": "2026-11-21T09:59:30Z",
        "root_url": "https://example.com/\u2028ä",
    }
    assert (now["crawl"], now["status"], now["waves"], now["batches"], now["batches_done"]) == (
        "c1",
        "running",
        1,
        3,
        0,
    )


def test_a_client_that_comes_again_gets_what_is_new(function: ModuleType) -> None:
    log(function, STARTED, EventKind.STARTED)
    client = EventSource()
    follow(function, client)
    log(function, planned(1), EventKind.PROGRESS)
    client.received.clear()
    follow(function, client)
    assert [one.type for one in client.received] == ["crawl.progress", "progress"]
    by_query = ask(function.handler, "GET", PATH, query={"last_event_id": "0"})
    assert "id: 2\n" in by_query.text
    assert "id: 0\n" not in by_query.text


def test_after_the_end_a_client_is_asked_to_stop(function: ModuleType) -> None:
    log(function, STARTED, EventKind.STARTED)
    log(function, ENDED, EventKind.COMPLETED, status="completed")
    function.cloud.crawls.finish(ID, status=CrawlStatus.COMPLETED, now=NOW)
    client = EventSource()
    assert follow(function, client).status == 200
    assert [one.type for one in client.received] == ["crawl.started", "crawl.completed"]
    answered = follow(function, client)
    assert (answered.status, answered.text) == (204, "")


def test_a_crawl_without_its_last_entry_gets_one_in_time(function: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    function.cloud.crawls.finish(ID, status=CrawlStatus.FAILED, now=NOW - 59, error="why")
    client = EventSource()
    follow(function, client)
    assert client.received == []
    monkeypatch.setattr(function.cloud.clock, "now", lambda: NOW + 1)
    follow(function, client)
    (end,) = client.received
    assert (end.type, end.last_event_id, json.loads(end.data)["error"]) == ("crawl.failed", "2000000", "why")
    assert follow(function, client).status == 204


@pytest.mark.parametrize("seen", ["-1", "x", "1.5", "٣", "9" * 20])
def test_an_id_that_was_never_sent_is_refused(function: ModuleType, seen: str) -> None:
    assert ask(function.handler, "GET", PATH, query={"last_event_id": seen}).status == 400


def test_a_crawl_that_is_not_there_cannot_be_followed(function: ModuleType) -> None:
    assert ask(function.handler, "GET", "/v1/crawls/c2/events").status == 404
