"""Events on an EventBridge bus."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from wavecrawl.adapters.aws.faults import attempts, translated
from wavecrawl.errors import ThrottledError
from wavecrawl.ports.events import CrawlEvent

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient

SOURCE = "wavecrawl"
"""The source of all events. Their detail type is the event's kind."""


class EventBridgeEvents:
    """`ports.events.Events`."""

    def __init__(self, events: "EventBridgeClient", bus: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._events = events
        self._bus = bus
        self._sleep = sleep

    def publish(self, event: CrawlEvent) -> None:
        """Publish an event. PutEvents reports failed entries in a successful response.

        https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
        """
        detail = msgspec.json.encode(event).decode()
        code = ""
        for _ in attempts(self._sleep):
            with translated(f"publishing {event.kind.value} of crawl {event.crawl}"):
                answer = self._events.put_events(
                    Entries=[
                        {
                            "Source": SOURCE,
                            "DetailType": event.kind.value,
                            "Detail": detail,
                            "EventBusName": self._bus,
                        }
                    ]
                )
            if not answer["FailedEntryCount"]:
                return
            code = answer["Entries"][0].get("ErrorCode", "")
        raise ThrottledError(f"bus {self._bus} did not accept {event.kind.value} of crawl {event.crawl} ({code})")
