import pytest
from msgspec.structs import replace

from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.politeness.adaptive_pace import adapt, after_own
from wavecrawl.domain.politeness.circuit_breaker import given_up, paused_until
from wavecrawl.domain.politeness.host_state import Feedback, HostState, SenderState
from wavecrawl.domain.politeness.pace import pace_for, sender_turn, turn
from wavecrawl.domain.politeness.sender import PRODUCT, Sender
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.windows import Turns, give_back, reserve
from wavecrawl.domain.sites.authentication import OwnHosts

SETTINGS = PoliteSettings()
HOST = HostState(host="example.com")
SITE = OwnHosts("http://example.com/", ScopeMode.HOST_AND_WWW)


def test_crawls_that_nothing_tells_apart_are_one_sender() -> None:
    assert Sender(tenant="a", site="one").at("example.com") == PRODUCT
    assert Sender(tenant="b", site="two").at("example.com") == PRODUCT


def test_a_suffix_makes_a_sender_of_its_own_in_each_tenant() -> None:
    first = Sender(tenant="a", site="one", suffix="audit/1.0")
    assert first.at("example.com") not in (PRODUCT, replace(first, suffix="audit/2.0").at("example.com"))
    assert first.at("example.com") != replace(first, tenant="b").at("example.com")
    assert first.at("example.com") == replace(first, site="two").at("other.example")


@pytest.mark.parametrize("host", ["example.com", "www.example.com"])
def test_credentials_make_a_sender_of_its_own_at_the_hosts_that_receive_them(host: str) -> None:
    site = Sender(tenant="a", site="one", own_hosts=SITE)
    assert site.at(host) not in (PRODUCT, replace(site, site="two").at(host), replace(site, tenant="b").at(host))
    assert site.at("other.example") == PRODUCT, "no credentials are sent there"


def test_the_state_of_a_host_binds_all_and_that_of_a_sender_the_sender() -> None:
    mixed = Feedback(outcomes="r" * 11 + "s" * 11, ended_at=10.0, of="a/1")
    host = adapt(HOST, mixed)
    assert (host.strain.interval, host.own.strain.interval) == (0.1, 0.2)
    other = adapt(HOST, mixed, own=False)
    assert (other.strain, other.own) == (host.strain, SenderState())
    assert pace_for(SETTINGS, crawl_delay=None, host=host).interval == 0.2
    assert pace_for(SETTINGS, crawl_delay=None, host=other).interval == 0.1


def test_a_sender_that_is_only_served_is_not_remembered() -> None:
    known = SenderState()
    assert after_own(known, Feedback(outcomes="g" * 100, of="a/1")) is known
    refused = after_own(known, Feedback(outcomes="r", of="a/1"))
    assert after_own(refused, Feedback(outcomes="g", of="a/2")) is not refused, "the success counts against the refusal"


def test_a_sender_that_is_only_refused_is_given_up_and_others_are_not() -> None:
    host, others = HOST, HOST
    for wave in range(6):
        refused = Feedback(outcomes="f" * 33, ended_at=1_000.0, of=f"a/{wave}")
        host, others = adapt(host, refused), adapt(others, refused, own=False)
    assert given_up(host, SETTINGS)
    assert not given_up(others, SETTINGS)
    assert (paused_until(host, SETTINGS), paused_until(others, SETTINGS)) == (1_480.0, 0.0)


def test_a_retry_after_that_an_earlier_version_stored_binds_all() -> None:
    stored = HostState(host="example.com", retry_after=60.0, retry_from=100.0)
    assert paused_until(stored, SETTINGS) == paused_until(replace(stored, own=SenderState()), SETTINGS) == 160.0


def turns(holder: str, sender: str, interval: float = 0.0) -> Turns:
    return Turns(holder=holder, count=10, interval=0.04, sender=sender, sender_interval=interval)


def test_crawls_of_a_sender_that_is_slowed_down_wait_for_each_other_and_no_other_crawl_does() -> None:
    host, first = reserve(HOST, turns("a", "one", 30.0), now=0.0)
    host, second = reserve(host, turns("b", "one", 30.0), now=0.0)
    host, other = reserve(host, turns("c", PRODUCT), now=0.0)
    assert (first.opens_at, second.opens_at) == (0.0, 300.0)
    assert other.opens_at == pytest.approx(0.8)
    host = give_back(host, holder="a", now=45.0)
    assert reserve(host, turns("d", "one", 30.0), now=45.0)[1].opens_at == 600.0, "behind the second"
    host = give_back(host, holder="b", now=45.0)
    assert reserve(host, turns("d", "one", 30.0), now=45.0)[1].opens_at == 75.0, "behind the last request of the first"


def test_the_turns_of_a_slowed_sender_are_no_longer_than_its_pace() -> None:
    refused = adapt(HOST, Feedback(outcomes="r" * 11, of="a/1"))
    pace = pace_for(SETTINGS, crawl_delay=None, host=refused)
    assert (sender_turn(pace, refused), turn(pace, refused)) == pytest.approx((0.105, 0.042))
    hasty = pace_for(PoliteSettings(max_interval=0.0), crawl_delay=None, host=refused)
    assert sender_turn(hasty, refused) == pytest.approx(0.042)
