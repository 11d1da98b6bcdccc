from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.ports.all_ports import Ports


def test_an_unknown_host_is_fresh(stores: Ports) -> None:
    assert stores.hosts.read("example.com") == HostState(host="example.com")


def test_windows_follow_one_another(stores: Ports) -> None:
    first = stores.hosts.reserve("example.com", holder="a", count=10, interval=0.5, now=100.0)
    second = stores.hosts.reserve("example.com", holder="b", count=10, interval=0.5, now=100.0)
    other = stores.hosts.reserve("example.org", holder="b", count=10, interval=0.5, now=100.0)
    assert (first.opens_at, second.opens_at, other.opens_at) == (100.0, 105.0, 100.0)


def test_what_was_learned_is_kept(stores: Ports) -> None:
    feedback = Feedback(responses=1, strained=1, latency=0.2, retry_after=5.0, ended_at=50.0)
    state = stores.hosts.report("example.com", feedback, PoliteSettings())
    assert state == stores.hosts.read("example.com")
    assert (state.interval, state.paused_until, state.latency) == (0.1, 55.0, 0.2)


def test_two_callers_never_get_the_same_time(another: Callable[[], Ports]) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        jobs = [
            pool.submit(workers[n % 4].hosts.reserve, "example.com", holder=f"h{n}", count=2, interval=0.5, now=100.0)
            for n in range(40)
        ]
        starts = sorted(job.result().opens_at for job in jobs)
    assert starts == [pytest.approx(100.0 + n) for n in range(40)]
