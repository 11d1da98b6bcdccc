import json
from typing import Any
from uuid import uuid4

import pytest
from tests.support.emulator import emulated_clients, new_queue

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.events import EventBridgeEvents
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import ThrottledError
from wavecrawl.ports.events import CrawlEvent


@pytest.fixture(name="clients")
def the_clients() -> AwsClients:
    return emulated_clients()


@pytest.fixture(name="event")
def an_event(crawl: CrawlId) -> CrawlEvent:
    return CrawlEvent(
        kind=EventKind.COMPLETED, crawl=crawl, sequence=2_000_000, status="completed", root_url="https://example.com/",
        pages=117, error="", at=5.5, data={"wave": 7},
    )  # fmt: skip


def test_subscribers_receive_events(clients: AwsClients, event: CrawlEvent) -> None:
    name = f"b{uuid4().hex}"
    url = new_queue(clients)
    queue = clients.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    clients.events.create_event_bus(Name=name)
    pattern = json.dumps({"source": ["wavecrawl"], "detail-type": ["crawl.completed"]})
    clients.events.put_rule(Name="r", EventBusName=name, EventPattern=pattern)
    clients.events.put_targets(Rule="r", EventBusName=name, Targets=[{"Id": "q", "Arn": queue}])
    EventBridgeEvents(clients.events, name).publish(event)
    (message,) = clients.sqs.receive_message(QueueUrl=url, WaitTimeSeconds=10)["Messages"]
    assert json.loads(message["Body"])["detail"] == {
        "kind": "crawl.completed",
        "crawl": {"tenant": "t", "site": "example.com", "crawl": "c1"},
        "sequence": 2_000_000,
        "status": "completed",
        "root_url": "https://example.com/",
        "pages": 117,
        "error": "",
        "at": 5.5,
        "data": {"wave": 7},
    }


class BusyBus:
    """A bus that refuses an event several times before it accepts it."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.taken = 0

    def put_events(self, **_: object) -> dict[str, Any]:
        if self.refusals:
            self.refusals -= 1
            return {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "ThrottlingException"}]}
        self.taken += 1
        return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}]}


def test_an_event_that_was_not_taken_is_published_again(event: CrawlEvent) -> None:
    bus = BusyBus(refusals=3)
    EventBridgeEvents(bus, "b", sleep=lambda _: None).publish(event)  # type: ignore[arg-type]  # the part that is used
    assert (bus.refusals, bus.taken) == (0, 1)


def test_an_event_that_is_never_taken_is_an_error(event: CrawlEvent) -> None:
    bus = BusyBus(refusals=1_000)
    with pytest.raises(ThrottledError, match=r"crawl\.completed of crawl t/example\.com/c1"):
        EventBridgeEvents(bus, "b", sleep=lambda _: None).publish(event)  # type: ignore[arg-type]  # the part that is used
