from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec import structs

from wavecrawl.domain.politeness.host_state import Feedback, HostState, SenderState
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.ports.all_ports import Ports


def turns(holder: str, count: int = 10) -> Turns:
    return Turns(holder=holder, count=count, interval=0.5)


def test_an_unknown_host_is_fresh(stores: Ports) -> None:
    assert stores.hosts.read("example.com") == HostState(host="example.com")


def test_windows_follow_one_another(stores: Ports) -> None:
    first = stores.hosts.reserve("example.com", turns("a"), now=100.0)
    second = stores.hosts.reserve("example.com", turns("b"), now=100.0)
    other = stores.hosts.reserve("example.org", turns("b"), now=100.0)
    assert (first.opens_at, second.opens_at, other.opens_at) == (100.0, 105.0, 100.0)


def test_what_was_learned_is_kept(stores: Ports) -> None:
    feedback = Feedback(outcomes="s" * 11 + "r", latency=0.2, retry_after=5.0, retry_from=49.0, ended_at=50.0)
    state = stores.hosts.report("example.com", feedback, holder="a", now=50.0)
    assert state == stores.hosts.read("example.com")
    assert (state.strain.interval, state.own.retry_after, state.own.retry_from, state.latency) == (0.1, 5.0, 49.0, 0.2)


def test_what_a_host_said_to_one_sender_binds_that_sender(stores: Ports) -> None:
    refused = Feedback(outcomes="r" * 11, latency=0.2, retry_after=600.0, retry_from=50.0, ended_at=50.0, of="a/1")
    state = stores.hosts.report("example.com", refused, holder="a", now=50.0, sender="one")
    assert state == stores.hosts.read("example.com", sender="one")
    assert (state.own.strain.interval, state.own.retry_after) == (0.1, 600.0)
    for other in ("", "two"):
        seen = stores.hosts.read("example.com", sender=other)
        assert (seen.own, seen.interval, seen.latency) == (SenderState(), 0.0, 0.2)
    repeated = stores.hosts.report("example.com", refused, holder="a", now=51.0, sender="one")
    assert repeated == state, "feedback of a wave is not counted twice"


def test_errors_that_a_host_shows_to_all_bind_all(stores: Ports) -> None:
    failing = Feedback(outcomes="s" * 11, ended_at=50.0, of="a/1")
    stores.hosts.report("example.com", failing, holder="a", now=50.0, sender="one")
    assert {stores.hosts.read("example.com", sender=one).interval for one in ("", "one", "two")} == {0.1}


def test_turns_after_the_pause_of_a_sender_follow_one_another(stores: Ports) -> None:
    refused = Feedback(outcomes="r", retry_after=600.0, retry_from=50.0, ended_at=50.0, of="a/1")
    stores.hosts.report("example.com", refused, holder="a", now=50.0, sender="one")
    paused = structs.replace(turns("a"), sender="one", not_before=650.0)
    first = stores.hosts.reserve("example.com", paused, now=50.0)
    second = stores.hosts.reserve("example.com", structs.replace(paused, holder="b"), now=50.0)
    other = stores.hosts.reserve("example.com", turns("c"), now=50.0)
    assert (first.opens_at, second.opens_at, other.opens_at) == (650.0, 655.0, 50.0)


def test_what_was_not_used_is_given_back(stores: Ports) -> None:
    stores.hosts.reserve("example.com", turns("a"), now=100.0)
    stores.hosts.give_back("example.com", holder="a", now=101.0)
    assert stores.hosts.reserve("example.com", turns("b"), now=101.0).opens_at == 101.5
    stores.hosts.report("example.com", Feedback(), holder="b", now=102.0)
    assert stores.hosts.reserve("example.com", turns("a"), now=102.0).opens_at == 102.5


def test_two_callers_never_get_the_same_time(another: Callable[[], Ports]) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        jobs = [
            pool.submit(workers[n % 4].hosts.reserve, "example.com", turns(f"h{n}", 2), now=100.0) for n in range(40)
        ]
        starts = sorted(job.result().opens_at for job in jobs)
    assert starts == [pytest.approx(100.0 + n) for n in range(40)]
