from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from wavecrawl.domain.politeness.host_state import Feedback, HostState
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
    feedback = Feedback(outcomes="s" * 11, latency=0.2, retry_after=5.0, ended_at=50.0)
    state = stores.hosts.report("example.com", feedback, holder="a", now=50.0)
    assert state == stores.hosts.read("example.com")
    assert (state.strain.interval, state.retry_after, state.latency) == (0.1, 5.0, 0.2)


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
