import pytest
from msgspec.structs import replace

from wavecrawl.domain.politeness.host_state import HostState, SenderState
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.strain import Strain
from wavecrawl.domain.politeness.waits import Wait, WaitReason, pause_of, slowness_of

SETTINGS = PoliteSettings()
HOST = HostState(host="a.example")
ASKED = SenderState(retry_after=600.0, retry_from=1_000.0)


def test_a_host_without_a_pause_has_no_reason() -> None:
    assert pause_of(HOST, SETTINGS) is None


def test_retry_after_is_named_with_its_seconds() -> None:
    wait = pause_of(replace(HOST, own=ASKED), SETTINGS)
    assert wait == Wait(reason=WaitReason.RETRY_AFTER, host="a.example", until=1_600.0, seconds=600.0)
    assert wait.text == "a.example asked for it (Retry-After 600 s)"
    earlier = replace(HOST, retry_after=60.0, retry_from=1_000.0)
    assert pause_of(earlier, SETTINGS) == replace(wait, until=1_060.0, seconds=60.0)


@pytest.mark.parametrize(
    "host",
    [
        replace(HOST, own=SenderState(strikes=3, struck_at=5_000.0)),
        replace(HOST, own=ASKED, strikes=3, struck_at=5_000.0),
    ],
    ids=["to the sender", "to all"],
)
def test_the_circuit_breaker_is_named_with_its_pauses(host: HostState) -> None:
    wait = pause_of(host, SETTINGS)
    assert wait == Wait(reason=WaitReason.BREAKER, host="a.example", until=5_120.0, count=3)
    assert wait.text == "a.example failed too often (pause 3 in a row)"


def test_only_slow_paces_have_a_reason() -> None:
    assert slowness_of("a.example", Pace(interval=4.9, in_flight=1), SETTINGS) is None
    delayed = Pace(interval=10.0, in_flight=1, crawl_delay=10.0, max_interval=30.0)
    found = slowness_of("a.example", delayed, SETTINGS)
    assert found == Wait(reason=WaitReason.CRAWL_DELAY, host="a.example", seconds=10.0)
    assert found.text == "Crawl-delay 10 s of a.example"
    own = slowness_of("a.example", Pace(interval=60.0, in_flight=1), PoliteSettings(interval=60.0))
    assert own is not None
    assert own.text == "polite.interval 60 s"
    longer = slowness_of("a.example", Pace(interval=60.0, in_flight=1, crawl_delay=5.0), PoliteSettings(interval=60.0))
    assert longer is not None
    assert longer.text == "polite.interval 60 s", "it is longer than the Crawl-delay of 5 s"
    strained = replace(HOST, strain=Strain(interval=25.6))
    slow = slowness_of("a.example", Pace(interval=strained.interval, in_flight=1), SETTINGS)
    assert slow is not None
    assert slow.text == "a.example is overloaded, so 25.6 s between requests"


def test_each_reason_has_a_text() -> None:
    texts = {Wait(reason=reason, host="a.example", seconds=1.0, count=2).text for reason in WaitReason}
    assert len(texts) == len(WaitReason)
    assert "queued behind your other crawls (place 2)" in texts
    assert "waits for other crawls at a.example" in texts
    assert "robots.txt of a.example cannot be read" in texts
    delayed = Wait(reason=WaitReason.CRAWL_DELAY, host="a.example", seconds=60.0, for_sitemaps=True)
    assert delayed.text == "Crawl-delay 60 s of a.example; reads sitemaps"


def test_a_wait_without_an_end_is_never_over() -> None:
    wait = Wait(reason=WaitReason.CRAWL_DELAY)
    assert not wait.is_over(1e12)
    assert (replace(wait, until=5.0).is_over(4.9), replace(wait, until=5.0).is_over(5.0)) == (False, True)
