"""Which requests of a page count as failed: not by the order of responses, and also if no response comes."""

import asyncio
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import pytest
from tests.browser.pages import request as render_request
from tests.support.still_clock import StillClock

from wavecrawl.adapters.browser.page_traffic import PageTraffic
from wavecrawl.adapters.browser.page_troubles import PageTroubles
from wavecrawl.domain.rendering.settings import RenderSettings

SITE = "https://site.example"
SETTLE = 10.0


@dataclass(eq=False)
class Sent:
    """A request as Playwright has it."""

    url: str
    resource_type: str = "fetch"
    method: str = "GET"
    failure: str | None = None

    def is_navigation_request(self) -> bool:
        return False


@dataclass
class Received:
    """A response as Playwright has it."""

    request: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Route:
    """A request that waits for a decision."""

    request: Any

    async def continue_(self) -> None:
        """Let it pass."""


class Traffic:
    """The traffic of a page, on a clock that stands still."""

    def __init__(self) -> None:
        self.clock = StillClock()
        page = render_request("<p>x", url=f"{SITE}/")
        self.page: Any = PageTraffic(page, RenderSettings(settle=SETTLE), clock=self.clock.now)

    def send(self, path: str, kind: str = "fetch") -> Sent:
        sent = Sent(f"{SITE}{path}", kind)
        asyncio.run(self.page.route(Route(sent)))
        return sent


def failed(path: str, status: int) -> Received:
    return Received(Sent(f"{SITE}{path}"), status)


@pytest.mark.parametrize("found", [*permutations((failed("/b", 503), failed("/a", 500), failed("/0", 404)))])
def test_of_several_failures_the_first_by_name_counts(found: tuple[Any, ...]) -> None:
    troubles = PageTroubles(f"{SITE}/")
    for one in found:
        troubles.responded(one)
    assert troubles.failure == (f"its request for {SITE}/a responded with 500", True)


@pytest.mark.parametrize("found", [*permutations((failed("/b", 404), failed("/a", 403)))])
def test_a_failure_that_lasts_counts_if_no_other_may_pass(found: tuple[Any, ...]) -> None:
    troubles = PageTroubles(f"{SITE}/")
    assert troubles.failure == ("", False)
    for one in found:
        troubles.responded(one)
    assert troubles.failure == (f"its request for {SITE}/a responded with 403", False)


def test_a_request_without_a_response_has_failed_when_it_is_not_awaited_any_longer() -> None:
    traffic = Traffic()
    traffic.send("/api/items")
    traffic.clock.sleep(SETTLE - 1)
    assert (traffic.page.failure, traffic.page.quiet_for()) == (("", False), 0.0)
    traffic.clock.sleep(1)
    assert traffic.page.failure == (f"its request for {SITE}/api/items had no response within 10 s", True)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/socket.io/?transport=polling", "xhr"),
        ("/api/longpolling/poll", "fetch"),
        ("/message-bus/1a2b/poll", "xhr"),
        ("/logo.png", "image"),
        ("/events", "eventsource"),
    ],
)
def test_requests_that_wait_for_events_or_are_not_needed_do_not_count(path: str, kind: str) -> None:
    traffic = Traffic()
    traffic.send(path, kind)
    traffic.clock.sleep(SETTLE)
    assert traffic.page.failure == ("", False)


@pytest.mark.parametrize("path", ["/api/polls", "/upstream/items", "/subscriber/1"])
def test_names_that_contain_those_of_such_requests_count(path: str) -> None:
    traffic = Traffic()
    traffic.send(path)
    traffic.clock.sleep(SETTLE)
    assert traffic.page.failure[1]


def test_what_a_loaded_page_requests_may_stay_open() -> None:
    traffic = Traffic()
    traffic.page.ended(traffic.send("/api/items"))
    traffic.page.loaded()
    traffic.send("/api/wait")
    traffic.clock.sleep(SETTLE)
    assert traffic.page.failure == ("", False)


@pytest.mark.parametrize("content_type", ["text/event-stream", "application/x-ndjson", "application/grpc-web+proto"])
def test_a_stream_is_not_awaited(content_type: str) -> None:
    traffic = Traffic()
    traffic.page.responded(Received(traffic.send("/api/chat"), headers={"content-type": content_type}))
    traffic.clock.sleep(1)
    assert traffic.page.quiet_for() == 1
    traffic.clock.sleep(SETTLE)
    assert traffic.page.failure == ("", False)


@pytest.mark.parametrize(("seconds", "counts"), [(0.1, False), (5, True)])
def test_a_request_that_the_page_cancels_has_failed_if_the_page_waited_for_it(seconds: float, *, counts: bool) -> None:
    traffic = Traffic()
    sent = traffic.send("/api/items")
    traffic.clock.sleep(seconds)
    sent.failure = "net::ERR_ABORTED"
    traffic.page.failed(sent)
    expected = (f"its request for {SITE}/api/items failed (net::ERR_ABORTED)", True) if counts else ("", False)
    assert traffic.page.failure == expected
